"""Written by `python -m api.generators`; the code is in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: tenant
short_description: Make, change and delete tenants of an ipam server
description:
- A tenant that matches the task is not changed. Fields that the task does not contain are kept.
- It is identified by O(id), else by name.
- Check mode performs a dry run on the server, which reports the errors that the task would have.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  name:
    description:
    - Unique name of the tenant, and of its virtual network (RFC 6607) for DHCP relay agents.
    - Needed to make one.
    type: str
  description:
    description:
    - Free text; the service does not interpret it.
    type: str
  dns_suffixes:
    description:
    - Names at or below which the tenant may enable DNS zones, also reverse zones (20.10.in-addr.arpa).
      Set by admins without a tenant. Suffixes of different tenants never lie at, above or below each
      other. The default tenant needs none.
    type: list
    elements: str
  limits:
    description:
    - 'Limits, set by admins without a tenant: webhooks (default 20), which also limits notifications,
      streams (200), streams_per_token (10), objects_per_family (100,000), deliveries_per_second (50),
      ddns_updates_per_second (200). 0: no limit. Null or left out: the default, which is no limit for
      the default tenant.'
    type: dict
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
- name: Have the tenant
  ipam.ipam.tenant:
    name: acme
    description: Customer 4711
- name: Have no such tenant
  ipam.ipam.tenant:
    name: acme
    state: absent
"""

RETURN = r"""
object:
  description: The tenant as it is now, or in check mode would be; null where there is none. A secret
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
    name:
      description: Unique name of the tenant, and of its virtual network (RFC 6607) for DHCP relay agents.
      type: str
    description:
      description: Free text; the service does not interpret it.
      type: str
    dns_suffixes:
      description: Names at or below which the tenant may enable DNS zones, also reverse zones (20.10.in-addr.arpa).
        Set by admins without a tenant. Suffixes of different tenants never lie at, above or below each
        other. The default tenant needs none.
      type: list
    is_default:
      description: Whether creates without tenant_id use this tenant.
      type: bool
    limits:
      description: 'Limits, set by admins without a tenant: webhooks (default 20), which also limits notifications,
        streams (200), streams_per_token (10), objects_per_family (100,000), deliveries_per_second (50),
        ddns_updates_per_second (200). 0: no limit. Null or left out: the default, which is no limit for
        the default tenant.'
      type: dict
    usage:
      description: Limits of the tenant, default or set, with the current use of each.
      type: dict
"""

from ansible_collections.ipam.ipam.plugins.module_utils.objects import main  # noqa: E402 - below its document

FAMILY = {
    "collection": "tenants",
    "item": "tenants",
    "label": "tenant",
    "keys": [["name"]],
    "nullable": [],
    "filters": ["name"],
    "references": {},
    "parents": [],
    "in_tenant": False,
    "in_bulk": True,
    "write_only": [],
    "options": {
        "name": {"type": "str"},
        "description": {"type": "str"},
        "dns_suffixes": {"type": "list", "elements": "str"},
        "limits": {"type": "dict"},
    },
}

if __name__ == "__main__":
    main(FAMILY)
