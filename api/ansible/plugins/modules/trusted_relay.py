"""Written by `python -m api.generators`; the code is in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: trusted_relay
short_description: Make, change and delete trusted relays of an ipam server
description:
- A trusted relay that matches the task is not changed. Fields that the task does not contain are kept.
- It is identified by O(id), else by cidr.
- Check mode performs a dry run on the server, which reports the errors that the task would have.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  cidr:
    description:
    - Network of trusted relay agents (giaddr, or source address in DHCPv6). A single address is a /32
      or /128.
    - Needed to make one.
    type: str
  sources:
    description:
    - 'Networks that packets of the relay agents may come from; packets from elsewhere are dropped (untrusted_source).
      Empty: from any address, because routers often send from another interface.'
    type: list
    elements: str
  vss:
    description:
    - 'Whether the virtual network that the relay agent names (RFC 6607: option 82.151, DHCPv6 option
      68) selects the tenant. Without effect if tenant_id is set.'
    - The server's default is V(false).
    type: bool
  client_vss:
    description:
    - Whether the client's own option (DHCPv4 221, DHCPv6 68) may select the tenant too. Requires vss.
    - The server's default is V(false).
    type: bool
  description:
    description:
    - Free text; the service does not interpret it.
    type: str
  tenant:
    description:
    - 'Tenant of the relay agents, which select only its subnets. Null: the default tenant. A relay agent
      in several networks belongs to the most specific one.'
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
- name: Have the trusted relay
  ipam.ipam.trusted_relay:
    cidr: 192.0.2.1/32
    description: Router of building 3
- name: Have no such trusted relay
  ipam.ipam.trusted_relay:
    cidr: 192.0.2.1/32
    state: absent
"""

RETURN = r"""
object:
  description: The trusted relay as it is now, or in check mode would be; null where there is none. A
    secret that the server makes is shown here once, by the task that makes the object.
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
      description: 'Tenant of the relay agents, which select only its subnets. Null: the default tenant.
        A relay agent in several networks belongs to the most specific one.'
      type: str
    cidr:
      description: Network of trusted relay agents (giaddr, or source address in DHCPv6). A single address
        is a /32 or /128.
      type: str
    sources:
      description: 'Networks that packets of the relay agents may come from; packets from elsewhere are
        dropped (untrusted_source). Empty: from any address, because routers often send from another interface.'
      type: list
    sources_seen:
      description: Source addresses of packets from its relay agents, newest first, at most 64. `If-Match`
        ignores them.
      type: list
    vss:
      description: 'Whether the virtual network that the relay agent names (RFC 6607: option 82.151, DHCPv6
        option 68) selects the tenant. Without effect if tenant_id is set.'
      type: bool
    client_vss:
      description: Whether the client's own option (DHCPv4 221, DHCPv6 68) may select the tenant too.
        Requires vss.
      type: bool
    description:
      description: Free text; the service does not interpret it.
      type: str
"""

from ansible_collections.ipam.ipam.plugins.module_utils.objects import main  # noqa: E402 - below its document

FAMILY = {
    "collection": "trusted-relays",
    "item": "trusted-relays",
    "label": "trusted relay",
    "keys": [["cidr"]],
    "nullable": ["tenant_id"],
    "filters": ["cidr", "description", "tenant_id", "vss"],
    "references": {
        "tenant": {"field": "tenant_id", "collection": "tenants", "key": "name", "label": "tenant"},
    },
    "parents": [],
    "in_tenant": False,
    "in_bulk": True,
    "write_only": [],
    "options": {
        "cidr": {"type": "str"},
        "sources": {"type": "list", "elements": "str"},
        "vss": {"type": "bool"},
        "client_vss": {"type": "bool"},
        "description": {"type": "str"},
        "tenant": {"type": "str", "aliases": ["tenant_id"]},
    },
}

if __name__ == "__main__":
    main(FAMILY)
