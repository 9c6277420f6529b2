"""A DHCPv4 pool as the plan's reader gives it to compile.pyx."""

from collections.abc import Sequence
from typing import Any, NamedTuple


class PoolRow(NamedTuple):
    """A pool of a subnet. A new field has a default, which tests that make rows rely on."""

    no: int
    """Number of the pool in the database."""
    start: int
    """First address as a number; `end` is the last, inclusive."""
    end: int
    class_index: int = -1
    """Index of the class that the pool serves; -1: all clients."""
    sequential: bool = False
    """Choice of the lowest free address, instead of a hashed one."""
    options: Sequence[Any] = ()
    """Options of the pool in wire format: code, payload, whether it is forced, vendor number."""
