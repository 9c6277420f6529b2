"""Written by `python -m api.generators`; the code is in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: pool
short_description: Make, change and delete pools of an ipam server
description:
- A pool that matches the task is not changed. Fields that the task does not contain are kept.
- It is identified by O(id), else by name; else by start_ip and end_ip; else by prefix.
- Check mode performs a dry run on the server, which reports the errors that the task would have.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  start_ip:
    description:
    - First address of the range. Null for a pool that delegates prefixes.
    type: str
  end_ip:
    description:
    - Last address of the range, inclusive. Null for a pool that delegates prefixes.
    type: str
  prefix:
    description:
    - 'IPv6 prefix of a delegation pool, outside all subnets. Null: a pool of addresses.'
    type: str
  delegated_length:
    description:
    - 'Length of the prefix that each client of a delegation pool gets, such as 56. Null: a pool of addresses.'
    type: int
  excluded_prefix:
    description:
    - 'Part of each delegated prefix that is excluded from delegation (RFC 6603), written within the first
      prefix of the pool. Null: none.'
    type: str
  name:
    description:
    - Name of the pool.
    type: str
  class:
    description:
    - 'Only clients of this class may use the pool; such pools are tried first. Null: all clients may
      use it.'
    - By name or by id.
    type: str
    aliases:
    - class_id
  allocation:
    description:
    - '`hashed`: a new client''s address is derived from its identity, so that servers need not agree.
      `sequential`: the lowest free address.'
    - The server's default is V("hashed").
    type: str
    choices:
    - hashed
    - sequential
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
    - The subnet.
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
- name: Have the pool
  ipam.ipam.pool:
    subnet: 192.0.2.0/24
    name: staff
    start_ip: 192.0.2.100
    end_ip: 192.0.2.119
- name: Have no such pool
  ipam.ipam.pool:
    subnet: 192.0.2.0/24
    name: staff
    state: absent
"""

RETURN = r"""
object:
  description: The pool as it is now, or in check mode would be; null where there is none. A secret that
    the server makes is shown here once, by the task that makes the object.
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
    name:
      description: Name of the pool.
      type: str
    start_ip:
      description: First address of the range. Null for a pool that delegates prefixes.
      type: str
    end_ip:
      description: Last address of the range, inclusive. Null for a pool that delegates prefixes.
      type: str
    prefix:
      description: 'IPv6 prefix of a delegation pool, outside all subnets. Null: a pool of addresses.'
      type: str
    delegated_length:
      description: 'Length of the prefix that each client of a delegation pool gets, such as 56. Null:
        a pool of addresses.'
      type: int
    excluded_prefix:
      description: 'Part of each delegated prefix that is excluded from delegation (RFC 6603), written
        within the first prefix of the pool. Null: none.'
      type: str
    class_id:
      description: 'Only clients of this class may use the pool; such pools are tried first. Null: all
        clients may use it.'
      type: str
    allocation:
      description: '`hashed`: a new client''s address is derived from its identity, so that servers need
        not agree. `sequential`: the lowest free address.'
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
    in_use:
      description: 'Addresses of the pool that machines visibly use: servers, relay agents, the gateway.
        The pool leases none of them, nor a prefix that contains one. `If-Match` ignores them.'
      type: list
"""

from ansible_collections.ipam.ipam.plugins.module_utils.objects import main  # noqa: E402 - below its document

FAMILY = {
    "collection": "pools",
    "item": "pools",
    "label": "pool",
    "keys": [["name"], ["start_ip", "end_ip"], ["prefix"]],
    "nullable": ["class_id", "delegated_length", "end_ip", "excluded_prefix", "prefix", "start_ip"],
    "filters": ["allocation", "class_id", "end_ip", "name", "prefix", "start_ip", "subnet_id"],
    "references": {
        "class": {
            "field": "class_id",
            "collection": "client-classes",
            "key": "name",
            "label": "client class",
        },
        "subnet": {"field": "subnet_id", "collection": "subnets", "key": "cidr", "label": "subnet"},
    },
    "parents": [{"field": "subnet_id", "path": "/subnets/{id}/pools"}],
    "in_tenant": False,
    "in_bulk": True,
    "write_only": [],
    "options": {
        "start_ip": {"type": "str"},
        "end_ip": {"type": "str"},
        "prefix": {"type": "str"},
        "delegated_length": {"type": "int"},
        "excluded_prefix": {"type": "str"},
        "name": {"type": "str"},
        "class": {"type": "str", "aliases": ["class_id"]},
        "allocation": {"type": "str", "choices": ["hashed", "sequential"]},
        "tags": {"type": "list", "elements": "str"},
        "custom": {"type": "dict"},
        "subnet": {"type": "str", "aliases": ["subnet_id"]},
    },
}

if __name__ == "__main__":
    main(FAMILY)
