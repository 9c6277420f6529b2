"""Written by `python -m api.generators`; the code is in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: webhook
short_description: Make, change and delete webhooks of an ipam server
description:
- A webhook that matches the task is not changed. Fields that the task does not contain are kept.
- It is identified by O(id), else by url.
- Check mode performs a dry run on the server, which reports the errors that the task would have.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  url:
    description:
    - Where messages are posted to, by HTTP or HTTPS, without credentials in it. Only admins see all of
      it.
    - Needed to make one.
    type: str
  description:
    description:
    - Free text; the service does not interpret it.
    type: str
  events:
    description:
    - 'Event types, all types of a kind (`lease.*`), or `*`. Empty: all but lease.renewed.'
    type: list
    elements: str
  enabled:
    description:
    - 'False: no events are sent.'
    - The server's default is V(true).
    type: bool
  secret:
    description:
    - 'Secret that signs messages (Standard Webhooks): whsec_ and 24 to 64 octets in base64. It is never
      shown again. Left out in a create: the service generates one and shows it once.'
    type: str
  tenant:
    description:
    - 'Tenant whose events are sent. Null: all tenants.'
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
- name: Have the webhook
  ipam.ipam.webhook:
    url: https://hooks.example.net/ipam
    description: Second floor
- name: Have no such webhook
  ipam.ipam.webhook:
    url: https://hooks.example.net/ipam
    state: absent
"""

RETURN = r"""
object:
  description: The webhook as it is now, or in check mode would be; null where there is none. A secret
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
      description: 'Tenant whose events are sent. Null: all tenants.'
      type: str
    url:
      description: Where messages are posted to, by HTTP or HTTPS, without credentials in it. Only admins
        see all of it.
      type: str
    description:
      description: Free text; the service does not interpret it.
      type: str
    events:
      description: 'Event types, all types of a kind (`lease.*`), or `*`. Empty: all but lease.renewed.'
      type: list
    enabled:
      description: 'False: no events are sent.'
      type: bool
    disabled_reason:
      description: 'Reason for which the service disabled the webhook. Null: it did not.'
      type: str
    previous_secret_until:
      description: 'Time until which messages are also signed with the previous secret, after a rotation.
        Null: with one secret only.'
      type: str
"""

from ansible_collections.ipam.ipam.plugins.module_utils.objects import main  # noqa: E402 - below its document

FAMILY = {
    "collection": "webhooks",
    "item": "webhooks",
    "label": "webhook",
    "keys": [["url"]],
    "nullable": ["disabled_reason", "previous_secret_until", "tenant_id"],
    "filters": ["enabled", "tenant_id", "url"],
    "references": {
        "tenant": {"field": "tenant_id", "collection": "tenants", "key": "name", "label": "tenant"},
    },
    "parents": [],
    "in_tenant": False,
    "in_bulk": False,
    "write_only": ["secret"],
    "options": {
        "url": {"type": "str"},
        "description": {"type": "str"},
        "events": {"type": "list", "elements": "str"},
        "enabled": {"type": "bool"},
        "secret": {"type": "str", "no_log": True},
        "tenant": {"type": "str", "aliases": ["tenant_id"]},
    },
}

if __name__ == "__main__":
    main(FAMILY)
