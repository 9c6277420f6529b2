"""The DHCPv6 table of docs/reference/reply-address.md as cases: every row with each combination of the values that it
covers.

`Case.packet` makes the message of a client; where it is sent from and to is the test's part.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv6Address
from itertools import product

from oracle import packets6 as say
from oracle.message6 import ADDR_REG_REPLY, ADVERTISE, REPLY
from oracle.packets6 import Packet
from oracle.reply_table import table_at

HEADING = "| Messages | Link |"
LEASEQUERY, LEASEQUERY_REPLY = 14, 15
QUERY_OPTION, BY_CLIENT_ID, CLIENT_ID = 44, 2, 1
SOURCES = ("link-local", "global")
PORTS = {"served": (546, 547, 5547), "relayed": (547, 5547)}
TARGETS = {"group": ("ff02::1:2", "ff05::1:3"), "own": ("link-local", "first", "second", "loopback")}
"""The server's addresses: of the interface the link-local and two global ones, and one of its loopback interface."""
TYPES = {
    "ADVERTISE": ADVERTISE,
    "REPLY": REPLY,
    "ADDR-REG-REPLY": ADDR_REG_REPLY,
    "LEASEQUERY-REPLY": LEASEQUERY_REPLY,
}


@dataclass(frozen=True)
class Case:
    message: str
    link: str
    source: str
    port: int
    asks_for_port: bool
    target: str
    reply: str
    goes_to: str
    reply_from: str

    def packet(self, duid: bytes, server: bytes, address: IPv6Address) -> Packet:
        """The message of the client with `duid`; `address` is on its link."""
        match self.message:
            case "SOLICIT":
                return say.solicit(duid).ia_na(1)
            case "SOLICIT with rapid commit":
                return say.solicit(duid).ia_na(1).rapid_commit()
            case "REQUEST":
                return say.request(duid, server).ia_na(1)
            case "CONFIRM":
                return say.confirm(duid).ia_na(1, address)
            case "RENEW":
                return say.renew(duid, server).ia_na(1)
            case "REBIND":
                return say.rebind(duid).ia_na(1)
            case "RELEASE":
                return say.release(duid, server).ia_na(1, address)
            case "DECLINE":
                return say.decline(duid, server).ia_na(1, address)
            case "INFORMATION-REQUEST":
                return say.information_request(duid)
            case "ADDR-REG-INFORM":
                return say.register(duid, address)
            case "LEASEQUERY":
                asked = struct.pack("!B16xHH", BY_CLIENT_ID, CLIENT_ID, len(duid)) + duid
                return say.of(LEASEQUERY, duid).option(QUERY_OPTION, asked)
        raise AssertionError(self.message)

    @property
    def replied_port(self) -> int:
        return self.port if self.goes_to == "its own" else int(self.goes_to)

    def __str__(self) -> str:
        return ", ".join(map(str, vars(self).values()))


def cases() -> Iterator[Case]:
    for messages, link, source, port, target, *told in table_at(HEADING):
        varied = (
            messages.split(", "),
            SOURCES if source == "any" else (source,),
            PORTS[link],
            [each for kind, some in TARGETS.items() if target in (kind, "any") for each in some],
        )
        for message, from_kind, from_port, to in product(*varied):
            yield Case(message, link, from_kind, from_port, port == "asked", to, *told)
