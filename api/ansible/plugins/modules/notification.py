"""Written by `python -m api.generators`; the code is in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: notification
short_description: Make, change and delete notifications of an ipam server
description:
- A notification that matches the task is not changed. Fields that the task does not contain are kept.
- It is identified by O(id), else by name.
- Check mode performs a dry run on the server, which reports the errors that the task would have.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  name:
    description:
    - Name of the notification, unique in the tenant.
    - Needed to make one.
    type: str
  kind:
    description:
    - 'Target: `slack`, `teams` (a workflow that posts a message when a webhook request is received),
      `mattermost`, `ntfy`, or `mail` through the SMTP server of the settings.'
    - Needed to make one.
    type: str
    choices:
    - mail
    - mattermost
    - ntfy
    - slack
    - teams
  description:
    description:
    - Free text; the service does not interpret it.
    type: str
  enabled:
    description:
    - 'False: no events are sent.'
    - The server's default is V(true).
    type: bool
  url:
    description:
    - 'For chats: URL of the incoming webhook; for `ntfy`: the server, such as https://ntfy.sh/. Only
      admins see more than the host. Null: for `mail`.'
    type: str
  topic:
    description:
    - 'For `ntfy`: the topic. Null: for other kinds, and for all but admins.'
    type: str
  priority:
    description:
    - 'For `ntfy`: priority of all messages, 1 to 5. Null: 3 for info, 4 for warning, 5 for critical.'
    type: int
  recipients:
    description:
    - 'For `mail`: addresses, at most 20.'
    type: list
    elements: str
  events:
    description:
    - 'Event types, all types of a kind (`pool.*`), or `*`. Empty: pools, DNS updates that failed, secondaries,
      relays, nodes and the managed address limit; no leases and no changes.'
    type: list
    elements: str
  severity:
    description:
    - 'Lowest severity that is sent: `info`, `warning` or `critical`.'
    - The server's default is V("info").
    type: str
    choices:
    - critical
    - info
    - warning
  networks:
    description:
    - 'Send only events about addresses or networks within these. Empty: all events.'
    type: list
    elements: str
  zones:
    description:
    - 'Send only events about names at or below these zones. Empty: all events.'
    type: list
    elements: str
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
- name: Have the notification
  ipam.ipam.notification:
    name: noc
    recipients:
    - noc@example.net
    severity: warning
    kind: mail
    description: Second floor
- name: Have no such notification
  ipam.ipam.notification:
    name: noc
    state: absent
"""

RETURN = r"""
object:
  description: The notification as it is now, or in check mode would be; null where there is none. A secret
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
    name:
      description: Name of the notification, unique in the tenant.
      type: str
    kind:
      description: 'Target: `slack`, `teams` (a workflow that posts a message when a webhook request is
        received), `mattermost`, `ntfy`, or `mail` through the SMTP server of the settings.'
      type: str
    description:
      description: Free text; the service does not interpret it.
      type: str
    enabled:
      description: 'False: no events are sent.'
      type: bool
    disabled_reason:
      description: 'Reason for which the service disabled the notification. Null: it did not.'
      type: str
    url:
      description: 'For chats: URL of the incoming webhook; for `ntfy`: the server, such as https://ntfy.sh/.
        Only admins see more than the host. Null: for `mail`.'
      type: str
    topic:
      description: 'For `ntfy`: the topic. Null: for other kinds, and for all but admins.'
      type: str
    priority:
      description: 'For `ntfy`: priority of all messages, 1 to 5. Null: 3 for info, 4 for warning, 5 for
        critical.'
      type: int
    recipients:
      description: 'For `mail`: addresses, at most 20.'
      type: list
    events:
      description: 'Event types, all types of a kind (`pool.*`), or `*`. Empty: pools, DNS updates that
        failed, secondaries, relays, nodes and the managed address limit; no leases and no changes.'
      type: list
    severity:
      description: 'Lowest severity that is sent: `info`, `warning` or `critical`.'
      type: str
    networks:
      description: 'Send only events about addresses or networks within these. Empty: all events.'
      type: list
    zones:
      description: 'Send only events about names at or below these zones. Empty: all events.'
      type: list
"""

from ansible_collections.ipam.ipam.plugins.module_utils.objects import main  # noqa: E402 - below its document

FAMILY = {
    "collection": "notifications",
    "item": "notifications",
    "label": "notification",
    "keys": [["name"]],
    "nullable": ["disabled_reason", "priority", "tenant_id", "topic", "url"],
    "filters": ["enabled", "kind", "name", "tenant_id"],
    "references": {
        "tenant": {"field": "tenant_id", "collection": "tenants", "key": "name", "label": "tenant"},
    },
    "parents": [],
    "in_tenant": False,
    "in_bulk": True,
    "write_only": [],
    "options": {
        "name": {"type": "str"},
        "kind": {"type": "str", "choices": ["mail", "mattermost", "ntfy", "slack", "teams"]},
        "description": {"type": "str"},
        "enabled": {"type": "bool"},
        "url": {"type": "str"},
        "topic": {"type": "str"},
        "priority": {"type": "int"},
        "recipients": {"type": "list", "elements": "str"},
        "events": {"type": "list", "elements": "str"},
        "severity": {"type": "str", "choices": ["critical", "info", "warning"]},
        "networks": {"type": "list", "elements": "str"},
        "zones": {"type": "list", "elements": "str"},
        "tenant": {"type": "str", "aliases": ["tenant_id"]},
    },
}

if __name__ == "__main__":
    main(FAMILY)
