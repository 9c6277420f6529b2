"""Written by `python -m api.generators`; the code is in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: assignment
short_description: Make, change and delete assignments of an ipam server
description:
- A assignment that matches the task is not changed. Fields that the task does not contain are kept.
- It is identified by O(id), else by ip; else by hostname.
- Check mode performs a dry run on the server, which reports the errors that the task would have.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  hostname:
    description:
    - Hostname of the host, used for its DNS records.
    - The server's default is V("host").
    - Needed to make one.
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
  ip:
    description:
    - 'The address of the host, which may be in an exclusion. Left out: the next free address of the subnet.'
    type: str
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
    - 'Subnet of the address. Left out: the subnet of the tenant that contains the address.'
    - By cidr or by id.
    type: str
    aliases:
    - subnet_id
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
- name: Have the assignment
  ipam.ipam.assignment:
    ip: 192.0.2.11
    hostname: server-1.example.net
    description: Second floor
- name: Have no such assignment
  ipam.ipam.assignment:
    ip: 192.0.2.11
    state: absent
"""

RETURN = r"""
object:
  description: The assignment as it is now, or in check mode would be; null where there is none. A secret
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
      description: Subnet of the object. It cannot be changed.
      type: str
    ip:
      description: The address of the host.
      type: str
    hostname:
      description: Hostname of the host, used for its DNS records.
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
    "collection": "assignments",
    "item": "assignments",
    "label": "assignment",
    "keys": [["ip"], ["hostname"]],
    "nullable": [],
    "filters": ["hostname", "ip", "subnet_id"],
    "references": {
        "subnet": {"field": "subnet_id", "collection": "subnets", "key": "cidr", "label": "subnet"},
    },
    "parents": [],
    "in_tenant": False,
    "in_bulk": True,
    "write_only": [],
    "options": {
        "hostname": {"type": "str"},
        "aliases": {"type": "list", "elements": "str"},
        "alias_records": {"type": "str", "choices": ["address", "cname"]},
        "ip": {"type": "str"},
        "description": {"type": "str"},
        "tags": {"type": "list", "elements": "str"},
        "custom": {"type": "dict"},
        "subnet": {"type": "str", "aliases": ["subnet_id"]},
    },
}

if __name__ == "__main__":
    main(FAMILY)
