"""Written by `python -m api.generators`; what it does stands in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: client_class
short_description: Make, change and delete client classes of an ipam server
description:
- A client class that is as the task says is left alone; fields that the task does not name stay.
- It is known by O(id), else by name.
- Check mode asks the server what would become of it, and is refused what the task would be refused.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  name:
    description:
    - What conditions and people call it, unique in the tenant.
    - Needed to make one.
    type: str
  description:
    description:
    - For people; the service reads nothing into it.
    type: str
  priority:
    description:
    - 'Which class counts first: lower before higher. The first of a client''s classes that has an option
      gives it.'
    - The server's default is V(100).
    type: int
  vendor_class:
    description:
    - 'Matches where the client''s option 60 (DHCPv6 16) begins with it. Null: not asked for.'
    type: str
  user_class:
    description:
    - 'Matches where the client''s option 77 (DHCPv6 15) is exactly it. Null: not asked for.'
    type: str
  mac_prefix:
    description:
    - 'Matches hardware addresses that begin with these one to six octets. Null: not asked for.'
    type: str
  locally_administered:
    description:
    - 'Matches hardware addresses that were made up, as private ones are (true), or that a vendor gave
      (false). Null: not asked for.'
    type: bool
  known:
    description:
    - 'Matches clients that have a reservation (true), or none (false). Null: not asked for.'
    type: bool
  match:
    description:
    - 'A tree of conditions: {"all": [...]}, {"any": [...]}, {"not": {...}}, and leaves such as {"option":
      93, "in": [7, 9]}, at most 64. Null: not asked for.'
    type: dict
  template:
    description:
    - 'True: each value that the one leaf of `match` reads makes a class of its own, NAME:VALUE.'
    - The server's default is V(false).
    type: bool
  deny:
    description:
    - 'True: clients of this class are not answered.'
    - The server's default is V(false).
    type: bool
  next_server:
    description:
    - 'Where a client loads its boot file from: an IPv4 address goes into the header''s siaddr and option
      66, a host name into sname and option 66. Null: nothing is said.'
    type: str
  server_name:
    description:
    - 'The boot server''s name (sname and option 66) beside an address in next_server, at most 255 characters.
      One of more than 63 is sent in option 66 only. Null: what next_server says.'
    type: str
  boot_file:
    description:
    - 'The boot file''s path or URL (the header''s file and option 67; DHCPv6 option 59), at most 255
      octets. One of more than 127 octets is sent in option 67 only. Null: nothing is said.'
    type: str
  tenant:
    description:
    - 'The tenant that it belongs to. In a create, left out or null: the token''s tenant, else the default
      one. It never changes.'
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
      description: 'Names the object in paths. Opaque: made by the service and never given to another.'
      type: str
    created_at:
      description: When it was made, in UTC with milliseconds (RFC 3339).
      type: str
    updated_at:
      description: When it was changed last, in UTC with milliseconds (RFC 3339).
      type: str
    tenant_id:
      description: 'The tenant that it belongs to. In a create, left out or null: the token''s tenant,
        else the default one. It never changes.'
      type: str
    name:
      description: What conditions and people call it, unique in the tenant.
      type: str
    description:
      description: For people; the service reads nothing into it.
      type: str
    priority:
      description: 'Which class counts first: lower before higher. The first of a client''s classes that
        has an option gives it.'
      type: int
    vendor_class:
      description: 'Matches where the client''s option 60 (DHCPv6 16) begins with it. Null: not asked
        for.'
      type: str
    user_class:
      description: 'Matches where the client''s option 77 (DHCPv6 15) is exactly it. Null: not asked for.'
      type: str
    mac_prefix:
      description: 'Matches hardware addresses that begin with these one to six octets. Null: not asked
        for.'
      type: str
    locally_administered:
      description: 'Matches hardware addresses that were made up, as private ones are (true), or that
        a vendor gave (false). Null: not asked for.'
      type: bool
    known:
      description: 'Matches clients that have a reservation (true), or none (false). Null: not asked for.'
      type: bool
    match:
      description: 'A tree of conditions: {"all": [...]}, {"any": [...]}, {"not": {...}}, and leaves such
        as {"option": 93, "in": [7, 9]}, at most 64. Null: not asked for.'
      type: dict
    template:
      description: 'True: each value that the one leaf of `match` reads makes a class of its own, NAME:VALUE.'
      type: bool
    deny:
      description: 'True: clients of this class are not answered.'
      type: bool
    next_server:
      description: 'Where a client loads its boot file from: an IPv4 address goes into the header''s siaddr
        and option 66, a host name into sname and option 66. Null: nothing is said.'
      type: str
    server_name:
      description: 'The boot server''s name (sname and option 66) beside an address in next_server, at
        most 255 characters. One of more than 63 is sent in option 66 only. Null: what next_server says.'
      type: str
    boot_file:
      description: 'The boot file''s path or URL (the header''s file and option 67; DHCPv6 option 59),
        at most 255 octets. One of more than 127 octets is sent in option 67 only. Null: nothing is said.'
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
