"""The same questions asked of a small cluster and of one machine, ``make spark``: the answers have to be equal.

The cluster is Spark's own for tests: a master and two workers, each a process with one core and 1 GB. In the middle of
a question one of its executors is killed, and the answer has to be the same. CLUSTER_PGN names other games than those
that are made for it.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import os
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from harness import Missing
from peers import program

import setwise

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "famous_games.pgn"
#: A game that breaks off, so that there are faults to count.
BROKEN = b'[Event "broken"]\n\n1. e4 e5 2. Ke7 Ke2 *\n\n'
_EXECUTOR = b"CoarseGrainedExecutorBackend"


class Question(NamedTuple):
    what: str
    #: Options of Spark's reader, SQL over what it reads, and SQL with the same answer on one machine.
    options: dict[str, str]
    there: str
    here: str


QUESTIONS = [
    Question(
        "safe forks by year",
        {"columns": "year,own_safe_fork_squares"},
        "select year, count(*), count_if(own_safe_fork_squares <> 0) from asked group by all order by 1",
        "select year, count(*), count_if(own_safe_fork_squares <> 0) from positions group by all "
        "order by 1 nulls first",
    ),
    Question(
        "captures that are answered by captures",
        {"columns": "result", "where": "captured is not null and next(captured is not null)"},
        "select result, count(*) from asked group by all order by 1",
        "select result, count(*) from (select result, captured is not null and next(captured is not null) as found "
        "from positions) where found group by all order by 1",
    ),
    Question(
        "a pattern as a function of SQL",
        {"columns": "white_knights,black_king"},
        "select count(*) from asked where knight_attacks(white_knights) & black_king <> 0",
        "select count(*) from positions where knight.attacks(white_knights) & black_king <> 0",
    ),
    Question(
        "games, their numbers and plies",
        {"table": "games", "columns": "result,game,plies"},
        "select result, count(*), sum(game), sum(plies) from asked group by all order by 1",
        "select result, count(*), sum(game), sum(plies) from games group by all order by 1",
    ),
    Question(
        "faults and where they are",
        {"table": "faults", "columns": "game,token"},
        "select token, count(*), sum(game) from asked group by all order by 1",
        "select split_part(fault, ': ', 1) as token, count(*), sum(game) from games where fault is not null "
        "group by all order by 1",
    ),
]


# --------------------------------------------------------------------------------------------------------- the cluster


@contextmanager
def cluster(folder: Path) -> Iterator[Any]:
    """A session with a master and two workers, whose files all lie in a folder."""
    import pyspark
    from pyspark.sql import SparkSession

    home = folder / "spark"
    home.mkdir()
    for name in ("bin", "jars"):
        (home / name).symlink_to(Path(pyspark.__path__[0], name))
    os.environ |= {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    options = {
        "spark.driver.memory": "1g",
        "spark.local.dir": str(folder),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "2",
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("setwise")
    spark = builder.config(map=options).getOrCreate()
    try:
        import setwise.spark

        spark.dataSource.register(setwise.spark.Pgn)
        setwise.spark.register(spark)
        yield spark
    finally:
        spark.stop()


def descendants(ancestor: int) -> Iterator[tuple[int, bytes]]:
    """The processes that come from another, with their command lines."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    for process in parents:
        line = itertools.takewhile(lambda it: it in parents, _ancestry(process, parents))
        if ancestor in itertools.islice(line, 1, None):
            try:
                yield process, Path(f"/proc/{process}/cmdline").read_bytes()
            except OSError:
                continue


def _ancestry(process: int, parents: dict[int, int]) -> Iterator[int]:
    while True:
        yield process
        process = parents.get(process, -1)


def executors() -> list[int]:
    """The processes of the cluster that work, each a JVM."""
    return [
        process for process, line in descendants(os.getpid()) if _EXECUTOR in line and b"java" in line.split(b"\0")[0]
    ]


def answer(spark: Any, question: Question, source: str, **options: str) -> list[tuple[Any, ...]]:
    reader = spark.read.format("pgn").options(**question.options, **options)
    reader.load(source).createOrReplaceTempView("asked")
    return [tuple(row) for row in spark.sql(question.there).collect()]


def answer_while_killed(spark: Any, question: Question, source: str, **options: str) -> tuple[list[Any], str]:
    """An answer during which an executor was killed, and what there is to say of that."""
    found: list[Any] = []
    asking = threading.Thread(target=lambda: found.append(answer(spark, question, source, **options)))
    before = executors()
    tracker = spark.sparkContext.statusTracker()
    asking.start()
    while asking.is_alive():
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        if any(it and it.numActiveTasks and 0 < it.numCompletedTasks < it.numTasks for it in stages):
            os.kill(before[0], signal.SIGKILL)
            break
        time.sleep(0.005)
    done = max((it.numCompletedTasks for it in stages if it), default=0)
    of = max((it.numTasks for it in stages if it), default=0)
    was_asking = asking.is_alive()
    asking.join()
    if not was_asking or not found:
        raise SystemExit("no executor could be killed in the middle: give it more games")
    after = executors()
    gone = before[0] not in after
    new = len(set(after) - set(before))
    return found[0], f"executor {'killed' if gone else 'NOT killed'} after {done} of {of} tasks, {new} started anew"


# ------------------------------------------------------------------------------------------------------------- the work


def made(folder: Path, megabytes: int) -> Path:
    """Famous games and a broken one again and again, so many megabytes of them."""
    place, text = folder / "games.pgn", EXAMPLES.read_bytes() + b"\n" + BROKEN
    with place.open("wb") as file:
        while file.tell() < megabytes << 20:
            file.write(text)
    return place


def timed(work: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    return work(), time.perf_counter() - start


def compare(spark: Any, questions: list[Question], source: str, partition_bytes: str) -> bool:
    """Ask everything of both, and print it; whether all is equal."""
    equal = True
    there = functools.partial(answer, spark, partition_bytes=partition_bytes)
    for question in questions:
        ours, here = timed(lambda question=question: setwise.sql(question.here, source))
        expected = [tuple(row.values()) for row in ours.to_pylist()]
        theirs, time_there = timed(lambda question=question: there(question, source))
        equal &= theirs == expected
        print(
            f"{question.what:<38} sql {here:6.1f} s   spark {time_there:6.1f} s   {time_there / here:5.2f} times   "
            f"{len(theirs):>4} rows {'equal' if theirs == expected else 'NOT EQUAL'}",
            flush=True,
        )
        if question is questions[0]:
            killed, told = answer_while_killed(spark, question, source, partition_bytes=partition_bytes)
            equal &= killed == expected
            print(f"{'  the same':<38} {told}, {'equal' if killed == expected else 'NOT EQUAL'}", flush=True)
    return equal


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--megabytes", type=int, default=64, help="of games that are made")
    parser.add_argument("--partition-bytes", default=str(4 << 20), help="of text in a task")
    parser.add_argument("--questions", type=int, default=len(QUESTIONS), help="how many of them are asked")
    asked = parser.parse_args()
    questions = QUESTIONS[: asked.questions]
    try:
        program("java")
    except Missing as error:
        raise SystemExit(f"Spark needs Java: {error}") from None
    warnings.simplefilter("ignore")  # what PySpark has to say of pandas
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = os.environ.get("CLUSTER_PGN") or str(made(folder, asked.megabytes))
        with cluster(folder) as spark:
            small = str(EXAMPLES)
            for question in questions:  # workers start, code is compiled or loaded
                setwise.sql(question.here, small)
                answer(spark, question, small, partition_bytes="1024")
            print(f"{source}, {os.path.getsize(source) / 1e6:.0f} MB", flush=True)  # noqa: PTH202
            equal = compare(spark, questions, source, asked.partition_bytes)
    raise SystemExit(0 if equal else "the answers are not equal")


if __name__ == "__main__":
    main()
