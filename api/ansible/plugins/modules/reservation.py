"""Written by `python -m api.generators`; what it does stands in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: reservation
short_description: Make, change and delete reservations of an ipam server
description:
- A reservation that is as the task says is left alone; fields that the task does not name stay.
- It is known by O(id), else by mac; else by duid; else by client_id; else by circuit_id and remote_id;
  else by remote_id; else by subscriber_id; else by ip.
- Check mode asks the server what would become of it, and is refused what the task would be refused.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  ip:
    description:
    - 'The address that its client gets. Left out, the next free one of the subnet; null: none, the reservation
      gives host name, options and class alone.'
    type: str
  prefix:
    description:
    - 'IPv6 prefix that is delegated to its client. Null: none.'
    type: str
  excluded_prefix:
    description:
    - 'Part of the prefix that its client leaves to the link by which it got it (RFC 6603), told to clients
      that ask for it. Null: that of the delegation pool around the prefix, if any.'
    type: str
  mac:
    description:
    - Hardware address that the client is known by, in any notation; unique in the subnet. One of the
      identities is needed.
    type: str
  duid:
    description:
    - DUID that the client is known by (RFC 8415 section 11), 3 to 130 octets in hex; in IPv4 subnets
      that of an RFC 4361 client id.
    type: str
  client_id:
    description:
    - DHCPv4 client identifier (option 61), 1 to 255 octets in hex with the type octet, such as 01:aa:bb:cc:dd:ee:ff.
    type: str
  circuit_id:
    description:
    - Circuit that the client is behind (option 82.1, or DHCPv6's Interface-Id of the relay next to it),
      as text or 0x octets.
    type: str
  remote_id:
    description:
    - Remote id that the relay says (option 82.2, or DHCPv6 option 37, there with the enterprise number
      or without), as text or 0x octets.
    type: str
  subscriber_id:
    description:
    - Subscriber that the relay says (option 82.6, or DHCPv6 option 38), as text or 0x octets.
    type: str
  hostname:
    description:
    - 'Host name that the client is given (option 12), and that its DNS records bear. Null: the client''s
      own.'
    type: str
  aliases:
    description:
    - 'Further names of the address, at most 32, in lower case and each once: one label in the subnet''s
      domain, or a name in a zone of the tenant. They do not count as managed addresses. Written, the
      list replaces the one before.'
    type: list
    elements: str
  alias_records:
    description:
    - 'How aliases are published: `cname` as CNAME records to the host name, which stand alone at their
      names; `address` as A or AAAA records, which several objects may share.'
    - The server's default is V("cname").
    type: str
    choices:
    - address
    - cname
  class:
    description:
    - 'Client class that its client is put into, whatever the class asks for. Null: none.'
    - By name or by id.
    type: str
    aliases:
    - class_id
  description:
    description:
    - For people; the service reads nothing into it.
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
  subnet:
    description:
    - 'The subnet that it stands in. Left out: it holds in all subnets of the tenant, and has no address.'
    - By cidr or by id.
    type: str
    aliases:
    - subnet_id
  tenant:
    description:
    - 'The tenant in all of whose subnets it holds. Left out: the token''s, else the default one.'
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
      description: 'Names the object in paths. Opaque: made by the service and never given to another.'
      type: str
    created_at:
      description: When it was made, in UTC with milliseconds (RFC 3339).
      type: str
    updated_at:
      description: When it was changed last, in UTC with milliseconds (RFC 3339).
      type: str
    subnet_id:
      description: 'The subnet that it stands in. Null: it holds in all subnets of its tenant.'
      type: str
    ip:
      description: 'The address that its client gets. Null: none; it gives host name, options and class,
        or a prefix.'
      type: str
    prefix:
      description: 'IPv6 prefix that is delegated to its client. Null: none.'
      type: str
    excluded_prefix:
      description: 'Part of the prefix that its client leaves to the link by which it got it (RFC 6603),
        told to clients that ask for it. Null: that of the delegation pool around the prefix, if any.'
      type: str
    mac:
      description: Hardware address that the client is known by, in any notation; unique in the subnet.
        One of the identities is needed.
      type: str
    duid:
      description: DUID that the client is known by (RFC 8415 section 11), 3 to 130 octets in hex; in
        IPv4 subnets that of an RFC 4361 client id.
      type: str
    client_id:
      description: DHCPv4 client identifier (option 61), 1 to 255 octets in hex with the type octet, such
        as 01:aa:bb:cc:dd:ee:ff.
      type: str
    circuit_id:
      description: Circuit that the client is behind (option 82.1, or DHCPv6's Interface-Id of the relay
        next to it), as text or 0x octets.
      type: str
    remote_id:
      description: Remote id that the relay says (option 82.2, or DHCPv6 option 37, there with the enterprise
        number or without), as text or 0x octets.
      type: str
    subscriber_id:
      description: Subscriber that the relay says (option 82.6, or DHCPv6 option 38), as text or 0x octets.
      type: str
    hostname:
      description: 'Host name that the client is given (option 12), and that its DNS records bear. Null:
        the client''s own.'
      type: str
    aliases:
      description: 'Further names of the address, at most 32, in lower case and each once: one label in
        the subnet''s domain, or a name in a zone of the tenant. They do not count as managed addresses.
        Written, the list replaces the one before.'
      type: list
    alias_records:
      description: 'How aliases are published: `cname` as CNAME records to the host name, which stand
        alone at their names; `address` as A or AAAA records, which several objects may share.'
      type: str
    class_id:
      description: 'Client class that its client is put into, whatever the class asks for. Null: none.'
      type: str
    tenant_id:
      description: The tenant in all of whose subnets it holds. Null where it stands in one subnet.
      type: str
    description:
      description: For people; the service reads nothing into it.
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
