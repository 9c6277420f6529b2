"""Faults of a site file, and their places."""

from dataclasses import dataclass
from typing import NamedTuple

from ipam_core.errors import IpamError

MOST_FAULTS = 100


class Fault(NamedTuple):
    """Fault of an object, `what`; `field` may be empty."""

    line: int
    what: str
    field: str
    reason: str

    def __str__(self) -> str:
        return ": ".join(each for each in (self.what, self.field, self.reason) if each)


@dataclass(eq=False)
class SiteError(IpamError):
    """All that is wrong, a line each: file, line, object, field, reason."""

    file: str
    faults: list[Fault]

    def __str__(self) -> str:
        return "\nipam: ".join(f"{self.file}:{fault.line}: {fault}" for fault in self.faults)


class Faults(list[Fault]):
    """Gathered, so that one run names them all, up to a limit: of a file that is wrong everywhere a hundred suffice."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self.file = file

    def add(self, line: int, what: str, field: str, reason: str) -> None:
        """Raise SiteError at the limit."""
        self.append(Fault(line, what, field, reason))
        if len(self) == MOST_FAULTS:
            self.append(
                Fault(line, "", "", f"stopped after {MOST_FAULTS} errors; the rest of the file was not read")
            )
            self.refuse()

    def refuse(self) -> None:
        if self:
            raise SiteError(self.file, sorted(self))
