"""Written by `python -m api.generators`; the code is in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: client_class
short_description: Make, change and delete client classes of an ipam server
description:
- A client class that matches the task is not changed. Fields that the task does not contain are kept.
- It is identified by O(id), else by name.
- Check mode performs a dry run on the server, which reports the errors that the task would have.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  name:
    description:
    - Name of the class, unique in the tenant. Conditions refer to it.
    - Needed to make one.
    type: str
  description:
    description:
    - Free text; the service does not interpret it.
    type: str
  priority:
    description:
    - 'Precedence of the class: lower numbers first. If several classes of a client have an option, the
      first class applies.'
    - The server's default is V(100).
    type: int
  vendor_class:
    description:
    - 'Matches if the client''s option 60 (DHCPv6 16) begins with this text. Null: not compared.'
    type: str
  user_class:
    description:
    - 'Matches if the client''s option 77 (DHCPv6 15) is equal to this text. Null: not compared.'
    type: str
  mac_prefix:
    description:
    - 'Matches hardware addresses that begin with these one to six octets. Null: not compared.'
    type: str
  locally_administered:
    description:
    - 'Matches locally administered hardware addresses, as private addresses are (true), or addresses
      from a vendor (false). Null: not compared.'
    type: bool
  known:
    description:
    - 'Matches clients with a reservation (true) or without one (false). Null: not compared.'
    type: bool
  match:
    description:
    - 'A tree of conditions: {"all": [...]}, {"any": [...]}, {"not": {...}}, and leaves such as {"option":
      93, "in": [7, 9]}, at most 64. Null: not compared.'
    type: dict
  template:
    description:
    - 'True: a template. Each value that the one leaf of `match` reads creates a class, NAME:VALUE.'
    - The server's default is V(false).
    type: bool
  deny:
    description:
    - 'True: the server does not answer clients of this class.'
    - The server's default is V(false).
    type: bool
  next_server:
    description:
    - 'Where a client loads its boot file from: an IPv4 address goes into the header''s siaddr and option
      66, a host name into sname and option 66. Null: nothing is said.'
    type: str
  server_name:
    description:
    - 'Name of the boot server (sname and option 66), in addition to an address in next_server; at most
      255 characters. A name longer than 63 characters is sent in option 66 only. Null: the name in next_server,
      if any.'
    type: str
  boot_file:
    description:
    - 'Path or URL of the boot file (header field file and option 67; DHCPv6 option 59), at most 255 octets.
      A value longer than 127 octets is sent in option 67 only. Null: none is sent.'
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
- name: Have the client class
  ipam.ipam.client_class:
    name: phones
    vendor_class: ACME phone
    description: Second floor
- name: Have no such client class
  ipam.ipam.client_class:
    name: phones
    state: absent
"""

RETURN = r"""
object:
  description: The client class as it is now, or in check mode would be; null where there is none. A secret
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
    name:
      description: Name of the class, unique in the tenant. Conditions refer to it.
      type: str
    description:
      description: Free text; the service does not interpret it.
      type: str
    priority:
      description: 'Precedence of the class: lower numbers first. If several classes of a client have
        an option, the first class applies.'
      type: int
    vendor_class:
      description: 'Matches if the client''s option 60 (DHCPv6 16) begins with this text. Null: not compared.'
      type: str
    user_class:
      description: 'Matches if the client''s option 77 (DHCPv6 15) is equal to this text. Null: not compared.'
      type: str
    mac_prefix:
      description: 'Matches hardware addresses that begin with these one to six octets. Null: not compared.'
      type: str
    locally_administered:
      description: 'Matches locally administered hardware addresses, as private addresses are (true),
        or addresses from a vendor (false). Null: not compared.'
      type: bool
    known:
      description: 'Matches clients with a reservation (true) or without one (false). Null: not compared.'
      type: bool
    match:
      description: 'A tree of conditions: {"all": [...]}, {"any": [...]}, {"not": {...}}, and leaves such
        as {"option": 93, "in": [7, 9]}, at most 64. Null: not compared.'
      type: dict
    template:
      description: 'True: a template. Each value that the one leaf of `match` reads creates a class, NAME:VALUE.'
      type: bool
    deny:
      description: 'True: the server does not answer clients of this class.'
      type: bool
    next_server:
      description: 'Where a client loads its boot file from: an IPv4 address goes into the header''s siaddr
        and option 66, a host name into sname and option 66. Null: nothing is said.'
      type: str
    server_name:
      description: 'Name of the boot server (sname and option 66), in addition to an address in next_server;
        at most 255 characters. A name longer than 63 characters is sent in option 66 only. Null: the
        name in next_server, if any.'
      type: str
    boot_file:
      description: 'Path or URL of the boot file (header field file and option 67; DHCPv6 option 59),
        at most 255 octets. A value longer than 127 octets is sent in option 67 only. Null: none is sent.'
      type: str
"""

from ansible_collections.ipam.ipam.plugins.module_utils.objects import main  # noqa: E402 - below its document

FAMILY = {
    "collection": "client-classes",
    "item": "client-classes",
    "label": "client class",
    "keys": [["name"]],
    "nullable": [
        "boot_file",
        "known",
        "locally_administered",
        "mac_prefix",
        "match",
        "next_server",
        "server_name",
        "user_class",
        "vendor_class",
    ],
    "filters": [
        "deny",
        "known",
        "mac_prefix",
        "name",
        "priority",
        "template",
        "tenant_id",
        "user_class",
        "vendor_class",
    ],
    "references": {
        "tenant": {"field": "tenant_id", "collection": "tenants", "key": "name", "label": "tenant"},
    },
    "parents": [],
    "in_tenant": True,
    "in_bulk": True,
    "write_only": [],
    "options": {
        "name": {"type": "str"},
        "description": {"type": "str"},
        "priority": {"type": "int"},
        "vendor_class": {"type": "str"},
        "user_class": {"type": "str"},
        "mac_prefix": {"type": "str"},
        "locally_administered": {"type": "bool"},
        "known": {"type": "bool"},
        "match": {"type": "dict"},
        "template": {"type": "bool"},
        "deny": {"type": "bool"},
        "next_server": {"type": "str"},
        "server_name": {"type": "str"},
        "boot_file": {"type": "str"},
        "tenant": {"type": "str", "aliases": ["tenant_id"]},
    },
}

if __name__ == "__main__":
    main(FAMILY)
