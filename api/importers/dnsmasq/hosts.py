"""dhcp-host: its fields come in any order, and are told by how they look."""

import re
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address

from api.importers.conditions import CannotSay
from api.importers.dnsmasq.syntax import Statement, seconds
from api.importers.dnsmasq.tags import card_prefix
from api.importers.plan import Fields

CARD = re.compile(r"(?:[0-9A-Fa-f]{1,2}-)?((?:[0-9A-Fa-f]{1,2}|\*)(?::(?:[0-9A-Fa-f]{1,2}|\*)){5})")
OCTETS = re.compile(r"[0-9A-Fa-f]{1,2}(?::[0-9A-Fa-f]{1,2})+")
ANY = "*"


@dataclass(slots=True)
class Host:
    """`tags`: those that it sets; `asked`: those that it is for alone. `six`: whole addresses, or parts of the host."""

    source: Statement
    cards: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    four: list[str] = field(default_factory=list)
    six: list[str] = field(default_factory=list)
    name: str = ""
    lease: str = ""
    ignored: bool = False

    def take(self, word: str) -> None:
        kind, _, rest = word.partition(":")
        card = CARD.fullmatch(word)
        if kind in ("set", "net"):
            self.tags.append(rest)
        elif kind == "tag":
            self.asked.append(rest)
        elif kind == "id":
            self.ids.append(rest)
        elif card:
            self.cards.append(card[1])
        elif word == "ignore":
            self.ignored = True
        else:
            self.take_plain(word)

    def take_plain(self, word: str) -> None:
        """Take an address, a time, or the name."""
        if word.startswith("["):
            self.six.append(word.strip("[]"))
        elif re.fullmatch(r"[0-9.]+", word) and "." in word:
            self.four.append(word)
        elif seconds(word) is not None and (self.name or word == "infinite" or not self.lease):
            self.lease = word
        else:
            self.name = word


def host_of(statement: Statement) -> Host:
    host = Host(statement)
    for word in filter(None, statement.words):
        host.take(word)
    return host


def identity(host: Host, version: int | None) -> Fields:
    """Return the identity of a reservation; a client id is a DUID in DHCPv6. Raises CannotSay."""
    found: Fields = {}
    if host.cards:
        if ANY in host.cards[0]:
            raise CannotSay("a reservation is for one hardware address")
        found["mac"] = host.cards[0]
    ids = [each for each in host.ids if each != ANY]
    if ids:
        text = padded(ids[0]) if OCTETS.fullmatch(ids[0]) else ids[0].encode().hex(":")
        found["duid" if version == 6 else "client_id"] = text
    if not found:
        raise CannotSay("its client is known by its name alone")
    return found


def denied(host: Host) -> Fields:
    """Return the criteria of a class for one that is ignored. Raises CannotSay."""
    if len(host.cards) == 1 and not host.ids:
        return {"mac_prefix": card_prefix(host.cards[0])}
    if len(host.ids) == 1 and not host.cards and OCTETS.fullmatch(host.ids[0]):
        return {"match": {"field": "client_id", "equals": padded(host.ids[0])}}
    raise CannotSay("name its one hardware address or client id")


def padded(text: str) -> str:
    return ":".join(each.rjust(2, "0") for each in text.split(":"))


def whole(six: str, network: str) -> str:
    """Return the whole address; [::9] is the host's part of it, whatever the network."""
    try:
        address = IPv6Address(six)
    except ValueError:
        return six
    around = ip_address(network.partition("/")[0])
    return str(IPv6Address(int(around) | int(address))) if int(address) >> 64 == 0 else six
