"""Options that a user adds to a probe's client, from the words of a command line.

`--option 93=7` and `--option domain-search=lab.example,example` use the table of options. A value
has the format of its kind, several are separated by commas; octets are 0x01ab, and other kinds take
the API's payload in JSON.
"""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from dhcp_fast.packets import message4, message6
from ipam_core.dhcp import kinds, registry
from ipam_core.dhcp.kinds.definition import OptionDef, unknown
from ipam_core.errors import ValidationError

INTEL = 343
"""The enterprise number of UEFI firmware's vendor class in DHCPv6."""

LONGEST4 = 255

Option = tuple[int, bytes]

# Options that the probe writes itself; empty: no switch changes it
OWN4 = {
    0: "", 50: "", 52: "", 53: "", 54: "", 255: "",
    55: "--request", 60: "--vendor-class", 61: "--client-id", 12: "--hostname", 77: "--user-class",
    82: "--circuit-id and --remote-id",
}  # fmt: skip
OWN6 = {
    1: "--client-id", 2: "", 3: "", 4: "", 6: "--request", 8: "", 9: "", 13: "", 15: "--user-class",
    16: "--vendor-class", 18: "--circuit-id", 25: "--pd", 37: "--remote-id", 39: "--hostname", 135: "",
}  # fmt: skip


class Words(msgspec.Struct, frozen=True):
    """A client's own words and its relay's. `request`: the codes that it asks for, instead of the usual ones."""

    vendor_class: bytes | None = None
    user_class: bytes | None = None
    client_id: bytes | None = None
    hostname: str | None = None
    circuit_id: bytes | None = None
    remote_id: bytes | None = None
    request: tuple[int, ...] = ()
    options: tuple[Option, ...] = ()
    enterprise: int = INTEL


def options4(words: Words) -> list[Option]:
    """Return the options. The user class in option 77 has no length of its own, as in iPXE."""
    said = (
        (message4.HOST_NAME, words.hostname and words.hostname.encode()),
        (message4.VENDOR_CLASS, words.vendor_class),
        (message4.CLIENT_ID, words.client_id),
        (message4.USER_CLASS, words.user_class),
    )
    return [*((code, data) for code, data in said if data), *words.options]


def options6(words: Words) -> list[Option]:
    said = []
    if words.user_class:
        said.append(message6.user_class(words.user_class))
    if words.vendor_class:
        said.append(message6.vendor_class(words.enterprise, words.vendor_class))
    if words.hostname:
        said.append((message6.CLIENT_FQDN, b"\0" + domain_name(words.hostname)))
    return [*said, *words.options]


def domain_name(text: str) -> bytes:
    """Return the name in the format of DNS; without a dot it is a part of a name, and no root ends it (RFC 4704 section
    4.2)."""
    whole = kinds.encode(OptionDef(6, message6.CLIENT_FQDN, "client-fqdn", "name"), {"names": [text]})
    return whole if "." in text else whole.removesuffix(b"\0")


def relay4(words: Words) -> list[Option]:
    """Return the suboptions that the relay adds; without words its circuit is called "probe"."""
    remote = [] if words.remote_id is None else [(2, words.remote_id)]
    return [(1, words.circuit_id or b"probe"), *remote]


def relay6(words: Words) -> list[Option]:
    remote = [] if words.remote_id is None else [message6.remote_id(words.enterprise, words.remote_id)]
    return [(message6.INTERFACE_ID, words.circuit_id or b"probe"), *remote]


def read_options(family: int, texts: Iterable[str]) -> tuple[Option, ...]:
    """Return the options of each `CODE=VALUE`. Raises ValidationError that names what is wrong and what fits."""
    return tuple(read_option(family, text) for text in texts)


def read_option(family: int, text: str) -> Option:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValidationError(text, "expected CODE=VALUE, such as 93=7 or 60=PXEClient")
    row = named(family, name.strip())
    own = OWN6 if family == 6 else OWN4
    if row.code in own:
        instead = f": use {own[row.code]}" if own[row.code] else ""
        raise ValidationError(text, f"{row.label} is set by the probe itself{instead}")
    try:
        data = data_of(row, value)
    except ValidationError as error:
        raise ValidationError(text, error.reason) from None
    if family == 4 and len(data) > LONGEST4:
        raise ValidationError(text, f"{row.label} has {len(data)} octets; at most {LONGEST4} fit")
    return row.code, data


def read_codes(family: int, text: str) -> tuple[int, ...]:
    """Read numbers and names after commas."""
    return tuple(named(family, part.strip()).code for part in text.split(","))


def named(family: int, name: str) -> OptionDef:
    """Return the definition of a code or name; a number that has none is octets."""
    if not name.isdecimal():
        if row := registry.by_name(family, name):
            return row
        raise ValidationError(name, f"is neither a number nor the name of a DHCPv{family} option")
    code = int(name)
    if not 1 <= code <= registry.MAX_CODE[family]:
        raise ValidationError(name, f"an option's code is 1 to {registry.MAX_CODE[family]}")
    return registry.lookup(family, code) or unknown(family, code)


def data_of(row: OptionDef, value: str) -> bytes:
    """Return the octets, which are sent as they are, also such as do not fit the option."""
    if value[:2].lower() == "0x":
        return octets_of(value)
    if value.startswith("{"):
        try:
            return kinds.encode(row, msgspec.json.decode(value))
        except msgspec.DecodeError as error:
            raise ValidationError(str(row.code), f"is not JSON: {error}") from None
    if row.kind in WRITTEN:
        return kinds.encode(row, WRITTEN[row.kind](row, value))
    return value.encode()


def octets_of(value: str) -> bytes:
    try:
        return bytes.fromhex(value[2:].replace(":", ""))
    except ValueError:
        raise ValidationError(value, "expected octets in hexadecimal, as 0x01ab") from None


def listed(key: str) -> Callable[[OptionDef, str], dict[str, Any]]:
    return lambda _row, value: {key: [part.strip() for part in value.split(",")]}


def numbers(row: OptionDef, value: str) -> dict[str, Any]:
    """Return the numbers; other text stays as it is, and the kind refuses it."""
    read = [int(part) if part.strip().lstrip("-").isdecimal() else part for part in value.split(",")]
    return {"values": read} if row.array or len(read) > 1 else {"value": read[0]}


def flag(_row: OptionDef, value: str) -> dict[str, Any]:
    return {"flag": {"true": True, "1": True, "false": False, "0": False}.get(value.lower(), value)}


WRITTEN: dict[str, Callable[[OptionDef, str], dict[str, Any]]] = {
    "address": listed("addresses"),
    "name": listed("names"),
    "strings": listed("strings"),
    "string": lambda _row, value: {"string": value},
    "ascii": lambda _row, value: {"string": value},
    "empty": lambda _row, _value: {"flag": True},
    "flag": flag,
    **dict.fromkeys(("uint8", "int8", "uint16", "int16", "uint32", "int32"), numbers),
}
