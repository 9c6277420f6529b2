"""Definition of what a scenario is: a name, what it is about, and how it drives one server.

A scenario starts the contestant with the plan and the leases that it needs, as often as it needs, drives it
through steps, and has every acknowledgement audited while the data is still there.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol, TypeAlias

from rich.console import Console

from dhcp_fast.bench.report.figures import Figures
from dhcp_fast.bench.scenarios.bench_options import BenchOptions
from dhcp_fast.bench.servers.servers import Server, Setup

Start: TypeAlias = Callable[[Setup], AbstractContextManager[Server]]


class Contestant(NamedTuple):
    """A server that can be started with any setup; `is_peer`: somebody else's."""

    name: str
    start: Start
    is_peer: bool = False


class Scenario(Protocol):
    """`summary` is shown by --help; `admits_peers` False where only our own server is looked into."""

    @property
    def name(self) -> str: ...

    @property
    def summary(self) -> str: ...

    @property
    def admits_peers(self) -> bool: ...

    def measure(self, contestant: Contestant, options: BenchOptions, console: Console) -> Figures:
        """Drive the contestant; its figures with the audit's verdict."""
        ...
