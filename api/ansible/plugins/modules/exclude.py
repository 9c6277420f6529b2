"""Written by `python -m api.generators`; the code is in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: exclude
short_description: Make, change and delete excludes of an ipam server
description:
- A exclude that matches the task is not changed. Fields that the task does not contain are kept.
- It is identified by O(id), else by start_ip and end_ip.
- Check mode performs a dry run on the server, which reports the errors that the task would have.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  start_ip:
    description:
    - First address of the range, inclusive.
    - Needed to make one.
    type: str
  end_ip:
    description:
    - Last address of the range, inclusive. The same as start_ip for a single address.
    - Needed to make one.
    type: str
  description:
    description:
    - Free text; the service does not interpret it.
    type: str
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
- name: Have the exclude
  ipam.ipam.exclude:
    subnet: 192.0.2.0/24
    start_ip: 192.0.2.100
    end_ip: 192.0.2.199
    description: Second floor
- name: Have no such exclude
  ipam.ipam.exclude:
    subnet: 192.0.2.0/24
    start_ip: 192.0.2.100
    end_ip: 192.0.2.199
    state: absent
"""

RETURN = r"""
object:
  description: The exclude as it is now, or in check mode would be; null where there is none. A secret
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
    start_ip:
      description: First address of the range, inclusive.
      type: str
    end_ip:
      description: Last address of the range, inclusive. The same as start_ip for a single address.
      type: str
    description:
      description: Free text; the service does not interpret it.
      type: str
"""

from ansible_collections.ipam.ipam.plugins.module_utils.objects import main  # noqa: E402 - below its document

FAMILY = {
    "collection": "excludes",
    "item": "excludes",
    "label": "exclude",
    "keys": [["start_ip", "end_ip"]],
    "nullable": [],
    "filters": ["description", "end_ip", "start_ip", "subnet_id"],
    "references": {
        "subnet": {"field": "subnet_id", "collection": "subnets", "key": "cidr", "label": "subnet"},
    },
    "parents": [{"field": "subnet_id", "path": "/subnets/{id}/excludes"}],
    "in_tenant": False,
    "in_bulk": True,
    "write_only": [],
    "options": {
        "start_ip": {"type": "str"},
        "end_ip": {"type": "str"},
        "description": {"type": "str"},
        "subnet": {"type": "str", "aliases": ["subnet_id"]},
    },
}

if __name__ == "__main__":
    main(FAMILY)
