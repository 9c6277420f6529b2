"""A lease: what the DHCP server granted, as the API shows it. Its id is the row's key, tenant and address."""

import base64
import binascii
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any, Literal

from ipam_core.model.base import Command, Model, Text
from ipam_core.model.values import Address, Hostname, text_or_octets

# By the codes of the options (RFC 8415 sections 21.4, 21.21); IPv4's leases and registered addresses have none.
ASSOCIATIONS = {3: "na", 25: "pd"}

STATES = {"a": "active", "r": "released", "x": "expired", "v": "revoked", "d": "declined", "i": "registered"}


class Lease(Model, kw_only=True, frozen=True):
    """`ia_type`: of which kind of association (RFC 8415). By these a delegated prefix is routed: `relay` is the one
    that said `link_address` and `interface_id`, and there the client has the address `next_hop`. `circuit_id` is what
    the relay next to the client says.

    `relay_id` is the DUID of the relay that has one, `relay_info` all that relays said: option 82, or of DHCPv6 what
    RFC 5007 section 4.1.2.4 has. `vendor_class` and `parameter_list` are what the client called itself (option 60, of
    DHCPv6 16) and which options it asked for; null also where the setting `lease_device_details` is off.
    `accepts_reconfigure`: whether a DHCPv6 client may be told to ask anew."""

    tenant_id: str | None
    subnet_id: str | None
    ip: str
    prefix_length: int
    ia_type: Literal["na", "pd"] | None
    state: str
    mac: str | None
    client_id: str | None
    duid: str | None
    iaid: int | None
    hostname: str | None
    relay: str | None
    link_address: str | None
    next_hop: str | None
    interface_id: str | None
    circuit_id: str | None
    remote_id: str | None
    relay_id: str | None
    relay_info: str | None
    vendor_class: str | None
    parameter_list: list[int] | None
    accepts_reconfigure: bool | None
    preferred_lifetime_seconds: int | None
    granted_at: str
    renewed_at: str
    expires_at: str | None


class ReserveLease(Command, kw_only=True, frozen=True):
    """What may be said of the reservation; a host name that is left out is the lease's."""

    hostname: Hostname | None = None
    description: Text = ""


def relayed(row: Mapping[str, Any]) -> dict[str, str | None]:
    """How a lease or its event shows its association, and what relays said in octets."""
    said = {name: row[name] for name in ("interface_id", "circuit_id", "remote_id")}
    return {
        "ia_type": ASSOCIATIONS.get(row["ia_type"]),
        **{name: None if octets is None else text_or_octets(octets) for name, octets in said.items()},
    }


class ReconfigureLease(Command, kw_only=True, frozen=True):
    """What the client is told to do: to renew what it has, to rebind it with any server, or to ask for its options."""

    message: Literal["renew", "rebind", "information_request"] = "renew"


class Reconfiguration(Model, kw_only=True, frozen=True):
    """What was asked for. The servers send the message (RFC 8415 section 18.3.11) until the client renews, and eight
    times at most; whether it did, the lease shows. `replay` is by what the client tells it from an older message."""

    lease_id: str
    ip: str
    duid: str
    message: str
    replay: int


def lease_id(tenant_no: int, address: Address) -> str:
    key = tenant_no.to_bytes(4, "big") + address.packed
    return base64.urlsafe_b64encode(key).rstrip(b"=").decode()


def parse_lease_id(text: str) -> tuple[int, Address] | None:
    try:
        key = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(key) not in (8, 20) or key[0] & 0x80:
        return None
    tenant_no, address = int.from_bytes(key[:4], "big"), ip_address(key[4:])
    return (tenant_no, address) if lease_id(tenant_no, address) == text else None
