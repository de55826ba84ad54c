"""Setwise on a Spark cluster: a data source for PGN, patterns as SQL functions, reading and writing of scans.

This package needs PySpark, ``pip install 'setwise[spark]'``, and Java.
"""

try:
    import pyspark.sql.datasource  # noqa: F401
    from pyspark.sql.functions import arrow_udf  # noqa: F401
except ImportError as error:
    raise ImportError("setwise.spark needs PySpark 4.1 or later: pip install 'setwise[spark]'") from error

from setwise.spark.functions import ScanFormat, read_scan, register
from setwise.spark.source import Pgn

__all__ = ["Pgn", "ScanFormat", "read_scan", "register"]
