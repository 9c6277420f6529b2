"""Written by `python -m api.generators`; the code is in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: global_option
short_description: Make, change and delete global options of an ipam server
description:
- A option that matches the task is not changed. Fields that the task does not contain are kept.
- It is identified by O(id), else by code and family and vendor_class.
- Check mode performs a dry run on the server, which reports the errors that the task would have.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  code:
    description:
    - Code of the option. Codes that the server sets by itself are refused.
    - Needed to make one.
    type: int
  payload:
    description:
    - 'Value of the option, in the form of its kind: {"addresses": [...]}, {"string": "..."}, {"value":
      n}, {"values": [...]}, {"flag": true}, {"names": [...]}, {"routes": [...]}, {"suboptions": [...]},
      or {"hex": "..."} for any code. If the value does not fit, the error shows the expected form.'
    - Needed to make one.
    type: dict
  family:
    description:
    - '4 for DHCPv4, 6 for DHCPv6. Left out or null: the family of the subnet, else 4.'
    type: int
    choices:
    - 4
    - 6
  vendor_class:
    description:
    - 'Only for clients whose option 60 begins with this text. For options 124, 125 and DHCPv6 17, a number
      is an enterprise number that the client sends. Null: for all clients.'
    type: str
  always_send:
    description:
    - 'True: the option is also sent to clients that did not request it. Options that only answer a client
      (RFC) are excepted: 108 and 159, and 82 and 83 of DHCPv6, are sent on request; 116 and 145 to clients
      that sent the same option.'
    - The server's default is V(false).
    type: bool
  never_send:
    description:
    - 'True: the option is withheld here, although a wider scope has it. The payload is then ignored.'
    - The server's default is V(false).
    type: bool
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
- name: Have the option
  ipam.ipam.global_option:
    code: 6
    family: 4
    payload:
      addresses:
      - 192.0.2.53
- name: Have no such option
  ipam.ipam.global_option:
    code: 6
    family: 4
    state: absent
"""

RETURN = r"""
object:
  description: The option as it is now, or in check mode would be; null where there is none. A secret
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
    subnet_id:
      description: 'Subnet of the option. Null: the option has another scope.'
      type: str
    pool_id:
      description: 'Pool of the option, which takes precedence over the subnet. Null: the option has another
        scope.'
      type: str
    class_id:
      description: 'Client class of the option, which takes precedence over pool and subnet. Null: the
        option has another scope.'
      type: str
    reservation_id:
      description: 'Reservation of the option, which takes precedence over all other scopes. Null: the
        option has another scope.'
      type: str
    family:
      description: 4 for DHCPv4, 6 for DHCPv6.
      type: int
    code:
      description: Code of the option. Codes that the server sets by itself are refused.
      type: int
    vendor_class:
      description: 'Only for clients whose option 60 begins with this text. For options 124, 125 and DHCPv6
        17, a number is an enterprise number that the client sends. Null: for all clients.'
      type: str
    payload:
      description: 'Value of the option, in the form of its kind: {"addresses": [...]}, {"string": "..."},
        {"value": n}, {"values": [...]}, {"flag": true}, {"names": [...]}, {"routes": [...]}, {"suboptions":
        [...]}, or {"hex": "..."} for any code. If the value does not fit, the error shows the expected
        form.'
      type: dict
    always_send:
      description: 'True: the option is also sent to clients that did not request it. Options that only
        answer a client (RFC) are excepted: 108 and 159, and 82 and 83 of DHCPv6, are sent on request;
        116 and 145 to clients that sent the same option.'
      type: bool
    never_send:
      description: 'True: the option is withheld here, although a wider scope has it. The payload is then
        ignored.'
      type: bool
    warnings:
      description: 'Effects on clients, as sentences: classless routes (121, 249) without a route for
        0.0.0.0/0 remove the gateway (RFC 3442).'
      type: list
"""

from ansible_collections.ipam.ipam.plugins.module_utils.objects import main  # noqa: E402 - below its document

FAMILY = {
    "collection": "global-options",
    "item": "options",
    "label": "option",
    "keys": [["code", "family", "vendor_class"]],
    "nullable": ["class_id", "pool_id", "reservation_id", "subnet_id", "vendor_class"],
    "filters": ["always_send", "code", "family", "never_send", "tenant_id", "vendor_class"],
    "references": {
        "tenant": {"field": "tenant_id", "collection": "tenants", "key": "name", "label": "tenant"},
    },
    "parents": [],
    "in_tenant": True,
    "in_bulk": True,
    "write_only": [],
    "options": {
        "code": {"type": "int"},
        "payload": {"type": "dict"},
        "family": {"type": "int", "choices": [4, 6]},
        "vendor_class": {"type": "str"},
        "always_send": {"type": "bool"},
        "never_send": {"type": "bool"},
        "tenant": {"type": "str", "aliases": ["tenant_id"]},
    },
}

if __name__ == "__main__":
    main(FAMILY)
