"""Written by `python -m api.generators`; what it does stands in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: prefix
short_description: Make, change and delete prefixes of an ipam server
description:
- A prefix that is as the task says is left alone; fields that the task does not name stay.
- It is known by O(id), else by cidr.
- Check mode asks the server what would become of it, and is refused what the task would be refused.
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
