"""Written by `python -m api.generators`; the code is in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: subnet
short_description: Make, change and delete subnets of an ipam server
description:
- A subnet that matches the task is not changed. Fields that the task does not contain are kept.
- It is identified by O(id), else by cidr.
- Check mode performs a dry run on the server, which reports the errors that the task would have.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  name:
    description:
    - Name of the subnet. The search matches its beginning.
    type: str
  description:
    description:
    - Free text; the service does not interpret it.
    type: str
  vlan_id:
    description:
    - 'IEEE 802.1Q VLAN of the network, 1 to 4094. The servers do not use it. Null: unknown.'
    type: int
  site:
    description:
    - 'Where the network is, in your own words; lists filter by the whole text, the search finds its beginning.
      Empty: nowhere in particular.'
    type: str
  tags:
    description:
    - Words for searches and filters, unique and in lower case; at most 32, of 64 characters, without
      commas. A change replaces the whole list.
    type: list
    elements: str
  custom:
    description:
    - Your own fields. Names consist of letters, digits, underscores and hyphens; at most four levels
      deep, 16 KiB of JSON together. A patch merges them one by one, and null deletes a member. Filter
      lists by custom.NAME.
    type: dict
  gateway:
    description:
    - 'Router of the clients (option 3); no client gets its address. A stored option 3 takes precedence.
      Null: none.'
    type: str
  shared_network:
    description:
    - 'Name of the link. Subnets with the same name share a link, and a client may get an address from
      any of them. Null: the subnet has its own link.'
    type: str
  relay_addresses:
    description:
    - Addresses of relay agents (giaddr, or link-address in DHCPv6) that select this subnet although it
      does not contain them. If several subnets have the same link-local address, the one that also lists
      the relay agent's source address is selected. Only admins without a tenant may set it.
    type: list
    elements: str
  interface:
    description:
    - 'Name of a server''s interface on which the subnet is served although the interface has no address
      in it. Null: selected by address alone. Only admins without a tenant may set it.'
    type: str
  interface_id:
    description:
    - 'Interface-Id from the relay agent (RFC 8415 section 21.18) that selects this subnet among those
      with the same link-address, as text or 0x octets. Null: any.'
    type: str
  dhcp_enabled:
    description:
    - 'False: the server answers no client here, not even clients with reservations. For networks without
      DHCP.'
    - The server's default is V(true).
    type: bool
  authoritative:
    description:
    - 'True: an unknown client that requests a certain address (REBINDING, INIT-REBOOT) gets a NAK and
      starts again. False: no answer, for networks with another DHCP server.'
    - The server's default is V(true).
    type: bool
  lease_time_seconds:
    description:
    - 'Lease time (valid lifetime) in seconds (option 51), if the client does not request another within
      the limits below. At most 2147483647, or 4294967295: infinite. The same applies to the other lifetimes.'
    - The server's default is V(86400).
    type: int
  min_lease_time_seconds:
    description:
    - 'Shortest lease time in seconds that a client may request. Null: requests do not shorten lease_time_seconds.'
    type: int
  max_lease_time_seconds:
    description:
    - 'Longest lease time in seconds that a client may request. Null: requests do not extend lease_time_seconds.'
    type: int
  renew_time_seconds:
    description:
    - 'T1: seconds after which a client renews with its server (RFC 2131 section 4.4.5). Null: half of
      the lease time; in DHCPv6 half of the shortest preferred lifetime.'
    type: int
  rebind_time_seconds:
    description:
    - 'T2: seconds after which a client rebinds with any server (RFC 2131 section 4.4.5). Null: 0.875
      of the lease time; in DHCPv6 0.8 of the shortest preferred lifetime.'
    type: int
  preferred_lifetime_seconds:
    description:
    - 'DHCPv6: preferred lifetime of addresses in seconds (RFC 8415 section 21.6). Null: five eighths
      of the valid lifetime.'
    type: int
  next_server:
    description:
    - 'Where a client loads its boot file from: an IPv4 address goes into the header''s siaddr and option
      66, a host name into sname and option 66. Null: nothing is said.'
    type: str
  server_name:
    description:
    - 'Name of the boot server (sname and option 66), in addition to an address in next_server; at most
      255 characters. A name longer than 63 characters is sent in option 66 only. Null: the name in next_server,
      if any.'
    type: str
  boot_file:
    description:
    - 'Path or URL of the boot file (header field file and option 67; DHCPv6 option 59), at most 255 octets.
      A value longer than 127 octets is sent in option 67 only. Null: none is sent.'
    type: str
  ntp_servers:
    description:
    - Time servers (option 42; DHCPv6 option 56), of the subnet's family. A stored option with that code
      takes precedence.
    type: list
    elements: str
  match_client_id:
    description:
    - 'True: option 61 identifies leases, so that several systems with one MAC address have a lease each.
      False: the MAC address identifies them.'
    - The server's default is V(false).
    type: bool
  decline_quarantine_seconds:
    description:
    - 'Quarantine in seconds of an address that a client declined or that answered a ping. 0: none.'
    - The server's default is V(86400).
    type: int
  ping_check:
    description:
    - 'True: the server pings a new IPv4 address before it offers it, which delays the offer by the wait
      for an answer.'
    - The server's default is V(false).
    type: bool
  rapid_commit:
    description:
    - 'True: clients that request it get a lease in two messages instead of four (RFC 4039; RFC 8415 section
      18.2.1).'
    - The server's default is V(false).
    type: bool
  address_registration:
    description:
    - 'True: DHCPv6 clients learn that they may register their own addresses (RFC 9686, option 148).'
    - The server's default is V(false).
    type: bool
  cache_threshold:
    description:
    - 'Share of a lease, from its beginning, in which a renewal is answered with the remaining time and
      not written. 0: every renewal is written.'
    - The server's default is V(0.25).
    type: float
  reuse_margin_seconds:
    description:
    - Grace period in seconds after a lease expires, before another client can get its address.
    - The server's default is V(10).
    type: int
  ddns_enabled:
    description:
    - 'True: leases create DNS records.'
    - The server's default is V(false).
    type: bool
  ddns_adapter:
    description:
    - 'Protocol of updates: `bind_tsig` (RFC 2136 with TSIG), `ad_gsstsig` (with Kerberos), `powerdns_http`
      (its API), `embedded` (zones of this service). Null: the protocol of the DNS server.'
    type: str
    choices:
    - ad_gsstsig
    - bind_tsig
    - embedded
    - powerdns_http
  ddns_dns_server:
    description:
    - 'DNS server that receives the updates. Null: the server of the zone.'
    - By name or by id.
    type: str
    aliases:
    - ddns_dns_server_id
  ddns_forward_zone:
    description:
    - 'Zone of A and AAAA records. Null: the closest zone of the tenant that contains the name.'
    type: str
  ddns_reverse_zone:
    description:
    - 'Zone of PTR records. Null: the closest zone of the tenant that contains the address.'
    type: str
  ddns_domain:
    description:
    - 'Domain of the clients'' names: a client gets one label below it, whatever name it sends. Null:
      the forward zone; without both, clients get no name.'
    type: str
  ddns_client_domains:
    description:
    - 'Further domains in which clients may choose their name: a client that sends host.lab.example.net
      keeps it if lab.example.net is listed.'
    type: list
    elements: str
  ddns_ttl:
    description:
    - 'TTL of the records in seconds. Null: a third of the lease time, at least 600.'
    type: int
  ddns_override_no_update:
    description:
    - 'True: records are created even if the client requests none (flag N of options 81 and 39).'
    - The server's default is V(false).
    type: bool
  ddns_override_client_update:
    description:
    - 'True: the server creates the forward record even if the client intends to (option 81, flag S clear).'
    - The server's default is V(false).
    type: bool
  ddns_replace_client_name:
    description:
    - 'When a generated name replaces the client''s own: `never`, `always`, `when_present`, or `when_not_present`
      for clients that send none.'
    - The server's default is V("never").
    type: str
    choices:
    - always
    - never
    - when_not_present
    - when_present
  ddns_generated_prefix:
    description:
    - 'First part of generated names: `host` generates host-10-0-0-7.'
    - The server's default is V("host").
    type: str
  ddns_conflict_mode:
    description:
    - 'Names that an update may overwrite, by their DHCID records (RFC 4701, RFC 4703). `check_dhcid`:
      only the client''s own. `check_exists_dhcid`: any name with a DHCID record. The other two check
      none, and write a DHCID record or not.'
    - The server's default is V("check_dhcid").
    type: str
    choices:
    - check_dhcid
    - check_exists_dhcid
    - no_check_with_dhcid
    - no_check_without_dhcid
  cidr:
    description:
    - Network without host bits, inside its prefix, that contains the relay agent's or server's address.
      Subnets of a tenant do not overlap. It can be changed only while pools, exclusions, reservations
      and static assignments fit.
    - Needed to make one.
    type: str
  prefix:
    description:
    - Prefix that contains the subnet. It cannot be changed.
    - By cidr or by id.
    - Needed to make one.
    type: str
    aliases:
    - prefix_id
  tenant:
    description:
    - 'Tenant of the object. In a create, left out or null: the tenant of the token, else the default
      tenant. It cannot be changed.'
    - By name or by id.
    type: str
    aliases:
    - tenant_id
  state:
    description: Whether it is to be there.
    type: str
    choices:
    - present
    - absent
    default: present
  id:
    description: Id of the object. Needed if the key is ambiguous or changes.
    type: str
  clear:
    description: Fields to set to null. Ansible cannot distinguish null from a field that is left out.
    type: list
    elements: str
    default: []
  cascade:
    description: With O(state=absent), whether the objects below this one are deleted too.
    type: bool
    default: false
  update_secret:
    description: Whether to write secrets again. The server never returns them, so the task reports a
      change.
    type: bool
    default: false
extends_documentation_fragment: ipam.ipam.connection
"""

EXAMPLES = r"""
- name: Have the subnet
  ipam.ipam.subnet:
    cidr: 192.0.2.0/24
    prefix: 192.0.2.0/24
    description: Second floor
- name: Have no such subnet
  ipam.ipam.subnet:
    cidr: 192.0.2.0/24
    state: absent
"""

RETURN = r"""
object:
  description: The subnet as it is now, or in check mode would be; null where there is none. A secret
    that the server makes is shown here once, by the task that makes the object.
  returned: success
  type: dict
  contains:
    id:
      description: Identifies the object in paths. Opaque; assigned by the service and never reused.
      type: str
    created_at:
      description: When the object was created, in UTC with milliseconds (RFC 3339).
      type: str
    updated_at:
      description: When the object was last changed, in UTC with milliseconds (RFC 3339).
      type: str
    tenant_id:
      description: 'Tenant of the object. In a create, left out or null: the tenant of the token, else
        the default tenant. It cannot be changed.'
      type: str
    prefix_id:
      description: Prefix that contains the subnet. It cannot be changed.
      type: str
    cidr:
      description: Network without host bits, inside its prefix, that contains the relay agent's or server's
        address. Subnets of a tenant do not overlap. It can be changed only while pools, exclusions, reservations
        and static assignments fit.
      type: str
    name:
      description: Name of the subnet. The search matches its beginning.
      type: str
    description:
      description: Free text; the service does not interpret it.
      type: str
    vlan_id:
      description: 'IEEE 802.1Q VLAN of the network, 1 to 4094. The servers do not use it. Null: unknown.'
      type: int
    site:
      description: 'Where the network is, in your own words; lists filter by the whole text, the search
        finds its beginning. Empty: nowhere in particular.'
      type: str
    tags:
      description: Words for searches and filters, unique and in lower case; at most 32, of 64 characters,
        without commas. A change replaces the whole list.
      type: list
    custom:
      description: Your own fields. Names consist of letters, digits, underscores and hyphens; at most
        four levels deep, 16 KiB of JSON together. A patch merges them one by one, and null deletes a
        member. Filter lists by custom.NAME.
      type: dict
    gateway:
      description: 'Router of the clients (option 3); no client gets its address. A stored option 3 takes
        precedence. Null: none.'
      type: str
    shared_network:
      description: 'Name of the link. Subnets with the same name share a link, and a client may get an
        address from any of them. Null: the subnet has its own link.'
      type: str
    relay_addresses:
      description: Addresses of relay agents (giaddr, or link-address in DHCPv6) that select this subnet
        although it does not contain them. If several subnets have the same link-local address, the one
        that also lists the relay agent's source address is selected. Only admins without a tenant may
        set it.
      type: list
    interface:
      description: 'Name of a server''s interface on which the subnet is served although the interface
        has no address in it. Null: selected by address alone. Only admins without a tenant may set it.'
      type: str
    interface_id:
      description: 'Interface-Id from the relay agent (RFC 8415 section 21.18) that selects this subnet
        among those with the same link-address, as text or 0x octets. Null: any.'
      type: str
    dhcp_enabled:
      description: 'False: the server answers no client here, not even clients with reservations. For
        networks without DHCP.'
      type: bool
    authoritative:
      description: 'True: an unknown client that requests a certain address (REBINDING, INIT-REBOOT) gets
        a NAK and starts again. False: no answer, for networks with another DHCP server.'
      type: bool
    lease_time_seconds:
      description: 'Lease time (valid lifetime) in seconds (option 51), if the client does not request
        another within the limits below. At most 2147483647, or 4294967295: infinite. The same applies
        to the other lifetimes.'
      type: int
    min_lease_time_seconds:
      description: 'Shortest lease time in seconds that a client may request. Null: requests do not shorten
        lease_time_seconds.'
      type: int
    max_lease_time_seconds:
      description: 'Longest lease time in seconds that a client may request. Null: requests do not extend
        lease_time_seconds.'
      type: int
    renew_time_seconds:
      description: 'T1: seconds after which a client renews with its server (RFC 2131 section 4.4.5).
        Null: half of the lease time; in DHCPv6 half of the shortest preferred lifetime.'
      type: int
    rebind_time_seconds:
      description: 'T2: seconds after which a client rebinds with any server (RFC 2131 section 4.4.5).
        Null: 0.875 of the lease time; in DHCPv6 0.8 of the shortest preferred lifetime.'
      type: int
    preferred_lifetime_seconds:
      description: 'DHCPv6: preferred lifetime of addresses in seconds (RFC 8415 section 21.6). Null:
        five eighths of the valid lifetime.'
      type: int
    next_server:
      description: 'Where a client loads its boot file from: an IPv4 address goes into the header''s siaddr
        and option 66, a host name into sname and option 66. Null: nothing is said.'
      type: str
    server_name:
      description: 'Name of the boot server (sname and option 66), in addition to an address in next_server;
        at most 255 characters. A name longer than 63 characters is sent in option 66 only. Null: the
        name in next_server, if any.'
      type: str
    boot_file:
      description: 'Path or URL of the boot file (header field file and option 67; DHCPv6 option 59),
        at most 255 octets. A value longer than 127 octets is sent in option 67 only. Null: none is sent.'
      type: str
    ntp_servers:
      description: Time servers (option 42; DHCPv6 option 56), of the subnet's family. A stored option
        with that code takes precedence.
      type: list
    match_client_id:
      description: 'True: option 61 identifies leases, so that several systems with one MAC address have
        a lease each. False: the MAC address identifies them.'
      type: bool
    decline_quarantine_seconds:
      description: 'Quarantine in seconds of an address that a client declined or that answered a ping.
        0: none.'
      type: int
    ping_check:
      description: 'True: the server pings a new IPv4 address before it offers it, which delays the offer
        by the wait for an answer.'
      type: bool
    rapid_commit:
      description: 'True: clients that request it get a lease in two messages instead of four (RFC 4039;
        RFC 8415 section 18.2.1).'
      type: bool
    address_registration:
      description: 'True: DHCPv6 clients learn that they may register their own addresses (RFC 9686, option
        148).'
      type: bool
    cache_threshold:
      description: 'Share of a lease, from its beginning, in which a renewal is answered with the remaining
        time and not written. 0: every renewal is written.'
      type: float
    reuse_margin_seconds:
      description: Grace period in seconds after a lease expires, before another client can get its address.
      type: int
    ddns_enabled:
      description: 'True: leases create DNS records.'
      type: bool
    ddns_adapter:
      description: 'Protocol of updates: `bind_tsig` (RFC 2136 with TSIG), `ad_gsstsig` (with Kerberos),
        `powerdns_http` (its API), `embedded` (zones of this service). Null: the protocol of the DNS server.'
      type: str
    ddns_dns_server_id:
      description: 'DNS server that receives the updates. Null: the server of the zone.'
      type: str
    ddns_forward_zone:
      description: 'Zone of A and AAAA records. Null: the closest zone of the tenant that contains the
        name.'
      type: str
    ddns_reverse_zone:
      description: 'Zone of PTR records. Null: the closest zone of the tenant that contains the address.'
      type: str
    ddns_domain:
      description: 'Domain of the clients'' names: a client gets one label below it, whatever name it
        sends. Null: the forward zone; without both, clients get no name.'
      type: str
    ddns_client_domains:
      description: 'Further domains in which clients may choose their name: a client that sends host.lab.example.net
        keeps it if lab.example.net is listed.'
      type: list
    ddns_ttl:
      description: 'TTL of the records in seconds. Null: a third of the lease time, at least 600.'
      type: int
    ddns_override_no_update:
      description: 'True: records are created even if the client requests none (flag N of options 81 and
        39).'
      type: bool
    ddns_override_client_update:
      description: 'True: the server creates the forward record even if the client intends to (option
        81, flag S clear).'
      type: bool
    ddns_replace_client_name:
      description: 'When a generated name replaces the client''s own: `never`, `always`, `when_present`,
        or `when_not_present` for clients that send none.'
      type: str
    ddns_generated_prefix:
      description: 'First part of generated names: `host` generates host-10-0-0-7.'
      type: str
    ddns_conflict_mode:
      description: 'Names that an update may overwrite, by their DHCID records (RFC 4701, RFC 4703). `check_dhcid`:
        only the client''s own. `check_exists_dhcid`: any name with a DHCID record. The other two check
        none, and write a DHCID record or not.'
      type: str
"""

from ansible_collections.ipam.ipam.plugins.module_utils.objects import main  # noqa: E402 - below its document

FAMILY = {
    "collection": "subnets",
    "item": "subnets",
    "label": "subnet",
    "keys": [["cidr"]],
    "nullable": [
        "boot_file",
        "ddns_adapter",
        "ddns_dns_server_id",
        "ddns_domain",
        "ddns_forward_zone",
        "ddns_reverse_zone",
        "ddns_ttl",
        "gateway",
        "interface",
        "interface_id",
        "max_lease_time_seconds",
        "min_lease_time_seconds",
        "next_server",
        "preferred_lifetime_seconds",
        "rebind_time_seconds",
        "renew_time_seconds",
        "server_name",
        "shared_network",
        "vlan_id",
    ],
    "filters": [
        "cidr",
        "ddns_enabled",
        "description",
        "dhcp_enabled",
        "gateway",
        "interface",
        "name",
        "prefix_id",
        "shared_network",
        "site",
        "tenant_id",
        "vlan_id",
    ],
    "references": {
        "ddns_dns_server": {
            "field": "ddns_dns_server_id",
            "collection": "dns-servers",
            "key": "name",
            "label": "dns server",
        },
        "prefix": {"field": "prefix_id", "collection": "prefixes", "key": "cidr", "label": "prefix"},
        "tenant": {"field": "tenant_id", "collection": "tenants", "key": "name", "label": "tenant"},
    },
    "parents": [],
    "in_tenant": True,
    "in_bulk": True,
    "write_only": [],
    "options": {
        "name": {"type": "str"},
        "description": {"type": "str"},
        "vlan_id": {"type": "int"},
        "site": {"type": "str"},
        "tags": {"type": "list", "elements": "str"},
        "custom": {"type": "dict"},
        "gateway": {"type": "str"},
        "shared_network": {"type": "str"},
        "relay_addresses": {"type": "list", "elements": "str"},
        "interface": {"type": "str"},
        "interface_id": {"type": "str"},
        "dhcp_enabled": {"type": "bool"},
        "authoritative": {"type": "bool"},
        "lease_time_seconds": {"type": "int"},
        "min_lease_time_seconds": {"type": "int"},
        "max_lease_time_seconds": {"type": "int"},
        "renew_time_seconds": {"type": "int"},
        "rebind_time_seconds": {"type": "int"},
        "preferred_lifetime_seconds": {"type": "int"},
        "next_server": {"type": "str"},
        "server_name": {"type": "str"},
        "boot_file": {"type": "str"},
        "ntp_servers": {"type": "list", "elements": "str"},
        "match_client_id": {"type": "bool"},
        "decline_quarantine_seconds": {"type": "int"},
        "ping_check": {"type": "bool"},
        "rapid_commit": {"type": "bool"},
        "address_registration": {"type": "bool"},
        "cache_threshold": {"type": "float"},
        "reuse_margin_seconds": {"type": "int"},
        "ddns_enabled": {"type": "bool"},
        "ddns_adapter": {"type": "str", "choices": ["ad_gsstsig", "bind_tsig", "embedded", "powerdns_http"]},
        "ddns_dns_server": {"type": "str", "aliases": ["ddns_dns_server_id"]},
        "ddns_forward_zone": {"type": "str"},
        "ddns_reverse_zone": {"type": "str"},
        "ddns_domain": {"type": "str"},
        "ddns_client_domains": {"type": "list", "elements": "str"},
        "ddns_ttl": {"type": "int"},
        "ddns_override_no_update": {"type": "bool"},
        "ddns_override_client_update": {"type": "bool"},
        "ddns_replace_client_name": {
            "type": "str",
            "choices": ["always", "never", "when_not_present", "when_present"],
        },
        "ddns_generated_prefix": {"type": "str"},
        "ddns_conflict_mode": {
            "type": "str",
            "choices": ["check_dhcid", "check_exists_dhcid", "no_check_with_dhcid", "no_check_without_dhcid"],
        },
        "cidr": {"type": "str"},
        "prefix": {"type": "str", "aliases": ["prefix_id"]},
        "tenant": {"type": "str", "aliases": ["tenant_id"]},
    },
}

if __name__ == "__main__":
    main(FAMILY)
