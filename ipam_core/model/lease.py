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
    """Tenant of the address. Null: the tenant is deleted."""

    subnet_id: str | None
    """Subnet that the lease was granted in. Null: the subnet is deleted."""

    ip: str
    """The address, or the first one of a delegated prefix."""

    prefix_length: int
    """Length of a delegated prefix; 32 or 128: a single address."""

    ia_type: Literal["na", "pd"] | None
    """Kind of DHCPv6 association: `na` an address, `pd` a prefix. Null: for IPv4 and for registered addresses."""

    state: str
    """`active`, `released`, `expired`, `revoked`, `declined` (in quarantine) or `registered` (RFC 9686: the client
    chose the address)."""

    mac: str | None
    """Hardware address of the client. Null: unknown."""

    client_id: str | None
    """Client identifier (option 61) in hex. Null: the client sent none."""

    duid: str | None
    """DUID of the client in hex (RFC 8415 section 11). Null: for IPv4."""

    iaid: int | None
    """IAID of the association (RFC 8415 section 12). Null: for IPv4."""

    hostname: str | None
    """Hostname that the client was given or sent. Null: none."""

    relay: str | None
    """Address of the relay agent. Null: the client is on a link of the server."""

    link_address: str | None
    """Link-address from the relay agent (RFC 8415 section 9). Null: for IPv4."""

    next_hop: str | None
    """Address of the client on that link: the next hop of a delegated prefix. Null: for IPv4."""

    interface_id: str | None
    """Interface-Id from that relay agent, as text or 0x octets. Null: none."""

    circuit_id: str | None
    """Circuit ID from the relay agent nearest to the client, as text or 0x octets. Null: none."""

    remote_id: str | None
    """Remote ID from a relay agent, as text or 0x octets. Null: none."""

    relay_id: str | None
    """DUID of the relay agent, in hex. Null: none."""

    relay_info: str | None
    """All data from relay agents, in hex: option 82, or for DHCPv6 the data of RFC 5007 section 4.1.2.4. Null:
    none."""

    vendor_class: str | None
    """Vendor class of the client (option 60; DHCPv6 16). Null: none, or lease_device_details is off."""

    parameter_list: list[int] | None
    """Requested option codes, in the client's order. Null: none, or lease_device_details is off."""

    user_class: list[str] | None
    """User classes of the client (option 77; DHCPv6 15). Null: none, or not stored."""

    architecture: list[int] | None
    """System architectures of the client (option 93; DHCPv6 61; RFC 4578). Null: none, or not stored."""

    accepts_reconfigure: bool | None
    """Whether the DHCPv6 client accepts Reconfigure messages. Null: for IPv4."""

    preferred_lifetime_seconds: int | None
    """DHCPv6: preferred lifetime in seconds. Null: for IPv4."""

    granted_at: str
    """When this client was first granted the lease."""

    renewed_at: str
    """When the lease was last granted or renewed."""

    expires_at: str | None
    """When the lease expires unless the client renews it; of an ended lease, its end. Null: never."""

    ended_at: str | None
    """When the lease actually ended; `state` is how. Null: it has not ended."""

    quarantined_until: str | None
    """Until when a declined address is offered to nobody. Null: it is not in quarantine."""


class ReserveLease(Command, kw_only=True, frozen=True):
    """Fields of the reservation. If the hostname is left out, that of the lease is used."""

    hostname: Hostname | None = None
    """Hostname of the reservation. Null or left out: that of the lease."""

    description: Text = ""


def relayed(row: Mapping[str, Any]) -> dict[str, str | None]:
    """Return how a lease or its event shows its association, and what relays said in octets."""
    said = {name: row[name] for name in ("interface_id", "circuit_id", "remote_id")}
    return {
        "ia_type": ASSOCIATIONS.get(row["ia_type"]),
        **{name: None if octets is None else text_or_octets(octets) for name, octets in said.items()},
    }


class ReconfigureLease(Command, kw_only=True, frozen=True):
    """Action that the client is asked for: renew its leases, rebind them with any server, or request its
    options."""

    message: Literal["renew", "rebind", "information_request"] = "renew"
    """Action that the client is asked for: `renew` its leases, `rebind` them with any server, or request its options
    (`information_request`)."""


class Reconfiguration(Model, kw_only=True, frozen=True):
    """Reconfigure request. The servers send the message (RFC 8415 section 18.3.11) until the client renews, at most
    eight times; the lease shows the renewal. `replay` is the number by which the client recognizes a newer
    message."""

    lease_id: str
    """Lease of the client."""

    ip: str
    duid: str
    message: str
    replay: int
    """Number by which the client recognizes a newer message."""


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
