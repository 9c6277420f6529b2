"""Written by `python -m api.generators`; the code is in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: token
short_description: Make, change and delete tokens of an ipam server
description:
- A token that matches the task is not changed. Fields that the task does not contain are kept.
- It is identified by O(id), else by name.
- Check mode performs a dry run on the server, which reports the errors that the task would have.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  name:
    description:
    - Name of the token, which the audit log shows.
    - Needed to make one.
    type: str
  role:
    description:
    - '`admin`: everything. `operator`: read, release leases, retry and drain. `viewer`: read.'
    - Needed to make one.
    type: str
    choices:
    - admin
    - operator
    - viewer
  expires_at:
    description:
    - 'When the token expires. Null: never.'
    type: str
  allowed_cidrs:
    description:
    - 'Networks that the token may be used from. Empty: from any address.'
    type: list
    elements: str
  tenant:
    description:
    - 'Tenant of the token, which can see and change only objects of this tenant. Null: all tenants.'
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
- name: Have the token
  ipam.ipam.token:
    name: import
    role: admin
- name: Have no such token
  ipam.ipam.token:
    name: import
    state: absent
"""

RETURN = r"""
object:
  description: The token as it is now, or in check mode would be; null where there is none. A secret that
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
    name:
      description: Name of the token, which the audit log shows.
      type: str
    role:
      description: '`admin`: everything. `operator`: read, release leases, retry and drain. `viewer`:
        read.'
      type: str
    tenant_id:
      description: 'Tenant of the token, which can see and change only objects of this tenant. Null: all
        tenants.'
      type: str
    expires_at:
      description: 'When the token expires. Null: never.'
      type: str
    allowed_cidrs:
      description: 'Networks that the token may be used from. Empty: from any address.'
      type: list
    last_used_at:
      description: 'When the token was last used, accurate to about a minute. Null: never.'
      type: str
    prefix:
      description: First characters of the token, which identify it but cannot be used to sign in.
      type: str
"""

from ansible_collections.ipam.ipam.plugins.module_utils.objects import main  # noqa: E402 - below its document

FAMILY = {
    "collection": "tokens",
    "item": "tokens",
    "label": "token",
    "keys": [["name"]],
    "nullable": ["expires_at", "last_used_at", "tenant_id"],
    "filters": ["name", "role", "tenant_id"],
    "references": {
        "tenant": {"field": "tenant_id", "collection": "tenants", "key": "name", "label": "tenant"},
    },
    "parents": [],
    "in_tenant": False,
    "in_bulk": False,
    "write_only": [],
    "options": {
        "name": {"type": "str"},
        "role": {"type": "str", "choices": ["admin", "operator", "viewer"]},
        "expires_at": {"type": "str"},
        "allowed_cidrs": {"type": "list", "elements": "str"},
        "tenant": {"type": "str", "aliases": ["tenant_id"]},
    },
}

if __name__ == "__main__":
    main(FAMILY)
