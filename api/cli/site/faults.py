"""What is wrong with a site file, and where."""

from dataclasses import dataclass
from typing import NamedTuple

from ipam_core.errors import IpamError


class Fault(NamedTuple):
    """`what`: the object that it is about; `field` may be empty."""

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
    """Gathered, so that one run names them all."""

    def add(self, line: int, what: str, field: str, reason: str) -> None:
        self.append(Fault(line, what, field, reason))

    def refuse(self, file: str) -> None:
        if self:
            raise SiteError(file, sorted(self))
