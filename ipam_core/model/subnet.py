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
    """Name of the subnet. The search matches its beginning."""

    description: Text = ""
    vlan_id: Annotated[int, Meta(ge=1, le=4094)] | None = None
    """IEEE 802.1Q VLAN of the network, 1 to 4094. The servers do not use it. Null: unknown."""

    site: Name = ""
    """Where the network is, in your own words; lists filter by the whole text, the search finds its beginning. Empty:
    nowhere in particular."""

    tags: Tags = ()
    custom: Custom = msgspec.field(default_factory=dict)
    gateway: Address | None = None
    """Router of the clients (option 3); no client gets its address. A stored option 3 takes precedence. Null:
    none."""

    shared_network: Name | None = None
    """Name of the link. Subnets with the same name share a link, and a client may get an address from any of them.
    Null: the subnet has its own link."""

    relay_addresses: Addresses = ()
    """Addresses of relay agents (giaddr, or link-address in DHCPv6) that select this subnet although it does not
    contain them. If several subnets have the same link-local address, the one that also lists the relay agent's
    source address is selected. Only admins without a tenant may set it."""

    interface: Annotated[str, Meta(min_length=1, max_length=15)] | None = None
    """Name of a server's interface on which the subnet is served although the interface has no address in it. Null:
    selected by address alone. Only admins without a tenant may set it."""

    interface_id: TextOrOctets | None = None
    """Interface-Id from the relay agent (RFC 8415 section 21.18) that selects this subnet among those with the same
    link-address, as text or 0x octets. Null: any."""

    dhcp_enabled: bool = True
    """False: the server answers no client here, not even clients with reservations. For networks without DHCP."""

    authoritative: bool = True
    """True: an unknown client that requests a certain address (REBINDING, INIT-REBOOT) gets a NAK and starts again.
    False: no answer, for networks with another DHCP server."""

    lease_time_seconds: Lifetime = 86400
    """Lease time (valid lifetime) in seconds (option 51), if the client does not request another within the limits
    below. At most 2147483647, or 4294967295: infinite. The same applies to the other lifetimes."""

    min_lease_time_seconds: Lifetime | None = None
    """Shortest lease time in seconds that a client may request. Null: requests do not shorten lease_time_seconds."""

    max_lease_time_seconds: Lifetime | None = None
    """Longest lease time in seconds that a client may request. Null: requests do not extend lease_time_seconds."""

    renew_time_seconds: Lifetime | None = None
    """T1: seconds after which a client renews with its server (RFC 2131 section 4.4.5). Null: half of the lease time;
    in DHCPv6 half of the shortest preferred lifetime."""

    rebind_time_seconds: Lifetime | None = None
    """T2: seconds after which a client rebinds with any server (RFC 2131 section 4.4.5). Null: 0.875 of the lease
    time; in DHCPv6 0.8 of the shortest preferred lifetime."""

    preferred_lifetime_seconds: Lifetime | None = None
    """DHCPv6: preferred lifetime of addresses in seconds (RFC 8415 section 21.6). Null: five eighths of the valid
    lifetime."""

    next_server: NextServer | None = None
    server_name: ServerName | None = None
    boot_file: BootFile | None = None
    ntp_servers: Addresses = ()
    """Time servers (option 42; DHCPv6 option 56), of the subnet's family. A stored option with that code takes
    precedence."""

    match_client_id: bool = False
    """True: option 61 identifies leases, so that several systems with one MAC address have a lease each. False: the
    MAC address identifies them."""

    decline_quarantine_seconds: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 86400
    """Quarantine in seconds of an address that a client declined or that answered a ping. 0: none."""

    ping_check: bool = False
    """True: the server pings a new IPv4 address before it offers it, which delays the offer by the wait for an
    answer."""

    rapid_commit: bool = False
    """True: clients that request it get a lease in two messages instead of four (RFC 4039; RFC 8415 section
    18.2.1)."""

    address_registration: bool = False
    """True: DHCPv6 clients learn that they may register their own addresses (RFC 9686, option 148)."""

    cache_threshold: Annotated[float, Meta(ge=0, le=1)] = 0.25
    """Share of a lease, from its beginning, in which a renewal is answered with the remaining time and not written.
    0: every renewal is written."""

    reuse_margin_seconds: Annotated[int, Meta(ge=0, le=86400)] = 10
    """Grace period in seconds after a lease expires, before another client can get its address."""

    ddns_enabled: bool = False
    """True: leases create DNS records."""

    ddns_adapter: DdnsAdapter | None = None
    """Protocol of updates: `bind_tsig` (RFC 2136 with TSIG), `ad_gsstsig` (with Kerberos), `powerdns_http` (its API),
    `embedded` (zones of this service). Null: the protocol of the DNS server."""

    ddns_dns_server_id: Id | None = None
    """DNS server that receives the updates. Null: the server of the zone."""

    ddns_forward_zone: Hostname | None = None
    """Zone of A and AAAA records. Null: the closest zone of the tenant that contains the name."""

    ddns_reverse_zone: Hostname | None = None
    """Zone of PTR records. Null: the closest zone of the tenant that contains the address."""

    ddns_domain: Hostname | None = None
    """Domain of the clients' names: a client gets one label below it, whatever name it sends. Null: the forward zone;
    without both, clients get no name."""

    ddns_client_domains: Domains = ()
    """Further domains in which clients may choose their name: a client that sends host.lab.example.net keeps it if
    lab.example.net is listed."""

    ddns_ttl: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None
    """TTL of the records in seconds. Null: a third of the lease time, at least 600."""

    ddns_override_no_update: bool = False
    """True: records are created even if the client requests none (flag N of options 81 and 39)."""

    ddns_override_client_update: bool = False
    """True: the server creates the forward record even if the client intends to (option 81, flag S clear)."""

    ddns_replace_client_name: ReplaceClientName = "never"
    """When a generated name replaces the client's own: `never`, `always`, `when_present`, or `when_not_present` for
    clients that send none."""

    ddns_generated_prefix: Hostname = "host"
    """First part of generated names: `host` generates host-10-0-0-7."""

    ddns_conflict_mode: ConflictMode = "check_dhcid"
    """Names that an update may overwrite, by their DHCID records (RFC 4701, RFC 4703). `check_dhcid`: only the
    client's own. `check_exists_dhcid`: any name with a DHCID record. The other two check none, and write a DHCID
    record or not."""


class SubnetFields(SubnetSettings, kw_only=True, frozen=True):
    """Fields that may be changed later."""

    cidr: Network
    """Network without host bits, inside its prefix, that contains the relay agent's or server's address. Subnets of a
    tenant do not overlap. It can be changed only while pools, exclusions, reservations and static assignments fit."""


class NewSubnet(SubnetFields, kw_only=True, frozen=True):
    prefix_id: Id
    """Prefix that contains the subnet. It cannot be changed."""

    tenant_id: Id | None = None


class NextSubnet(SubnetSettings, kw_only=True, frozen=True):
    """Subnet of a given size, in the first free network of the prefix."""

    prefix_length: Annotated[int, Meta(ge=0, le=128)]
    """Prefix length of the new subnet, such as 26. The first free network of that size is used."""

    gateway_at: Literal["first", "last"] | None = None
    """Place of the gateway in the new subnet: its first or its last host address. Null: the address in `gateway`."""


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
    """Share of the addresses in use when leases were last counted, 0 to 1. Null: not counted yet."""

    as_of: str | None
    """When leases were counted for `utilisation`. Null: not yet."""


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
    """Raise ValidationError for fields that contradict each other."""
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
    """Return whether a host may have the address: inside, neither network nor broadcast (v4, up to /30)."""
    if address.version != cidr.version or address not in cidr:
        return False
    if cidr.version == 6 or cidr.prefixlen > 30:
        return True
    return address not in (cidr.network_address, cidr.broadcast_address)
