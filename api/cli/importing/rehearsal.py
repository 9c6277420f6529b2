"""Output of `ipam replay --json`, read as data."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from ipam_core.errors import IpamError

OUTCOMES = {
    "same": "get the same",
    "differs": "get something else",
    "we_are_silent": "would get nothing",
    "they_were_silent": "got nothing in the capture and would get something here",
    "both_silent": "get nothing from either server",
}
SUFFERING = ("differs", "we_are_silent")


@dataclass(eq=False)
class RehearsalError(IpamError):
    """{file}: {reason}"""

    file: str
    reason: str


class Difference(msgspec.Struct, frozen=True):
    """null: that side gives none."""

    field: str
    theirs: str | None
    ours: str | None


class Client(msgspec.Struct, frozen=True, omit_defaults=True):
    """Client of a rehearsal. Of DHCPv4 it has a hardware address, a client id and a relay; of DHCPv6 a DUID and a
    link."""

    outcome: str
    mac: str | None = None
    client_id: str | None = None
    relay: str | None = None
    duid: str | None = None
    link: str | None = None
    differences: list[Difference] = []
    meaning: str | None = None
    note: str | None = None

    @property
    def name(self) -> str:
        who = self.duid or self.mac or self.client_id or "a client without identity"
        where = self.relay or self.link
        return f"{who} through {where}" if where else who


class Rehearsal(msgspec.Struct, frozen=True):
    packets: dict[str, int]
    summary: dict[str, int]
    clients: list[Client]

    def relays(self) -> list[str]:
        return sorted({each.relay for each in self.clients if each.relay})

    def suffering(self) -> int:
        return sum(self.summary.get(outcome, 0) for outcome in SUFFERING)


def read(path: Path) -> Rehearsal:
    """Raise RehearsalError."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Rehearsal)
    except OSError as error:
        raise RehearsalError(str(path), f"cannot be read: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RehearsalError(str(path), f"is not output of ipam replay --json: {error}") from None
