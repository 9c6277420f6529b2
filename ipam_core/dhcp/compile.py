"""Compilation of stored options into the data that the DHCP engine copies into replies.

The engine never sees a payload. For each scope (reservation, class, pool, subnet, global), its snapshot holds the
options as wire data in the order in which they are sent. The engine merges scopes and selects the options that the
client requested. Options that are fields of the subnet are compiled here too and count as the subnet's own: an option
stored on the subnet replaces its field, one stored globally does not.

51, 54, 58, 59 depend on the lease and 66, 67 on the class: the engine sets them itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from ipaddress import IPv4Network
from typing import Any, NamedTuple

from ipam_core.dhcp import kinds, registry
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.errors import ValidationError

SUBNET_MASK, ROUTERS, NTP_SERVERS = 1, 3, 42
_NTP_SERVER6, _NTP_SERVER6_ADDRESS = 56, 1
WITHHELD = object()
"""In place of the payload of an option that its scope withholds."""


class CompiledOption(NamedTuple):
    """One option of a scope; a payload that becomes several is one each, side by side. `vendor_class`: only for clients
    whose option 60 begins with it. `data`: None where the scope withholds it."""

    code: int
    data: bytes | None
    always_send: bool = False
    vendor_class: str | None = None


class Compiled(NamedTuple):
    """A scope's options in sending order, and what could not be compiled: one line for the log each."""

    options: tuple[CompiledOption, ...]
    problems: tuple[str, ...]


def compile_scope(
    family: int,
    rows: Iterable[tuple[int, str | None, Any, bool]],
    definitions: Collection[OptionDef] = (),
) -> Compiled:
    """Return the options of one scope from rows of (code, vendor_class, payload or WITHHELD, always_send).

    A row that cannot be compiled (written by another version, or its custom definition has changed since) is
    left out and reported; the others are served.
    """
    options, problems = [], []
    for code, vendor_class, payload, always_send in rows:
        try:
            data = (None,) if payload is WITHHELD else _data(family, code, vendor_class, payload, definitions)
        except ValidationError as error:
            problems.append(str(error))
        else:
            unasked = _is_unasked(family, code, always_send)
            options += [CompiledOption(code, each, unasked, vendor_class) for each in data]
    return Compiled(_ordered(options), tuple(problems))


def compile_subnet(
    subnet: Mapping[str, Any],
    rows: Iterable[tuple[int, str | None, Any, bool]],
    definitions: Collection[OptionDef] = (),
) -> Compiled:
    """Return a subnet's options: those stored on it, and its fields unless an option for everybody replaces them."""
    stored = compile_scope(subnet["cidr"].version, rows, definitions)
    replaced = {option.code for option in stored.options if option.vendor_class is None}
    fields = [option for option in subnet_options(subnet) if option.code not in replaced]
    return Compiled(_ordered([*stored.options, *fields]), stored.problems)


def subnet_options(subnet: Mapping[str, Any]) -> tuple[CompiledOption, ...]:
    """Return what the fields cidr, gateway and ntp_servers of a subnet say: options 1, 3 and 42, or 56 of DHCPv6."""
    cidr = subnet["cidr"]
    if isinstance(cidr, IPv4Network):
        return _fields4(cidr, subnet)
    servers = [
        {"code": _NTP_SERVER6_ADDRESS, "addresses": [str(server)]} for server in subnet["ntp_servers"] or ()
    ]
    return _built_in(6, _NTP_SERVER6, {"suboptions": servers}) if servers else ()


def _fields4(cidr: IPv4Network, subnet: Mapping[str, Any]) -> tuple[CompiledOption, ...]:
    addresses = {SUBNET_MASK: [cidr.netmask]}
    if subnet["gateway"] is not None:
        addresses[ROUTERS] = [subnet["gateway"]]
    if subnet["ntp_servers"]:
        addresses[NTP_SERVERS] = subnet["ntp_servers"]
    return tuple(
        option
        for code, found in addresses.items()
        for option in _built_in(4, code, {"addresses": [str(address) for address in found]})
    )


def _built_in(family: int, code: int, payload: dict[str, Any]) -> tuple[CompiledOption, ...]:
    data = kinds.encode_each(registry.resolve(family, code), payload)
    return tuple(CompiledOption(code, each) for each in data)


def _is_unasked(family: int, code: int, always_send: bool) -> bool:
    """Return whether the option is sent to clients that do not request it. One that answers the client's own is."""
    row = registry.lookup(family, code)
    only_if = row.only_if if row else ""
    return (always_send and only_if != "requested") or only_if == "sent"


def _data(
    family: int, code: int, vendor_class: str | None, payload: Any, definitions: Collection[OptionDef]
) -> tuple[bytes, ...]:
    if reason := registry.why_unstorable(family, code):
        raise ValidationError(field="code", reason=reason)
    return kinds.encode_each(registry.resolve(family, code, vendor_class, definitions), payload)


def _ordered(options: Iterable[CompiledOption]) -> tuple[CompiledOption, ...]:
    """Return them by code; of one code the longest vendor class first, so that the first that matches is the best; else
    as they came."""

    def key(option: CompiledOption) -> tuple[int, int, str]:
        vendor_class = option.vendor_class or ""
        return option.code, -len(vendor_class), vendor_class

    return tuple(sorted(options, key=key))
