"""The values of the address plan as they come in (JSON text) and as they go out (canonical text).

A struct names its fields' types with the kinds below; msgspec calls `decode_value` for them, and what that
raises becomes a validation error that names the field. The values themselves are plain (ipaddress objects,
str, bytes), so the database's codecs take them as they are. `encode_value` is the way back.
"""

import re
from abc import ABCMeta
from collections.abc import Iterable
from datetime import UTC, datetime
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import TYPE_CHECKING, Any
from uuid import UUID

from ipam_core.model.labels import CUSTOM_SCHEMA, TAGS_SCHEMA, parse_custom, parse_tags

if TYPE_CHECKING:
    Address = IPv4Address | IPv6Address
    Network = IPv4Network | IPv6Network
    Mac = str
    Octets = bytes
    Hostname = str
    TextOrOctets = bytes
    MacPrefix = bytes
    Instant = datetime
    Tags = tuple[str, ...]
    Aliases = tuple[str, ...]
    Custom = dict[str, Any]
else:

    def kind(name: str, *plain: type) -> type:
        """Return a class that msgspec tells from the others, and that the plain types pass isinstance of."""
        made = ABCMeta(name, (), {})
        for each in plain:
            made.register(each)
        return made

    Address = kind("Address", IPv4Address, IPv6Address)
    Network = kind("Network", IPv4Network, IPv6Network)
    Mac = kind("Mac", str)
    Hostname = kind("Hostname", str)
    Octets = kind("Octets", bytes)
    TextOrOctets = kind("TextOrOctets", bytes)
    MacPrefix = kind("MacPrefix", bytes)
    Instant = kind("Instant", datetime)
    Tags = kind("Tags", tuple)
    Aliases = kind("Aliases", tuple)
    Custom = kind("Custom", dict)

MAC_DIGITS = re.compile(r"[0-9a-f]{12}")
MAC_GROUPS = re.compile(r"[0-9a-f]{1,2}([:-])[0-9a-f]{1,2}(?:\1[0-9a-f]{1,2}){4}")
MAC_WORDS = re.compile(r"[0-9a-f]{4}([.:-])[0-9a-f]{4}\1[0-9a-f]{4}")
OCTETS = re.compile(r"(?:0x)?(?:[0-9a-f]{2}(?:[:-]?[0-9a-f]{2})*)")
MARKED_OCTETS = re.compile(r"0x(?:[0-9a-f]{2})+|[0-9a-f]{2}(?::[0-9a-f]{2})+")
LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
HOSTNAME = re.compile(rf"{LABEL}(?:\.{LABEL})*\.?")
INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)")

MAPPED = IPv6Network("::ffff:0:0/96")

MOST_ALIASES = 32
MAX_IDENTIFIER = 255  # RFC 2132 9.14 and RFC 8415 11.1 both stay below


def parse_address(text: str) -> Address:
    try:
        if "%" in text:  # a zone names an interface of one host; it means nothing in a plan
            raise ValueError(text)
        return ip_address(text)
    except ValueError:
        raise ValueError("must be an IPv4 or IPv6 address") from None


def parse_network(text: str) -> Network:
    address, slash, length = text.partition("/")
    if not slash or not re.fullmatch(r"[0-9]{1,3}", length) or "%" in address:
        raise ValueError("must be a network in CIDR notation, such as 192.0.2.0/24")
    try:
        found = ip_network((address, int(length)))
    except ValueError as error:
        if "host bits" in str(error):
            whole = ip_network((address, int(length)), strict=False)
            raise ValueError(f"has host bits set; the network is {whole}") from None
        raise ValueError("must be a network in CIDR notation, such as 192.0.2.0/24") from None
    if isinstance(found, IPv6Network) and found.subnet_of(MAPPED):
        own = ip_network((int(found.network_address) & 0xFFFFFFFF, found.prefixlen - MAPPED.prefixlen))
        raise ValueError(f"is IPv4 in the form of IPv6 (RFC 4291 section 2.5.5.2): write {own}")
    return found


def parse_mac(text: str) -> str:
    """Return any notation in use: aa:bb:.., AA-BB-.., aabb.ccdd.eeff, aabbccddeeff, unpadded a:b:c:d:e:f."""
    plain = text.strip().lower()
    if MAC_GROUPS.fullmatch(plain):
        digits = "".join(group.zfill(2) for group in re.split("[:-]", plain))
    elif MAC_WORDS.fullmatch(plain):
        digits = re.sub("[.:-]", "", plain)
    elif MAC_DIGITS.fullmatch(plain):
        digits = plain
    else:
        raise ValueError("must be a hardware address of six octets, such as aa:bb:cc:dd:ee:ff")
    return colons(bytes.fromhex(digits))


def parse_octets(text: str) -> bytes:
    plain = text.strip().lower()
    if len(plain) > 4 * MAX_IDENTIFIER or not OCTETS.fullmatch(plain):
        raise ValueError("must be octets in hex, such as 01:aa:bb:cc")
    octets = bytes.fromhex(re.sub("[:-]", "", plain.removeprefix("0x")))
    if len(octets) > MAX_IDENTIFIER:
        raise ValueError(f"must not be longer than {MAX_IDENTIFIER} octets")
    return octets


def parse_text_or_octets(text: str) -> bytes:
    """Return octets only where marked as such: "1001" is the text that a switch sent, not two octets."""
    if MARKED_OCTETS.fullmatch(text.lower()):
        return parse_octets(text)
    octets = text.encode()
    if not 1 <= len(octets) <= MAX_IDENTIFIER:
        raise ValueError(f"must be 1 to {MAX_IDENTIFIER} octets of text or hex (0x...)")
    return octets


def parse_mac_prefix(text: str) -> bytes:
    octets = parse_octets(text)
    if len(octets) > 6:
        raise ValueError("must be the first one to six octets of a hardware address, such as 52:54:00")
    return octets


def parse_hostname(text: str) -> str:
    if len(text) > 253 or not HOSTNAME.fullmatch(text):
        raise ValueError("must be a host name: labels of up to 63 letters, digits, hyphens, underscores")
    return text.removesuffix(".")


def parse_aliases(values: Any) -> tuple[str, ...]:
    """Return host names in lower case, each once, in the order given."""
    if not isinstance(values, Iterable) or isinstance(values, str | dict):
        raise ValueError("must be a list of host names")
    aliases = tuple(dict.fromkeys(map(parse_alias, values)))
    if len(aliases) > MOST_ALIASES:
        raise ValueError(f"must not contain more than {MOST_ALIASES} names")
    return aliases


def parse_alias(text: Any) -> str:
    if not isinstance(text, str):
        raise ValueError("must be a list of host names")
    try:
        return parse_hostname(text).lower()
    except ValueError as error:
        raise ValueError(f"{text[:64]!r} {error}") from None


def parse_instant(text: str) -> datetime:
    try:
        if not INSTANT.fullmatch(text):
            raise ValueError(text)
        # The database's own range ends before year 9999 does in some zones.
        return datetime.fromisoformat(text.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("must be a time in RFC 3339, such as 2026-01-31T12:00:00Z") from None


PARSERS: dict[Any, Any] = {
    Address: parse_address,
    Network: parse_network,
    Mac: parse_mac,
    Octets: parse_octets,
    Hostname: parse_hostname,
    TextOrOctets: parse_text_or_octets,
    MacPrefix: parse_mac_prefix,
    Instant: parse_instant,
}
# Of what is no text in JSON.
STRUCTURED: dict[Any, Any] = {Tags: parse_tags, Custom: parse_custom, Aliases: parse_aliases}

# Patterns for the API's document, which are case-sensitive. Surrounding blanks are accepted too, but not documented.
MAC_PATTERN = "^[0-9A-Fa-f]{1,4}([.:-]?[0-9A-Fa-f]{1,4}){2,5}$"
OCTETS_PATTERN = "^(0[xX])?[0-9A-Fa-f]{2}([:-]?[0-9A-Fa-f]{2})*$"

ALIASES_SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {"type": "string", "format": "host-name", "maxLength": 253, "pattern": f"^{HOSTNAME.pattern}$"},
    "maxItems": MOST_ALIASES,
    "examples": [["www", "mail.example.net"]],
}

PATTERNS: dict[Any, dict[str, Any]] = {
    Address: {
        "type": "string",
        "format": "ip-address",
        "pattern": "^[0-9A-Fa-f:.]{2,45}$",
        "examples": ["192.0.2.10", "2001:db8::10"],
    },
    Network: {
        "type": "string",
        "format": "cidr",
        "pattern": "^[0-9A-Fa-f:.]{2,45}/[0-9]{1,3}$",
        "examples": ["192.0.2.0/24", "2001:db8::/64"],
    },
    Mac: {
        "type": "string",
        "format": "mac-address",
        "pattern": MAC_PATTERN,
        "examples": ["aa:bb:cc:dd:ee:ff"],
    },
    Octets: {
        "type": "string",
        "format": "octets",
        "pattern": OCTETS_PATTERN,
        "examples": ["01:aa:bb:cc:dd:ee:ff"],
    },
    Hostname: {
        "type": "string",
        "format": "host-name",
        "maxLength": 253,
        "pattern": f"^{HOSTNAME.pattern}$",
        "examples": ["printer-1.example.net"],
    },
    TextOrOctets: {
        "type": "string",
        "format": "text-or-octets",
        "minLength": 1,
        "maxLength": 1020,
        "examples": ["eth0/1", "0x000400640002"],
    },
    MacPrefix: {
        "type": "string",
        "format": "mac-prefix",
        "pattern": OCTETS_PATTERN,
        "examples": ["52:54:00"],
    },
    Instant: {"type": "string", "format": "date-time"},
    Tags: TAGS_SCHEMA,
    Aliases: ALIASES_SCHEMA,
    Custom: CUSTOM_SCHEMA,
}


def decode_value(kind: Any, value: Any) -> Any:
    """Decode a value for msgspec's dec_hook: JSON becomes the value that the field's type names."""
    if kind in STRUCTURED:
        return STRUCTURED[kind](value)
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return PARSERS[kind](value)


def colons(octets: bytes) -> str:
    return octets.hex(":")


def text_or_octets(octets: bytes) -> str:
    """Return the way back of `parse_text_or_octets`: text where reading it again gives the same octets. None at all,
    which a relay may say, is empty text; it may say more than can be stored, too."""
    text = octets.decode("ascii", "replace")
    if text.isprintable() and text.encode() == octets and not MARKED_OCTETS.fullmatch(text.lower()):
        return text
    return "0x" + octets.hex()


def rfc3339(moment: datetime) -> str:
    """Return a moment in UTC with milliseconds; asyncpg's moments are aware and in UTC."""
    return moment.isoformat(timespec="milliseconds")[:23] + "Z"


def instant(moment: datetime) -> str | None:
    """Return a moment of the database; None for infinity, which asyncpg shows as the last one without a zone."""
    return None if moment == datetime.max else rfc3339(moment)


class Writers(dict[type, Any]):
    """Writers by type. A driver's own subclass (asyncpg has one of UUID) is found out once and remembered."""

    def __missing__(self, kind: type) -> Any:
        self[kind] = next((write for base, write in self.items() if write and issubclass(kind, base)), None)
        return self[kind]


WRITERS = Writers(
    {
        datetime: instant,
        UUID: str,
        IPv4Address: str,
        IPv6Address: str,
        IPv4Network: str,
        IPv6Network: str,
        bytes: colons,
        list: lambda items: [encode_value(item) for item in items],
    }
)


def encode_value(value: Any) -> Any:
    """Return a database value as JSON shows it; what JSON knows already passes."""
    writer = WRITERS[type(value)]
    return writer(value) if writer else value
