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
    """Lease of a client. `ia_type`: kind of the DHCPv6 association (RFC 8415). A delegated prefix is routed by
    `relay`, the relay agent that sent `link_address` and `interface_id`, and `next_hop`, the client's address on
    that link. `circuit_id` comes from the relay agent nearest to the client.

    `relay_id` is the DUID of the relay agent. `relay_info` is all data from relay agents: option 82, or for DHCPv6
    the data of RFC 5007 section 4.1.2.4. `vendor_class` (option 60, DHCPv6 16) and `parameter_list` (requested
    options) come from the client, as do `user_class` (option 77, DHCPv6 15) and `architecture` (93, DHCPv6 61).
    If the setting `lease_device_details` is off, a lease has only those that client classes ask for.
    `accepts_reconfigure`: whether a DHCPv6 client accepts Reconfigure messages.
    """

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
    user_class: list[str] | None
    architecture: list[int] | None
    accepts_reconfigure: bool | None
    preferred_lifetime_seconds: int | None
    granted_at: str
    renewed_at: str
    expires_at: str | None
    ended_at: str | None
    quarantined_until: str | None


class ReserveLease(Command, kw_only=True, frozen=True):
    """Fields of the reservation. If the hostname is left out, that of the lease is used."""

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
    """Action that the client is asked for: renew its leases, rebind them with any server, or request its
    options."""

    message: Literal["renew", "rebind", "information_request"] = "renew"


class Reconfiguration(Model, kw_only=True, frozen=True):
    """Reconfigure request. The servers send the message (RFC 8415 section 18.3.11) until the client renews, at most
    eight times; the lease shows the renewal. `replay` is the number by which the client recognizes a newer
    message."""

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
