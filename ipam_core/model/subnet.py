"""A subnet is a layer-3 network: the one in which giaddr or a server's interface lies.

The pure rules on its fields stand here; those that need the plan around it (its prefix, its neighbours, its
children) are the service's.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from ipam_core.errors import ValidationError
from ipam_core.model.base import Command, Id, Model, Name, Text
from ipam_core.model.boot import BootFile, NextServer, ServerName, check_boot
from ipam_core.model.lifetimes import Lifetime, check_lifetimes
from ipam_core.model.values import Address, Custom, Hostname, Network, Tags, TextOrOctets

DdnsAdapter = Literal["ad_gsstsig", "bind_tsig", "powerdns_http", "embedded"]
ReplaceClientName = Literal["never", "always", "when_present", "when_not_present"]
ConflictMode = Literal["check_dhcid", "check_exists_dhcid", "no_check_with_dhcid", "no_check_without_dhcid"]
Addresses = Annotated[tuple[Address, ...], Meta(max_length=64)]
Domains = Annotated[tuple[Hostname, ...], Meta(max_length=16)]


class SubnetSettings(Command, kw_only=True, frozen=True):
    """All that a client may say of a subnet but where it lies."""

    name: Name = ""
    description: Text = ""
    vlan_id: Annotated[int, Meta(ge=1, le=4094)] | None = None
    site: Name = ""
    tags: Tags = ()
    custom: Custom = msgspec.field(default_factory=dict)
    gateway: Address | None = None
    shared_network: Name | None = None
    relay_addresses: Addresses = ()
    interface: Annotated[str, Meta(min_length=1, max_length=15)] | None = None
    interface_id: TextOrOctets | None = None
    dhcp_enabled: bool = True
    authoritative: bool = True
    lease_time_seconds: Lifetime = 86400
    min_lease_time_seconds: Lifetime | None = None
    max_lease_time_seconds: Lifetime | None = None
    renew_time_seconds: Lifetime | None = None
    rebind_time_seconds: Lifetime | None = None
    preferred_lifetime_seconds: Lifetime | None = None
    next_server: NextServer | None = None
    server_name: ServerName | None = None
    boot_file: BootFile | None = None
    ntp_servers: Addresses = ()
    match_client_id: bool = False
    decline_quarantine_seconds: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 86400
    ping_check: bool = False
    rapid_commit: bool = False
    address_registration: bool = False
    cache_threshold: Annotated[float, Meta(ge=0, le=1)] = 0.25
    reuse_margin_seconds: Annotated[int, Meta(ge=0, le=86400)] = 10
    ddns_enabled: bool = False
    ddns_adapter: DdnsAdapter | None = None
    ddns_dns_server_id: Id | None = None
    ddns_forward_zone: Hostname | None = None
    ddns_reverse_zone: Hostname | None = None
    ddns_domain: Hostname | None = None
    ddns_client_domains: Domains = ()
    ddns_ttl: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None
    ddns_override_no_update: bool = False
    ddns_override_client_update: bool = False
    ddns_replace_client_name: ReplaceClientName = "never"
    ddns_generated_prefix: Hostname = "host"
    ddns_conflict_mode: ConflictMode = "check_dhcid"


class SubnetFields(SubnetSettings, kw_only=True, frozen=True):
    """What may be changed later."""

    cidr: Network


class NewSubnet(SubnetFields, kw_only=True, frozen=True):
    prefix_id: Id
    tenant_id: Id | None = None


class NextSubnet(SubnetSettings, kw_only=True, frozen=True):
    """Subnet of a given size, in the first free network of the prefix."""

    prefix_length: Annotated[int, Meta(ge=0, le=128)]
    gateway_at: Literal["first", "last"] | None = None


class Subnet(Model, kw_only=True, frozen=True):
    tenant_id: str
    prefix_id: str
    cidr: str
    name: str
    description: str
    vlan_id: int | None
    site: str
    tags: list[str]
    custom: dict[str, Any]
    gateway: str | None
    shared_network: str | None
    relay_addresses: list[str]
    interface: str | None
    interface_id: str | None
    dhcp_enabled: bool
    authoritative: bool
    lease_time_seconds: int
    min_lease_time_seconds: int | None
    max_lease_time_seconds: int | None
    renew_time_seconds: int | None
    rebind_time_seconds: int | None
    preferred_lifetime_seconds: int | None
    next_server: str | None
    server_name: str | None
    boot_file: str | None
    ntp_servers: list[str]
    match_client_id: bool
    decline_quarantine_seconds: int
    ping_check: bool
    rapid_commit: bool
    address_registration: bool
    cache_threshold: float
    reuse_margin_seconds: int
    ddns_enabled: bool
    ddns_adapter: str | None
    ddns_dns_server_id: str | None
    ddns_forward_zone: str | None
    ddns_reverse_zone: str | None
    ddns_domain: str | None
    ddns_client_domains: list[str]
    ddns_ttl: int | None
    ddns_override_no_update: bool
    ddns_override_client_update: bool
    ddns_replace_client_name: str
    ddns_generated_prefix: str
    ddns_conflict_mode: str


class ListedSubnet(Subnet, kw_only=True, frozen=True):
    """Row of a list, with the utilization when leases were last counted. It does not affect the entity tag. Null:
    not counted yet."""

    utilisation: float | None
    as_of: str | None


ASCENDING = (
    ("min_lease_time_seconds", "lease_time_seconds"),
    ("lease_time_seconds", "max_lease_time_seconds"),
    ("min_lease_time_seconds", "max_lease_time_seconds"),
    ("renew_time_seconds", "rebind_time_seconds"),
    ("rebind_time_seconds", "lease_time_seconds"),
    ("renew_time_seconds", "lease_time_seconds"),
    ("preferred_lifetime_seconds", "lease_time_seconds"),
)


def check_subnet(fields: SubnetFields) -> None:
    """Raises ValidationError for fields that contradict each other."""
    check_lifetimes(fields)
    for lower, upper in ASCENDING:
        low, high = getattr(fields, lower), getattr(fields, upper)
        if low is not None and high is not None and low > high:
            raise ValidationError(lower, f"must not be greater than {upper}")
    check_families(fields)
    check_boot(fields.next_server, fields.boot_file)
    if fields.gateway is not None and not usable(fields.gateway, fields.cidr):
        raise ValidationError("gateway", f"must be an address of a host in {fields.cidr}")


def check_families(fields: SubnetFields) -> None:
    for name in ("relay_addresses", "ntp_servers"):
        for address in getattr(fields, name):
            if address.version != fields.cidr.version:
                raise ValidationError(name, f"{address} is not in the family of the subnet")


def usable(address: Address, cidr: Network) -> bool:
    """Whether a host may bear the address: inside, neither network nor broadcast (v4, up to /30)."""
    if address.version != cidr.version or address not in cidr:
        return False
    if cidr.version == 6 or cidr.prefixlen > 30:
        return True
    return address not in (cidr.network_address, cidr.broadcast_address)
