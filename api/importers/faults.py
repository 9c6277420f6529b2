"""A source that cannot be read at all. What can be read but not taken over is a warning of the plan."""

from dataclasses import dataclass

from ipam_core.errors import IpamError


@dataclass(eq=False)
class SourceError(IpamError):
    """{file}:{line}: {reason}"""

    line: int
    reason: str
    file: str = ""
