"""Written by `python -m api.generators`; what it does stands in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: subnet
short_description: Make, change and delete subnets of an ipam server
description:
- A subnet that is as the task says is left alone; fields that the task does not name stay.
- It is known by O(id), else by cidr.
- Check mode asks the server what would become of it, and is refused what the task would be refused.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  name:
    description:
    - What people call it; the search finds it by its beginning.
    type: str
  description:
    description:
    - For people; the service reads nothing into it.
    type: str
  vlan_id:
    description:
    - 'IEEE 802.1Q VLAN of the network, 1 to 4094. The servers do not use it. Null: none is known.'
    type: int
  site:
    description:
    - 'Where the network is, in your own words; lists filter by the whole text, the search finds its beginning.
      Empty: nowhere in particular.'
    type: str
  tags:
    description:
    - Words to find it by, in lower case and each once; at most 32, of 64 characters, without commas.
      Written, the list replaces the one before.
    type: list
    elements: str
  custom:
    description:
    - 'Fields of your own: members named by letters, digits, underscores and hyphens, nested four levels
      deep at most, 16 KiB of JSON together. A patch merges them one by one, null takes a member away,
      and lists are filtered by custom.NAME.'
    type: dict
  gateway:
    description:
    - 'The router that clients are given (option 3); nobody else gets its address. A stored option 3 wins.
      Null: none.'
    type: str
  shared_network:
    description:
    - 'Subnets of one wire bear the same name here: a client may get an address from any of them. Null:
      the subnet has its wire alone.'
    type: str
  relay_addresses:
    description:
    - Addresses of relays (giaddr, or link-address in DHCPv6) that choose this subnet although it does
      not contain them. Of several subnets with the same link-local one that is chosen which also names
      the address that the relay sends from. Admins without a tenant only.
    type: list
    elements: str
  interface:
    description:
    - 'Name of a server''s interface on which the subnet is served although no address there lies in it.
      Null: chosen by address alone. Admins without a tenant only.'
    type: str
  interface_id:
    description:
    - 'Interface-Id of the relay (RFC 8415 section 21.18) that chooses this subnet among those of one
      link- address, as text or 0x octets. Null: any.'
    type: str
  dhcp_enabled:
    description:
    - 'False: nobody is answered here, reservations included; for networks without DHCP.'
    - The server's default is V(true).
    type: bool
  authoritative:
    description:
    - 'True: an unknown client that names an address (REBINDING, INIT-REBOOT) gets a NAK and starts anew.
      False: silence, for networks with another server.'
    - The server's default is V(true).
    type: bool
  lease_time_seconds:
    description:
    - 'Valid lifetime of leases in seconds (option 51), if the client does not ask for another within
      the bounds below. At most 2147483647, or 4294967295: infinite; so are the other lifetimes.'
    - The server's default is V(86400).
    type: int
  min_lease_time_seconds:
    description:
    - 'Shortest lifetime in seconds that a client may ask for. Null: what it asks for does not make it
      shorter than lease_time_seconds.'
    type: int
  max_lease_time_seconds:
    description:
    - 'Longest lifetime in seconds that a client may ask for. Null: what it asks for does not make it
      longer than lease_time_seconds.'
    type: int
  renew_time_seconds:
    description:
    - 'T1: seconds after which a client renews with its server (RFC 2131 section 4.4.5). Null: half of
      the lease, in DHCPv6 half of the shortest preferred lifetime.'
    type: int
  rebind_time_seconds:
    description:
    - 'T2: seconds after which a client asks any server (RFC 2131 section 4.4.5). Null: 0.875 of the lease,
      in DHCPv6 0.8 of the shortest preferred lifetime.'
    type: int
  preferred_lifetime_seconds:
    description:
    - 'DHCPv6: seconds for which an address is preferred for new connections (RFC 8415 section 21.6).
      Null: five eighths of the valid lifetime.'
    type: int
  next_server:
    description:
    - 'Where a client loads its boot file from: an IPv4 address goes into the header''s siaddr and option
      66, a host name into sname and option 66. Null: nothing is said.'
    type: str
  server_name:
    description:
    - 'The boot server''s name (sname and option 66) beside an address in next_server, at most 255 characters.
      One of more than 63 is sent in option 66 only. Null: what next_server says.'
    type: str
  boot_file:
    description:
    - 'The boot file''s path or URL (the header''s file and option 67; DHCPv6 option 59), at most 255
      octets. One of more than 127 octets is sent in option 67 only. Null: nothing is said.'
    type: str
  ntp_servers:
    description:
    - Time servers (option 42; DHCPv6 option 56), of the subnet's family. A stored option of that code
      wins.
    type: list
    elements: str
  match_client_id:
    description:
    - 'True: option 61 tells leases apart where it differs, so that several systems of one MAC have a
      lease each. False: the MAC does.'
    - The server's default is V(false).
    type: bool
  decline_quarantine_seconds:
    description:
    - For how long an address that a client declined, or that answered a ping, is given to nobody; in
      seconds, 0 not at all.
    - The server's default is V(86400).
    type: int
  ping_check:
    description:
    - 'True: a new IPv4 address is pinged before it is offered; it costs the client the wait for an answer.'
    - The server's default is V(false).
    type: bool
  rapid_commit:
    description:
    - 'True: a client that asks for it has its lease in two messages instead of four (RFC 4039; RFC 8415
      section 18.2.1).'
    - The server's default is V(false).
    type: bool
  address_registration:
    description:
    - 'True: DHCPv6 clients are told that they may register addresses of their own (RFC 9686, option 148).'
    - The server's default is V(false).
    type: bool
  cache_threshold:
    description:
    - Share of a lease, from its beginning, in which a renewal is answered with what remains of it and
      nothing is written; 0 writes each renewal.
    - The server's default is V(0.25).
    type: float
  reuse_margin_seconds:
    description:
    - Seconds after the end of a lease before its address is given to another client.
    - The server's default is V(10).
    type: int
  ddns_enabled:
    description:
    - 'True: leases make DNS records.'
    - The server's default is V(false).
    type: bool
  ddns_adapter:
    description:
    - 'How updates are sent: `bind_tsig` (RFC 2136 with TSIG), `ad_gsstsig` (with Kerberos), `powerdns_http`
      (its API), `embedded` (zones of this service). Null: that of the DNS server.'
    type: str
    choices:
    - ad_gsstsig
    - bind_tsig
    - embedded
    - powerdns_http
  ddns_dns_server:
    description:
    - 'The DNS server that takes the updates. Null: that of the zone.'
    - By name or by id.
    type: str
    aliases:
    - ddns_dns_server_id
  ddns_forward_zone:
    description:
    - 'Zone of A and AAAA records. Null: the nearest zone of the tenant that holds the name.'
    type: str
  ddns_reverse_zone:
    description:
    - 'Zone of PTR records. Null: the nearest zone of the tenant that holds the address.'
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
    - 'TTL of the records in seconds. Null: a third of the lease, at least 600.'
    type: int
  ddns_override_no_update:
    description:
    - 'True: records are made although the client wants none (N of options 81 and 39).'
    - The server's default is V(false).
    type: bool
  ddns_override_client_update:
    description:
    - 'True: the server makes the forward record also where the client wants to (option 81, bit S clear).'
    - The server's default is V(false).
    type: bool
  ddns_replace_client_name:
    description:
    - 'When the client''s own name gives way to a made one: `never`, `always`, `when_present`, or `when_not_present`
      for clients that bring none.'
    - The server's default is V("never").
    type: str
    choices:
    - always
    - never
    - when_not_present
    - when_present
  ddns_generated_prefix:
    description:
    - 'What made names begin with: `host` makes host-10-0-0-7.'
    - The server's default is V("host").
    type: str
  ddns_conflict_mode:
    description:
    - 'Whose names are overwritten, told by DHCID records (RFC 4701, RFC 4703): `check_dhcid` one''s own
      only; `check_exists_dhcid` any that has a DHCID; the others look at none, and write one or not.'
    - The server's default is V("check_dhcid").
    type: str
    choices:
    - check_dhcid
    - check_exists_dhcid
    - no_check_with_dhcid
    - no_check_without_dhcid
  cidr:
    description:
    - The layer-3 network that the relay's or the server's address lies in, without host bits; inside
      its prefix, apart from the tenant's other subnets. It changes only while pools, excludes, reservations
      and assignments fit.
    - Needed to make one.
    type: str
  prefix:
    description:
    - The prefix that it lies in. It never changes.
    - By cidr or by id.
    - Needed to make one.
    type: str
    aliases:
    - prefix_id
  tenant:
    description:
    - 'The tenant that it belongs to. In a create, left out or null: the token''s tenant, else the default
      one. It never changes.'
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
    description: Its id, where the key cannot tell it or is to be changed.
    type: str
  clear:
    description: Fields that are to be null, which Ansible cannot tell from fields that are not given.
    type: list
    elements: str
    default: []
  cascade:
    description: With O(state=absent), whether what stands below it goes too.
    type: bool
    default: false
  update_secret:
    description: Whether what the server takes and never shows is written again; the task then says changed.
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
      description: 'Names the object in paths. Opaque: made by the service and never given to another.'
      type: str
    created_at:
      description: When it was made, in UTC with milliseconds (RFC 3339).
      type: str
    updated_at:
      description: When it was changed last, in UTC with milliseconds (RFC 3339).
      type: str
    tenant_id:
      description: 'The tenant that it belongs to. In a create, left out or null: the token''s tenant,
        else the default one. It never changes.'
      type: str
    prefix_id:
      description: The prefix that it lies in. It never changes.
      type: str
    cidr:
      description: The layer-3 network that the relay's or the server's address lies in, without host
        bits; inside its prefix, apart from the tenant's other subnets. It changes only while pools, excludes,
        reservations and assignments fit.
      type: str
    name:
      description: What people call it; the search finds it by its beginning.
      type: str
    description:
      description: For people; the service reads nothing into it.
      type: str
    vlan_id:
      description: 'IEEE 802.1Q VLAN of the network, 1 to 4094. The servers do not use it. Null: none
        is known.'
      type: int
    site:
      description: 'Where the network is, in your own words; lists filter by the whole text, the search
        finds its beginning. Empty: nowhere in particular.'
      type: str
    tags:
      description: Words to find it by, in lower case and each once; at most 32, of 64 characters, without
        commas. Written, the list replaces the one before.
      type: list
    custom:
      description: 'Fields of your own: members named by letters, digits, underscores and hyphens, nested
        four levels deep at most, 16 KiB of JSON together. A patch merges them one by one, null takes
        a member away, and lists are filtered by custom.NAME.'
      type: dict
    gateway:
      description: 'The router that clients are given (option 3); nobody else gets its address. A stored
        option 3 wins. Null: none.'
      type: str
    shared_network:
      description: 'Subnets of one wire bear the same name here: a client may get an address from any
        of them. Null: the subnet has its wire alone.'
      type: str
    relay_addresses:
      description: Addresses of relays (giaddr, or link-address in DHCPv6) that choose this subnet although
        it does not contain them. Of several subnets with the same link-local one that is chosen which
        also names the address that the relay sends from. Admins without a tenant only.
      type: list
    interface:
      description: 'Name of a server''s interface on which the subnet is served although no address there
        lies in it. Null: chosen by address alone. Admins without a tenant only.'
      type: str
    interface_id:
      description: 'Interface-Id of the relay (RFC 8415 section 21.18) that chooses this subnet among
        those of one link- address, as text or 0x octets. Null: any.'
      type: str
    dhcp_enabled:
      description: 'False: nobody is answered here, reservations included; for networks without DHCP.'
      type: bool
    authoritative:
      description: 'True: an unknown client that names an address (REBINDING, INIT-REBOOT) gets a NAK
        and starts anew. False: silence, for networks with another server.'
      type: bool
    lease_time_seconds:
      description: 'Valid lifetime of leases in seconds (option 51), if the client does not ask for another
        within the bounds below. At most 2147483647, or 4294967295: infinite; so are the other lifetimes.'
      type: int
    min_lease_time_seconds:
      description: 'Shortest lifetime in seconds that a client may ask for. Null: what it asks for does
        not make it shorter than lease_time_seconds.'
      type: int
    max_lease_time_seconds:
      description: 'Longest lifetime in seconds that a client may ask for. Null: what it asks for does
        not make it longer than lease_time_seconds.'
      type: int
    renew_time_seconds:
      description: 'T1: seconds after which a client renews with its server (RFC 2131 section 4.4.5).
        Null: half of the lease, in DHCPv6 half of the shortest preferred lifetime.'
      type: int
    rebind_time_seconds:
      description: 'T2: seconds after which a client asks any server (RFC 2131 section 4.4.5). Null: 0.875
        of the lease, in DHCPv6 0.8 of the shortest preferred lifetime.'
      type: int
    preferred_lifetime_seconds:
      description: 'DHCPv6: seconds for which an address is preferred for new connections (RFC 8415 section
        21.6). Null: five eighths of the valid lifetime.'
      type: int
    next_server:
      description: 'Where a client loads its boot file from: an IPv4 address goes into the header''s siaddr
        and option 66, a host name into sname and option 66. Null: nothing is said.'
      type: str
    server_name:
      description: 'The boot server''s name (sname and option 66) beside an address in next_server, at
        most 255 characters. One of more than 63 is sent in option 66 only. Null: what next_server says.'
      type: str
    boot_file:
      description: 'The boot file''s path or URL (the header''s file and option 67; DHCPv6 option 59),
        at most 255 octets. One of more than 127 octets is sent in option 67 only. Null: nothing is said.'
      type: str
    ntp_servers:
      description: Time servers (option 42; DHCPv6 option 56), of the subnet's family. A stored option
        of that code wins.
      type: list
    match_client_id:
      description: 'True: option 61 tells leases apart where it differs, so that several systems of one
        MAC have a lease each. False: the MAC does.'
      type: bool
    decline_quarantine_seconds:
      description: For how long an address that a client declined, or that answered a ping, is given to
        nobody; in seconds, 0 not at all.
      type: int
    ping_check:
      description: 'True: a new IPv4 address is pinged before it is offered; it costs the client the wait
        for an answer.'
      type: bool
    rapid_commit:
      description: 'True: a client that asks for it has its lease in two messages instead of four (RFC
        4039; RFC 8415 section 18.2.1).'
      type: bool
    address_registration:
      description: 'True: DHCPv6 clients are told that they may register addresses of their own (RFC 9686,
        option 148).'
      type: bool
    cache_threshold:
      description: Share of a lease, from its beginning, in which a renewal is answered with what remains
        of it and nothing is written; 0 writes each renewal.
      type: float
    reuse_margin_seconds:
      description: Seconds after the end of a lease before its address is given to another client.
      type: int
    ddns_enabled:
      description: 'True: leases make DNS records.'
      type: bool
    ddns_adapter:
      description: 'How updates are sent: `bind_tsig` (RFC 2136 with TSIG), `ad_gsstsig` (with Kerberos),
        `powerdns_http` (its API), `embedded` (zones of this service). Null: that of the DNS server.'
      type: str
    ddns_dns_server_id:
      description: 'The DNS server that takes the updates. Null: that of the zone.'
      type: str
    ddns_forward_zone:
      description: 'Zone of A and AAAA records. Null: the nearest zone of the tenant that holds the name.'
      type: str
    ddns_reverse_zone:
      description: 'Zone of PTR records. Null: the nearest zone of the tenant that holds the address.'
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
      description: 'TTL of the records in seconds. Null: a third of the lease, at least 600.'
      type: int
    ddns_override_no_update:
      description: 'True: records are made although the client wants none (N of options 81 and 39).'
      type: bool
    ddns_override_client_update:
      description: 'True: the server makes the forward record also where the client wants to (option 81,
        bit S clear).'
      type: bool
    ddns_replace_client_name:
      description: 'When the client''s own name gives way to a made one: `never`, `always`, `when_present`,
        or `when_not_present` for clients that bring none.'
      type: str
    ddns_generated_prefix:
      description: 'What made names begin with: `host` makes host-10-0-0-7.'
      type: str
    ddns_conflict_mode:
      description: 'Whose names are overwritten, told by DHCID records (RFC 4701, RFC 4703): `check_dhcid`
        one''s own only; `check_exists_dhcid` any that has a DHCID; the others look at none, and write
        one or not.'
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
