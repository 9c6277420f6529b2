"""Written by `python -m api.generators`; the code is in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: option_definition
short_description: Make, change and delete option definitions of an ipam server
description:
- A option definition that matches the task is not changed. Fields that the task does not contain are
  kept.
- It is identified by O(id), else by code and family and vendor_space.
- Check mode performs a dry run on the server, which reports the errors that the task would have.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  code:
    description:
    - Code of the option, or of the sub-option in its vendor space.
    - Needed to make one.
    type: int
  name:
    description:
    - Name of the option, unique in its family and space.
    - Needed to make one.
    type: str
  kind:
    description:
    - Type of the data, such as `ipv4`, `uint16`, `string` or `binary`.
    - Needed to make one.
    type: str
    choices:
    - address
    - ascii
    - binary
    - empty
    - flag
    - int16
    - int32
    - int8
    - name
    - resolvers
    - routes
    - sip-servers
    - string
    - strings
    - suboptions
    - uint16
    - uint32
    - uint8
    - vendor-suboptions
  array:
    description:
    - 'True: the data is a list of values of the kind.'
    - The server's default is V(false).
    type: bool
  family:
    description:
    - 4 for DHCPv4, 6 for DHCPv6.
    - The server's default is V(4).
    type: int
    choices:
    - 4
    - 6
  vendor_space:
    description:
    - 'Vendor space of a sub-option: the vendor class of option 43, or an enterprise number (option 125;
      DHCPv6 17). Null: an option by itself.'
    type: str
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
- name: Have the option definition
  ipam.ipam.option_definition:
    code: 224
    family: 4
    kind: uint16
    name: printer-pins
- name: Have no such option definition
  ipam.ipam.option_definition:
    code: 224
    family: 4
    state: absent
"""

RETURN = r"""
object:
  description: The option definition as it is now, or in check mode would be; null where there is none.
    A secret that the server makes is shown here once, by the task that makes the object.
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
    family:
      description: 4 for DHCPv4, 6 for DHCPv6.
      type: int
    code:
      description: Code of the option, or of the sub-option in its vendor space.
      type: int
    name:
      description: Name of the option, unique in its family and space.
      type: str
    kind:
      description: Type of the data, such as `ipv4`, `uint16`, `string` or `binary`.
      type: str
    array:
      description: 'True: the data is a list of values of the kind.'
      type: bool
    vendor_space:
      description: 'Vendor space of a sub-option: the vendor class of option 43, or an enterprise number
        (option 125; DHCPv6 17). Null: an option by itself.'
      type: str
"""

from ansible_collections.ipam.ipam.plugins.module_utils.objects import main  # noqa: E402 - below its document

FAMILY = {
    "collection": "option-definitions",
    "item": "option-definitions",
    "label": "option definition",
    "keys": [["code", "family", "vendor_space"]],
    "nullable": ["vendor_space"],
    "filters": ["array", "code", "family", "kind", "name", "tenant_id", "vendor_space"],
    "references": {
        "tenant": {"field": "tenant_id", "collection": "tenants", "key": "name", "label": "tenant"},
    },
    "parents": [],
    "in_tenant": True,
    "in_bulk": True,
    "write_only": [],
    "options": {
        "code": {"type": "int"},
        "name": {"type": "str"},
        "kind": {
            "type": "str",
            "choices": [
                "address",
                "ascii",
                "binary",
                "empty",
                "flag",
                "int16",
                "int32",
                "int8",
                "name",
                "resolvers",
                "routes",
                "sip-servers",
                "string",
                "strings",
                "suboptions",
                "uint16",
                "uint32",
                "uint8",
                "vendor-suboptions",
            ],
        },
        "array": {"type": "bool"},
        "family": {"type": "int", "choices": [4, 6]},
        "vendor_space": {"type": "str"},
        "tenant": {"type": "str", "aliases": ["tenant_id"]},
    },
}

if __name__ == "__main__":
    main(FAMILY)
