"""Contents of a DHCP server of Windows, from its XML or its commands.

Each knows its `source`, which is told where a warning speaks of it. Names are those of Windows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from api.importers.lines import Source

ALWAYS = ("", "dhcp standard options")
"""How a vendor class is called that is none."""
BOOTP = "default bootp class"
"""The user class of those that are asked for by BOOTP."""


@dataclass(slots=True)
class Class:
    """`data`: the octets that clients send, in hexadecimal. `vendor`: a vendor class, else a user class."""

    source: Source
    name: str
    data: str
    vendor: bool


@dataclass(slots=True)
class Definition:
    """`vendor`: the name of the class whose suboption it is; empty: none."""

    source: Source
    code: int
    name: str
    kind: str
    array: bool
    vendor: str


@dataclass(slots=True)
class Value:
    """An option with its values as they are written."""

    source: Source
    code: int
    values: list[str]
    vendor: str = ""
    user: str = ""


@dataclass(slots=True)
class Span:
    """Addresses from one to another, both included."""

    source: Source
    start: str
    end: str


@dataclass(slots=True)
class Reservation:
    """`client`: the client id, of DHCPv6 the DUID."""

    source: Source
    ip: str
    client: str
    name: str = ""
    description: str = ""
    type: str = ""
    iaid: str = ""
    options: list[Value] = field(default_factory=list)


@dataclass(slots=True)
class Policy:
    """`criteria`: by what is compared, operators and operands as they follow one another."""

    source: Source
    name: str
    order: int
    enabled: bool
    every: bool
    criteria: Mapping[str, list[str]]
    ranges: list[Span] = field(default_factory=list)
    options: list[Value] = field(default_factory=list)


@dataclass(slots=True)
class Filter:
    source: Source
    allow: bool
    mac: str
    description: str


@dataclass(slots=True)
class Scope:
    """Scope of a server. Of DHCPv6 all addresses are given but the excluded ones, so it has no ranges. Times are in
    seconds."""

    source: Source
    cidr: str
    name: str = ""
    description: str = ""
    enabled: bool = True
    times: Mapping[str, int] = field(default_factory=dict)
    superscope: str = ""
    policies_active: bool = True
    ranges: list[Span] = field(default_factory=list)
    excluded: list[Span] = field(default_factory=list)
    options: list[Value] = field(default_factory=list)
    reservations: list[Reservation] = field(default_factory=list)
    policies: list[Policy] = field(default_factory=list)


@dataclass(slots=True)
class Server:
    """Server of one family. `lists`: which of the lists of filters are enforced, allow or deny."""

    family: int
    ping_check: bool = False
    policies_active: bool = True
    lists: Mapping[str, bool] = field(default_factory=dict)
    classes: list[Class] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    options: list[Value] = field(default_factory=list)
    policies: list[Policy] = field(default_factory=list)
    filters: list[Filter] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
