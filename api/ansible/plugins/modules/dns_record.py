"""Written by `python -m api.generators`; the code is in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: dns_record
short_description: Make, change and delete DNS records of an ipam server
description:
- A dns record that matches the task is not changed. Fields that the task does not contain are kept.
- It is identified by O(id), else by name and type and data.
- Check mode performs a dry run on the server, which reports the errors that the task would have.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  name:
    description:
    - Owner of the record relative to the zone; @ for the zone itself, * for a wildcard.
    - Needed to make one.
    type: str
  type:
    description:
    - Type of the record, by name or as TYPE65400 (RFC 3597).
    - Needed to make one.
    type: str
  data:
    description:
    - Data of the record as in a master file (RFC 1035 section 5). Names without a trailing dot are absolute.
    - Needed to make one.
    type: str
  ttl:
    description:
    - 'TTL in seconds. Null: the zone''s default_ttl.'
    type: int
  description:
    description:
    - Free text; the service does not interpret it.
    type: str
  zone:
    description:
    - The dns zone.
    - By name or by id.
    type: str
    aliases:
    - zone_id
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
- name: Have the dns record
  ipam.ipam.dns_record:
    zone: example.net
    name: www
    type: A
    data: 192.0.2.80
    description: Second floor
- name: Have no such dns record
  ipam.ipam.dns_record:
    zone: example.net
    name: www
    type: A
    data: 192.0.2.80
    state: absent
"""

RETURN = r"""
object:
  description: The dns record as it is now, or in check mode would be; null where there is none. A secret
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
    zone_id:
      description: Zone of the record. It cannot be changed.
      type: str
    name:
      description: Owner of the record relative to the zone; @ is the zone itself.
      type: str
    fqdn:
      description: Fully qualified owner of the record.
      type: str
    type:
      description: Type of the record, by name or as TYPE65400 (RFC 3597).
      type: str
    data:
      description: Data of the record as in a master file (RFC 1035 section 5). Names without a trailing
        dot are absolute.
      type: str
    ttl:
      description: 'TTL in seconds. Null: the zone''s default_ttl.'
      type: int
    served_ttl:
      description: 'TTL in seconds with which the record is served: the shortest TTL in its RRset (RFC
        2181 section 5.2).'
      type: int
    description:
      description: Free text; the service does not interpret it.
      type: str
    source:
      description: '`static` for a record that was created by hand, else its source: lease, assignment
        or reservation, or delegation (the enabled zone below).'
      type: str
    warnings:
      description: 'Probable mistakes, as sentences: a name without its trailing dot, which then ends
        with the zone''s name twice, or a target in the zone that does not exist, has no address or is
        an alias.'
      type: list
"""

from ansible_collections.ipam.ipam.plugins.module_utils.objects import main  # noqa: E402 - below its document

FAMILY = {
    "collection": "dns-records",
    "item": "dns-records",
    "label": "dns record",
    "keys": [["name", "type", "data"]],
    "nullable": ["ttl"],
    "filters": ["data", "name", "type", "zone_id"],
    "references": {
        "zone": {"field": "zone_id", "collection": "dns-zones", "key": "name", "label": "dns zone"},
    },
    "parents": [{"field": "zone_id", "path": "/dns-zones/{id}/records"}],
    "in_tenant": False,
    "in_bulk": True,
    "write_only": [],
    "options": {
        "name": {"type": "str"},
        "type": {"type": "str"},
        "data": {"type": "str"},
        "ttl": {"type": "int"},
        "description": {"type": "str"},
        "zone": {"type": "str", "aliases": ["zone_id"]},
    },
}

if __name__ == "__main__":
    main(FAMILY)
