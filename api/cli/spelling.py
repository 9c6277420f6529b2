"""Values of a site file as the server shows them, whatever notation the file has: what is equal must look equal.

What cannot be read stays as it is; the server says what is wrong with it.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ipam_core.dhcp import kinds, registry
from ipam_core.errors import IpamError
from ipam_core.model.labels import parse_tag
from ipam_core.model.values import (
    colons,
    parse_address,
    parse_hostname,
    parse_mac,
    parse_network,
    parse_octets,
    parse_text_or_octets,
    text_or_octets,
)

IPV4 = 4


def octets(text: str) -> str:
    return colons(parse_octets(text))


def text_as_shown(text: str) -> str:
    return text_or_octets(parse_text_or_octets(text))


def address(text: str) -> str:
    return str(parse_address(text))


def network(text: str) -> str:
    return str(parse_network(text))


SPELLINGS: dict[str, Callable[[str], str]] = {
    "cidr": network,
    "prefix": network,
    "ip": address,
    "start_ip": address,
    "end_ip": address,
    "gateway": address,
    "relay_addresses": address,
    "ntp_servers": address,
    "mac": parse_mac,
    "duid": octets,
    "client_id": octets,
    "circuit_id": text_as_shown,
    "remote_id": text_as_shown,
    "subscriber_id": text_as_shown,
    "hostname": parse_hostname,
    "tags": parse_tag,
}


def in_one_spelling(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of one object."""
    found = {name: spelt(SPELLINGS.get(name), value) for name, value in fields.items()}
    if isinstance(tags := found.get("tags"), list):
        found["tags"] = [tag for at, tag in enumerate(tags) if tag not in tags[:at]]
    if "payload" in fields:
        found["payload"] = payload(fields)
    return found


def spelt(spell: Callable[[str], str] | None, value: Any) -> Any:
    if spell is not None and isinstance(value, list):
        return [spelt(spell, each) for each in value]
    if spell is None or not isinstance(value, str):
        return value
    try:
        return spell(value)
    except ValueError:
        return value


def payload(option: Mapping[str, Any]) -> Any:
    """As the option's own definition spells it; one of a site's own definitions is known to the server only."""
    try:
        definition = registry.resolve(option.get("family") or IPV4, option["code"])
        return kinds.canonical(definition, option["payload"])
    except (IpamError, KeyError, TypeError, ValueError):
        return option["payload"]
