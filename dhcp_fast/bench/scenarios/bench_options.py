"""Options of `ipam bench`."""

from pathlib import Path
from typing import Any

import msgspec

ALL = "all"
BRIEF_SECONDS = 3.0


class BenchOptions(msgspec.Struct, frozen=True):
    """Options of a benchmark; None and empty mean each scenario's own choice.

    A step lasts `seconds`, or `exchanges`. With `rates` the loop is open: so many a second are begun. `half` adds
    to dora a step at half the rate that it measured. `leases` are held at the beginning, `clients` come back in
    an avalanche, with `reboot` in INIT-REBOOT; `subnets` and `reservations` are those of scale. `pools` (prefix
    lengths), `fills` (percent), `fresh` (nobody ever had what is free) and `excluded` (full of excludes) are those of
    fill. With `realtime` our server and the generator beside it are scheduled so. With `plain` the generator sends and
    takes each packet by itself, and PostgreSQL has no log segments to write over, as on its first day.
    The scenario "all" is every one with short settings.
    """

    scenarios: tuple[str, ...] = ("dora",)
    peer: str | None = None
    stub: bool = False
    workers: int = 1
    realtime: bool = False
    plain: bool = False
    exchanges: int = 0
    seconds: float | None = None
    windows: tuple[int, ...] = ()
    rates: tuple[int, ...] = ()
    half: bool = True
    leases: int | None = None
    subnets: int | None = None
    reservations: int | None = None
    clients: int = 100_000
    reboot: bool = False
    pools: tuple[int, ...] = ()
    fills: tuple[float, ...] = (50, 90, 99, 99.9, 99.99)
    fresh: bool = False
    excluded: bool = False
    report: Path | None = None
    plots: Path | None = None

    @property
    def brief(self) -> bool:
        return ALL in self.scenarios

    def amount(self, seconds: float) -> dict[str, Any]:
        """Return the length of a step, as `Storm.run` takes it; `seconds` without an option."""
        if self.exchanges:
            return {"exchanges": self.exchanges}
        return {"seconds": self.seconds or (BRIEF_SECONDS if self.brief else seconds)}
