"""Written by `python -m api.generators`; the code is in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: dns_zone
short_description: Make, change and delete DNS zones of an ipam server
description:
- A dns zone that matches the task is not changed. Fields that the task does not contain are kept.
- It is identified by O(id), else by name.
- Check mode performs a dry run on the server, which reports the errors that the task would have.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  dns_server:
    description:
    - 'DNS server that receives updates of the zone. Null: a zone of this service.'
    - By name or by id.
    type: str
    aliases:
    - dns_server_id
  description:
    description:
    - Free text; the service does not interpret it.
    type: str
  dns_enabled:
    description:
    - 'True: `ipam dns` serves the zone. A tenant other than the default can enable zones at or below
      its dns_suffixes only, and none at, above or below an enabled zone of another tenant.'
    - The server's default is V(false).
    type: bool
  updated_elsewhere:
    description:
    - 'True: another server still receives the updates of the zone, so `ipam dns` must not serve it.'
    - The server's default is V(false).
    type: bool
  transfer_networks:
    description:
    - Networks that may transfer the zone (AXFR, IXFR), in addition to its secondaries.
    type: list
    elements: str
  secondary_ids:
    description:
    - DNS servers that are notified of each new serial and may transfer the zone.
    type: list
    elements: str
  default_ttl:
    description:
    - TTL in seconds of records without a TTL of their own.
    - The server's default is V(3600).
    type: int
  mname:
    description:
    - 'Name of the primary server in the SOA. Null: the host''s own name.'
    type: str
  rname:
    description:
    - 'Mailbox of the administrator in the SOA, written as a domain name. Null: hostmaster of the zone.'
    type: str
  refresh_seconds:
    description:
    - 'SOA: seconds after which secondaries look for a new serial.'
    - The server's default is V(7200).
    type: int
  retry_seconds:
    description:
    - 'SOA: seconds after which secondaries retry a failed refresh.'
    - The server's default is V(900).
    type: int
  expire_seconds:
    description:
    - 'SOA: seconds after the last successful refresh until secondaries stop answering.'
    - The server's default is V(1209600).
    type: int
  minimum_seconds:
    description:
    - 'SOA: seconds for which resolvers may cache that a name does not exist (RFC 2308).'
    - The server's default is V(3600).
    type: int
  name:
    description:
    - 'Name of the zone; it never changes. A network stands for its reverse zone: 10.50.0.0/16 is 50.10.in-addr.arpa,
      and 192.0.2.64/26 is 64/26.2.0.192.in-addr.arpa (RFC 2317).'
    - Needed to make one.
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
- name: Have the dns zone
  ipam.ipam.dns_zone:
    name: example.net
    description: Second floor
- name: Have no such dns zone
  ipam.ipam.dns_zone:
    name: example.net
    state: absent
"""

RETURN = r"""
object:
  description: The dns zone as it is now, or in check mode would be; null where there is none. A secret
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
      description: Name of the zone; it never changes.
      type: str
    dns_server_id:
      description: 'DNS server that receives updates of the zone. Null: a zone of this service.'
      type: str
    description:
      description: Free text; the service does not interpret it.
      type: str
    dns_enabled:
      description: 'True: `ipam dns` serves the zone. A tenant other than the default can enable zones
        at or below its dns_suffixes only, and none at, above or below an enabled zone of another tenant.'
      type: bool
    updated_elsewhere:
      description: 'True: another server still receives the updates of the zone, so `ipam dns` must not
        serve it.'
      type: bool
    transfer_networks:
      description: Networks that may transfer the zone (AXFR, IXFR), in addition to its secondaries.
      type: list
    secondary_ids:
      description: DNS servers that are notified of each new serial and may transfer the zone.
      type: list
    default_ttl:
      description: TTL in seconds of records without a TTL of their own.
      type: int
    mname:
      description: 'Name of the primary server in the SOA. Null: the host''s own name.'
      type: str
    rname:
      description: 'Mailbox of the administrator in the SOA, written as a domain name. Null: hostmaster
        of the zone.'
      type: str
    refresh_seconds:
      description: 'SOA: seconds after which secondaries look for a new serial.'
      type: int
    retry_seconds:
      description: 'SOA: seconds after which secondaries retry a failed refresh.'
      type: int
    expire_seconds:
      description: 'SOA: seconds after the last successful refresh until secondaries stop answering.'
      type: int
    minimum_seconds:
      description: 'SOA: seconds for which resolvers may cache that a name does not exist (RFC 2308).'
      type: int
    serial:
      description: Serial of the SOA. Each published change increases it.
      type: int
"""

from ansible_collections.ipam.ipam.plugins.module_utils.objects import main  # noqa: E402 - below its document

FAMILY = {
    "collection": "dns-zones",
    "item": "dns-zones",
    "label": "dns zone",
    "keys": [["name"]],
    "nullable": ["dns_server_id", "mname", "rname"],
    "filters": ["dns_enabled", "dns_server_id", "name", "tenant_id", "updated_elsewhere"],
    "references": {
        "dns_server": {
            "field": "dns_server_id",
            "collection": "dns-servers",
            "key": "name",
            "label": "dns server",
        },
        "tenant": {"field": "tenant_id", "collection": "tenants", "key": "name", "label": "tenant"},
    },
    "parents": [],
    "in_tenant": True,
    "in_bulk": True,
    "write_only": [],
    "options": {
        "dns_server": {"type": "str", "aliases": ["dns_server_id"]},
        "description": {"type": "str"},
        "dns_enabled": {"type": "bool"},
        "updated_elsewhere": {"type": "bool"},
        "transfer_networks": {"type": "list", "elements": "str"},
        "secondary_ids": {"type": "list", "elements": "str"},
        "default_ttl": {"type": "int"},
        "mname": {"type": "str"},
        "rname": {"type": "str"},
        "refresh_seconds": {"type": "int"},
        "retry_seconds": {"type": "int"},
        "expire_seconds": {"type": "int"},
        "minimum_seconds": {"type": "int"},
        "name": {"type": "str"},
        "tenant": {"type": "str", "aliases": ["tenant_id"]},
    },
}

if __name__ == "__main__":
    main(FAMILY)
