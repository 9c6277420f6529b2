"""The leases in the XML of `Export-DhcpServer -Leases`, element by element; names go by their local part, because the
file changes its namespace on the way.
"""

from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from xml.parsers import expat

from api.importers.faults import SourceError
from api.importers.leases.lease import (
    MAC_OCTETS,
    Client,
    Found,
    Lease,
    State,
    Unread,
    client4,
    client6,
    instant,
    octets,
)

CHUNK = 1 << 16
LONGEST_VALUE = 4096
STATES: dict[str, State] = {
    "active": "active",
    "activereservation": "reserved",
    "inactivereservation": "reserved",
    "declined": "declined",
    "expired": "expired",
    "doomed": "expired",
}
BAD_ADDRESS = "BAD_ADDRESS"
"""The name that Windows gives to an address that somebody else was found to use."""


def read(path: Path) -> Iterator[Found]:
    """Raise SourceError for what is no XML."""
    gathering = Gathering()
    with path.open("rb") as file:
        while True:
            chunk = file.read(CHUNK)
            gathering.feed(chunk, is_final=not chunk)
            yield from gathering.taken()
            if not chunk:
                return


class Gathering:
    """The members of the element Lease that is open, and the leases that are complete."""

    def __init__(self) -> None:
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.members: dict[str, str] | None = None
        self.line = 1
        self.value = ""
        self.found: list[Found] = []

    def feed(self, chunk: bytes, is_final: bool) -> None:
        try:
            self.parser.Parse(chunk, is_final)
        except expat.ExpatError as error:
            raise SourceError(error.lineno, f"is no XML: {expat.errors.messages[error.code]}") from None

    def taken(self) -> list[Found]:
        found, self.found = self.found, []
        return found

    def refuse(self, *_: object) -> None:
        """Refuse entities, which could make a small file a large one."""
        raise SourceError(self.parser.CurrentLineNumber, "declares a document type, which no export does")

    def start(self, name: str, _: object) -> None:
        self.value = ""
        if local(name) == "lease":
            self.members, self.line = {}, self.parser.CurrentLineNumber

    def text(self, data: str) -> None:
        if self.members is not None and len(self.value) < LONGEST_VALUE:
            self.value += data

    def end(self, name: str) -> None:
        if self.members is None:
            return
        if local(name) != "lease":
            self.members[local(name)] = self.value.strip()
            return
        try:
            self.found.append(lease(self.line, self.members))
        except (ValueError, KeyError):
            self.found.append(Unread(self.line))
        self.members = None


def local(name: str) -> str:
    return name.rpartition(":")[2].lower()


def lease(line: int, members: dict[str, str]) -> Lease:
    """Return a lease; of DHCPv6 the export has neither state nor prefix. Raises ValueError and KeyError."""
    given = ip_address(members["ipaddress"])
    ends = members.get("leaseexpirytime", "")
    is_bad = members.get("hostname") == BAD_ADDRESS
    return Lease(
        line,
        given,
        client6(octets(members["clientduid"])) if given.version == 6 else client_of(members["clientid"]),
        instant(ends) if ends else None,
        "declined" if is_bad else STATES[members.get("addressstate", "active").lower()],
        members.get("hostname", ""),
    )


def client_of(client_id: str) -> Client | None:
    """Return the client; Windows shows a hardware address of six octets as it is, and all else is the client's own
    identifier."""
    told = octets(client_id)
    return client4(told, b"") if len(told) == MAC_OCTETS else client4(b"", told)
