"""Written by `python -m api.generators`; the code is in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: prefix
short_description: Make, change and delete prefixes of an ipam server
description:
- A prefix that matches the task is not changed. Fields that the task does not contain are kept.
- It is identified by O(id), else by cidr.
- Check mode performs a dry run on the server, which reports the errors that the task would have.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  cidr:
    description:
    - Network without host bits. Prefixes of one tenant do not overlap. It can be changed only to a network
      that contains all its subnets.
    - Needed to make one.
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
- name: Have the prefix
  ipam.ipam.prefix:
    cidr: 192.0.2.0/24
    description: Berlin
- name: Have no such prefix
  ipam.ipam.prefix:
    cidr: 192.0.2.0/24
    state: absent
"""

RETURN = r"""
object:
  description: The prefix as it is now, or in check mode would be; null where there is none. A secret
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
    cidr:
      description: Network without host bits. Prefixes of one tenant do not overlap. It can be changed
        only to a network that contains all its subnets.
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
    "collection": "prefixes",
    "item": "prefixes",
    "label": "prefix",
    "keys": [["cidr"]],
    "nullable": [],
    "filters": ["cidr", "description", "tenant_id"],
    "references": {
        "tenant": {"field": "tenant_id", "collection": "tenants", "key": "name", "label": "tenant"},
    },
    "parents": [],
    "in_tenant": True,
    "in_bulk": True,
    "write_only": [],
    "options": {
        "cidr": {"type": "str"},
        "description": {"type": "str"},
        "tags": {"type": "list", "elements": "str"},
        "custom": {"type": "dict"},
        "tenant": {"type": "str", "aliases": ["tenant_id"]},
    },
}

if __name__ == "__main__":
    main(FAMILY)
