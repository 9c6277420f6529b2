"""DHCPv6 packets of any sender, for display: readable parts are shown, the others are called malformed.

`tell` returns a `Told`:

headline    "SOLICIT through relay 2001:db8::1, interface ge-0/0/1"
lines       one per header field, relay and option; options of identity associations are indented
"""

from collections.abc import Iterator

import msgspec

from dhcp_fast.packets.message6 import (
    ASSOCIATIONS,
    CLIENT_ID,
    IA_ADDRESS,
    IA_PREFIX,
    INTERFACE_ID,
    ORO,
    RELAY_MESSAGE,
    SERVER_ID,
    STATUS_CODE,
    Association,
    Envelope,
    Lease,
    Message,
    opened,
    read,
    read_association,
)
from ipam_core.dhcp import registry
from ipam_core.dhcp.describe import describe, duration
from ipam_core.dhcp.message_types import MESSAGE_TYPES6, STATUS_CODES6

_DUIDS = {1: "LLT", 2: "EN", 3: "LL", 4: "UUID"}
_RELAY_ID = 53


class Told(msgspec.Struct, frozen=True):
    headline: str
    lines: list[str]


def tell(data: bytes) -> Told | None:
    """Return None: not DHCPv6 at all, its header is cut."""
    found = read(data)
    if found is None:
        return None
    envelopes, message = opened(found)
    relays = [line for envelope in envelopes for line in relay_lines(envelope)]
    inner = [] if message is None else option_lines(message)
    return Told(f"{type_name(message)} {relay_part(envelopes)}", relays + inner)


def type_name(message: Message | None) -> str:
    return "malformed" if message is None else MESSAGE_TYPES6.get(message.kind, f"type {message.kind}")


def relay_part(envelopes: list[Envelope]) -> str:
    """Return where a client is: the relay next to it and its interface, for a headline."""
    if not envelopes:
        return "without relay"
    interface = envelopes[-1].value(INTERFACE_ID)
    behind = f", interface {printable(interface)}" if interface else ""
    return f"through relay {envelopes[-1].link}{behind}"


def relay_lines(envelope: Envelope) -> list[str]:
    name = MESSAGE_TYPES6[envelope.kind]
    first = f"{name}: hop {envelope.hops}, link {envelope.link}, peer {envelope.peer}"
    return [first, *(f"  {line}" for line in option_lines(envelope))]


def option_lines(of: Message | Envelope) -> list[str]:
    """Return the decoded options by name; envelopes are described separately."""
    lines = [line for code, data in of.options if code != RELAY_MESSAGE for line in lines_of(code, data)]
    return [*lines, "an option is cut, the rest is not read"] if of.cut else lines


def lines_of(code: int, data: bytes) -> Iterator[str]:
    if code in (CLIENT_ID, SERVER_ID, _RELAY_ID):
        yield f"{label(code)}: {duid(data)}"
    elif code == STATUS_CODE and len(data) >= 2:
        yield f"{label(code)}: {status(data)}"
    elif code == ORO and len(data) % 2 == 0:
        yield f"{label(code)}: {', '.join(map(label, asked(data)))}"
    elif code == INTERFACE_ID:
        yield f"{label(code)}: {printable(data)}"
    elif code in ASSOCIATIONS and (association := read_association(code, data)) is not None:
        yield from association_lines(association)
    else:
        yield describe(6, code, data)


def association_lines(association: Association) -> Iterator[str]:
    yield f"{label(association.kind)}: id {association.iaid}, T1 {association.t1}, T2 {association.t2}"
    for lease in association.leases:
        yield f"  {lease_text(lease)}"
    rest = [(code, data) for code, data in association.options if code not in (IA_ADDRESS, IA_PREFIX)]
    for code, data in rest:
        yield from (f"  {line}" for line in lines_of(code, data))


def lease_text(lease: Lease) -> str:
    what = str(lease.address) if lease.length == 128 else f"{lease.address}/{lease.length}"
    less = f" without {lease.excluded}" if lease.excluded else ""
    return f"{what}{less}, preferred {duration(lease.preferred)}, valid {duration(lease.valid)}"


def label(code: int) -> str:
    row = registry.lookup(6, code)
    return f"{row.name} ({code})" if row else f"option {code}"


def asked(data: bytes) -> list[int]:
    return [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]


def status(data: bytes) -> str:
    code = int.from_bytes(data[:2], "big")
    name = STATUS_CODES6.get(code, str(code))
    return f"{name}: {printable(data[2:])}" if data[2:] else name


def duid(data: bytes) -> str:
    """Return its kind and octets (RFC 8415 section 11), `LLT 00:01:...`; malformed below three octets and above 130."""
    octets = data.hex(":")
    if not 3 <= len(data) <= 130:
        return f"{octets} (malformed)"
    kind = _DUIDS.get(int.from_bytes(data[:2], "big"))
    return f"{kind} {octets}" if kind else octets


def printable(octets: bytes) -> str:
    text = octets.decode("utf-8", "backslashreplace")
    return text if text.isprintable() and "\\" not in text else f"0x{octets.hex()}"
