"""Written by `python -m api.generators`; the code is in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: reservation
short_description: Make, change and delete reservations of an ipam server
description:
- A reservation that matches the task is not changed. Fields that the task does not contain are kept.
- It is identified by O(id), else by mac; else by duid; else by client_id; else by circuit_id and remote_id;
  else by remote_id; else by subscriber_id; else by ip.
- Check mode performs a dry run on the server, which reports the errors that the task would have.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  ip:
    description:
    - 'Address that the client gets. Left out: the next free address of the subnet. Null: none; the reservation
      only sets hostname, options and class.'
    type: str
  prefix:
    description:
    - 'IPv6 prefix that is delegated to the client. Null: none.'
    type: str
  excluded_prefix:
    description:
    - 'Part of the prefix that is excluded from delegation (RFC 6603); it is sent to clients that request
      it. Null: that of the delegation pool around the prefix, if any.'
    type: str
  mac:
    description:
    - Hardware address of the client, in any notation; unique in the subnet. At least one identity is
      required.
    type: str
  duid:
    description:
    - 'DUID of the client (RFC 8415 section 11), 3 to 130 octets in hex. In IPv4 subnets: the DUID in
      an RFC 4361 client identifier.'
    type: str
  client_id:
    description:
    - DHCPv4 client identifier (option 61), 1 to 255 octets in hex with the type octet, such as 01:aa:bb:cc:dd:ee:ff.
    type: str
  circuit_id:
    description:
    - Circuit ID of the client's line (option 82.1, or the Interface-Id from the DHCPv6 relay agent nearest
      to the client), as text or 0x octets.
    type: str
  remote_id:
    description:
    - Remote ID from the relay agent (option 82.2, or DHCPv6 option 37, with or without the enterprise
      number), as text or 0x octets.
    type: str
  subscriber_id:
    description:
    - Subscriber ID from the relay agent (option 82.6, or DHCPv6 option 38), as text or 0x octets.
    type: str
  hostname:
    description:
    - 'Hostname that the client gets (option 12) and that its DNS records have. Null: the client''s own.'
    type: str
  aliases:
    description:
    - 'Further names of the address, at most 32, unique and in lower case: one label in the subnet''s
      domain, or a name in a zone of the tenant. They do not count as managed addresses. A change replaces
      the whole list.'
    type: list
    elements: str
  alias_records:
    description:
    - 'How aliases are published. `cname`: as CNAME records to the hostname; no other record may have
      such a name. `address`: as A or AAAA records, and several objects may share a name.'
    - The server's default is V("cname").
    type: str
    choices:
    - address
    - cname
  class:
    description:
    - 'Client class of the client, in addition to those whose conditions match. Null: none.'
    - By name or by id.
    type: str
    aliases:
    - class_id
  description:
    description:
    - Free text; the service does not interpret it.
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
  subnet:
    description:
    - 'Subnet of the reservation. Left out: it applies in all subnets of the tenant and has no address.'
    - By cidr or by id.
    type: str
    aliases:
    - subnet_id
  tenant:
    description:
    - 'Tenant of a reservation for all subnets. Left out: the tenant of the token, else the default tenant.'
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
- name: Have the reservation
  ipam.ipam.reservation:
    subnet: 192.0.2.0/24
    mac: aa:bb:cc:dd:ee:ff
    hostname: printer-1
    description: Second floor
- name: Have no such reservation
  ipam.ipam.reservation:
    subnet: 192.0.2.0/24
    mac: aa:bb:cc:dd:ee:ff
    state: absent
"""

RETURN = r"""
object:
  description: The reservation as it is now, or in check mode would be; null where there is none. A secret
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
    subnet_id:
      description: 'Subnet of the reservation. Null: it applies in all subnets of its tenant.'
      type: str
    ip:
      description: 'Address that the client gets. Null: none; the reservation only sets hostname, options,
        class or prefix.'
      type: str
    prefix:
      description: 'IPv6 prefix that is delegated to the client. Null: none.'
      type: str
    excluded_prefix:
      description: 'Part of the prefix that is excluded from delegation (RFC 6603); it is sent to clients
        that request it. Null: that of the delegation pool around the prefix, if any.'
      type: str
    mac:
      description: Hardware address of the client, in any notation; unique in the subnet. At least one
        identity is required.
      type: str
    duid:
      description: 'DUID of the client (RFC 8415 section 11), 3 to 130 octets in hex. In IPv4 subnets:
        the DUID in an RFC 4361 client identifier.'
      type: str
    client_id:
      description: DHCPv4 client identifier (option 61), 1 to 255 octets in hex with the type octet, such
        as 01:aa:bb:cc:dd:ee:ff.
      type: str
    circuit_id:
      description: Circuit ID of the client's line (option 82.1, or the Interface-Id from the DHCPv6 relay
        agent nearest to the client), as text or 0x octets.
      type: str
    remote_id:
      description: Remote ID from the relay agent (option 82.2, or DHCPv6 option 37, with or without the
        enterprise number), as text or 0x octets.
      type: str
    subscriber_id:
      description: Subscriber ID from the relay agent (option 82.6, or DHCPv6 option 38), as text or 0x
        octets.
      type: str
    hostname:
      description: 'Hostname that the client gets (option 12) and that its DNS records have. Null: the
        client''s own.'
      type: str
    aliases:
      description: 'Further names of the address, at most 32, unique and in lower case: one label in the
        subnet''s domain, or a name in a zone of the tenant. They do not count as managed addresses. A
        change replaces the whole list.'
      type: list
    alias_records:
      description: 'How aliases are published. `cname`: as CNAME records to the hostname; no other record
        may have such a name. `address`: as A or AAAA records, and several objects may share a name.'
      type: str
    class_id:
      description: 'Client class of the client, in addition to those whose conditions match. Null: none.'
      type: str
    tenant_id:
      description: Tenant of a reservation for all subnets. Null if the reservation belongs to one subnet.
      type: str
    description:
      description: Free text; the service does not interpret it.
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
"""

from ansible_collections.ipam.ipam.plugins.module_utils.objects import main  # noqa: E402 - below its document

FAMILY = {
    "collection": "reservations",
    "item": "reservations",
    "label": "reservation",
    "keys": [
        ["mac"],
        ["duid"],
        ["client_id"],
        ["circuit_id", "remote_id"],
        ["remote_id"],
        ["subscriber_id"],
        ["ip"],
    ],
    "nullable": [
        "circuit_id",
        "class_id",
        "client_id",
        "duid",
        "excluded_prefix",
        "hostname",
        "ip",
        "mac",
        "prefix",
        "remote_id",
        "subnet_id",
        "subscriber_id",
        "tenant_id",
    ],
    "filters": [
        "circuit_id",
        "class_id",
        "client_id",
        "duid",
        "hostname",
        "ip",
        "mac",
        "prefix",
        "remote_id",
        "subnet_id",
        "subscriber_id",
        "tenant_id",
    ],
    "references": {
        "class": {
            "field": "class_id",
            "collection": "client-classes",
            "key": "name",
            "label": "client class",
        },
        "subnet": {"field": "subnet_id", "collection": "subnets", "key": "cidr", "label": "subnet"},
        "tenant": {"field": "tenant_id", "collection": "tenants", "key": "name", "label": "tenant"},
    },
    "parents": [{"field": "subnet_id", "path": "/subnets/{id}/reservations"}],
    "in_tenant": False,
    "in_bulk": True,
    "write_only": [],
    "options": {
        "ip": {"type": "str"},
        "prefix": {"type": "str"},
        "excluded_prefix": {"type": "str"},
        "mac": {"type": "str"},
        "duid": {"type": "str"},
        "client_id": {"type": "str"},
        "circuit_id": {"type": "str"},
        "remote_id": {"type": "str"},
        "subscriber_id": {"type": "str"},
        "hostname": {"type": "str"},
        "aliases": {"type": "list", "elements": "str"},
        "alias_records": {"type": "str", "choices": ["address", "cname"]},
        "class": {"type": "str", "aliases": ["class_id"]},
        "description": {"type": "str"},
        "tags": {"type": "list", "elements": "str"},
        "custom": {"type": "dict"},
        "subnet": {"type": "str", "aliases": ["subnet_id"]},
        "tenant": {"type": "str", "aliases": ["tenant_id"]},
    },
}

if __name__ == "__main__":
    main(FAMILY)
