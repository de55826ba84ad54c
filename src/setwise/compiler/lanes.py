"""Eight words at once, in one 512-bit register where the processor has one (LLVM splits it where not).

An ``Octet`` exists in compiled code only. Its users decide what its lanes mean: the eight directions of the compass, or
the eight sets of a board. Octets know ``&``, ``|`` and ``^``.
"""

from __future__ import annotations

import operator
from typing import Any, SupportsIndex

from setwise.compiler.operations import Operation
from setwise.compiler.signatures import Special

__all__ = [
    "LANES", "broadcast", "intersect", "lane", "lanes_hit", "masked", "mirrored_lanes", "mixed", "octet", "outermost",
    "packed", "permuted", "rotated", "row_of", "total", "union", "unpacked",
]  # fmt: skip

#: How many words the widest registers hold.
LANES = 8

#: The type of an octet.
octet = Special("lanes.octet")

#: The same word in all lanes; one word in the even lanes and another in the odd ones.
broadcast: Any = Operation("lanes.broadcast")
mixed: Any = Operation("lanes.mixed")
#: Eight words as the lanes of an octet; its lanes as a tuple of eight words; one lane, whose number may vary.
packed: Any = Operation("lanes.packed")
unpacked: Any = Operation("lanes.unpacked")
lane: Any = Operation("lanes.lane")
#: A row of a table of eight words a row, as an octet.
row_of: Any = Operation("lanes.row_of")
#: All lanes in one word; how many bits the lanes have together.
union: Any = Operation("lanes.union")
total: Any = Operation("lanes.total")
#: The lanes of one octet in which another is not empty; whether two octets have a bit in common in any lane.
lanes_hit: Any = Operation("lanes.lanes_hit")
intersect: Any = Operation("lanes.intersect")
#: Every lane with its bytes reversed.
mirrored_lanes: Any = Operation("lanes.mirrored_lanes")


def permuted(*lanes: SupportsIndex) -> Any:
    """An operation that permutes the lanes of an octet: its k-th lane is the one with the k-th of these numbers."""
    return Operation("lanes.permuted", *map(operator.index, lanes))


def rotated(*distances: int) -> Any:
    """An operation that rotates the bits of each lane upwards by its own distance, downwards by a negative one."""
    return Operation("lanes.rotated", *distances)


def masked(*masks: Any) -> Any:
    """An operation that intersects each lane with its own mask."""
    return Operation("lanes.masked", *masks)


def outermost(*upwards: bool) -> Any:
    """An operation that keeps one bit of each lane: the lowest where ``upwards`` is true for it, else the highest."""
    return Operation("lanes.outermost", *upwards)
