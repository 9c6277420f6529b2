"""Written by `python -m api.generators`; what it does stands in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: dns_server
short_description: Make, change and delete dns servers of an ipam server
description:
- A dns server that is as the task says is left alone; fields that the task does not name stay.
- It is known by O(id), else by name.
- Check mode asks the server what would become of it, and is refused what the task would be refused.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  name:
    description:
    - What people call it, unique in the tenant.
    - Needed to make one.
    type: str
  adapter:
    description:
    - 'How it takes updates: `bind_tsig` (RFC 2136 with TSIG), `ad_gsstsig` (with Kerberos), `powerdns_http`
      (its API), `embedded` (zones of this service).'
    - Needed to make one.
    type: str
    choices:
    - ad_gsstsig
    - bind_tsig
    - embedded
    - powerdns_http
  description:
    description:
    - For people; the service reads nothing into it.
    type: str
  address:
    description:
    - 'Address or host name that updates are sent to; a name for `ad_gsstsig`, because a ticket is for
      one. Null: of adapters that need none.'
    type: str
  port:
    description:
    - 'Port of updates. Null: 53.'
    type: int
  url:
    description:
    - 'Of `powerdns_http`: the address of the API, without credentials in it. Null: of other adapters.'
    type: str
  server_id:
    description:
    - 'Of `powerdns_http`: the server''s id in the API. Null: localhost.'
    type: str
  key_name:
    description:
    - 'Name of the TSIG key. Null: updates are not signed by TSIG.'
    type: str
  key_algorithm:
    description:
    - 'Algorithm of the TSIG key (RFC 8945). Null: hmac-sha256.'
    type: str
    choices:
    - hmac-sha1
    - hmac-sha256
    - hmac-sha384
    - hmac-sha512
  principal:
    description:
    - 'Of `ad_gsstsig`: who updates, such as svc-dhcp@EXAMPLE.NET. Null: who the ticket cache is of.'
    type: str
  realm:
    description:
    - 'Of `ad_gsstsig`: the Kerberos realm. Null: that of the principal.'
    type: str
  keytab:
    description:
    - 'Of `ad_gsstsig`: absolute path of the principal''s keytab on each machine that sends updates. Null:
      another source of keys.'
    type: str
  ticket_cache:
    description:
    - 'Of `ad_gsstsig`: a ticket cache that somebody else keeps fresh, on each machine that sends updates.
      Null: another source of keys.'
    type: str
  secret:
    description:
    - TSIG key in base64, API key, or the principal's password; it is stored sealed and never shown. Left
      out it stays; null takes it away.
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
- name: Have the dns server
  ipam.ipam.dns_server:
    name: ns1
    address: 192.0.2.53
    key_name: dhcp
    key_algorithm: hmac-sha256
    secret: '{{ vault_tsig_secret }}'
    adapter: bind_tsig
    description: Second floor
- name: Have no such dns server
  ipam.ipam.dns_server:
    name: ns1
    state: absent
"""

RETURN = r"""
object:
  description: The dns server as it is now, or in check mode would be; null where there is none. A secret
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
      description: What people call it, unique in the tenant.
      type: str
    adapter:
      description: 'How it takes updates: `bind_tsig` (RFC 2136 with TSIG), `ad_gsstsig` (with Kerberos),
        `powerdns_http` (its API), `embedded` (zones of this service).'
      type: str
    description:
      description: For people; the service reads nothing into it.
      type: str
    address:
      description: 'Address or host name that updates are sent to; a name for `ad_gsstsig`, because a
        ticket is for one. Null: of adapters that need none.'
      type: str
    port:
      description: 'Port of updates. Null: 53.'
      type: int
    url:
      description: 'Of `powerdns_http`: the address of the API, without credentials in it. Null: of other
        adapters.'
      type: str
    server_id:
      description: 'Of `powerdns_http`: the server''s id in the API. Null: localhost.'
      type: str
    key_name:
      description: 'Name of the TSIG key. Null: updates are not signed by TSIG.'
      type: str
    key_algorithm:
      description: 'Algorithm of the TSIG key (RFC 8945). Null: hmac-sha256.'
      type: str
    principal:
      description: 'Of `ad_gsstsig`: who updates, such as svc-dhcp@EXAMPLE.NET. Null: who the ticket cache
        is of.'
      type: str
    realm:
      description: 'Of `ad_gsstsig`: the Kerberos realm. Null: that of the principal.'
      type: str
    keytab:
      description: 'Of `ad_gsstsig`: absolute path of the principal''s keytab on each machine that sends
        updates. Null: another source of keys.'
      type: str
    ticket_cache:
      description: 'Of `ad_gsstsig`: a ticket cache that somebody else keeps fresh, on each machine that
        sends updates. Null: another source of keys.'
      type: str
    has_secret:
      description: Whether a secret is stored.
      type: bool
"""

from ansible_collections.ipam.ipam.plugins.module_utils.objects import main  # noqa: E402 - below its document

FAMILY = {
    "collection": "dns-servers",
    "item": "dns-servers",
    "label": "dns server",
    "keys": [["name"]],
    "nullable": [
        "address",
        "key_algorithm",
        "key_name",
        "keytab",
        "port",
        "principal",
        "realm",
        "server_id",
        "ticket_cache",
        "url",
    ],
    "filters": ["adapter", "address", "name", "tenant_id"],
    "references": {
        "tenant": {"field": "tenant_id", "collection": "tenants", "key": "name", "label": "tenant"},
    },
    "parents": [],
    "in_tenant": True,
    "in_bulk": True,
    "write_only": ["secret"],
    "options": {
        "name": {"type": "str"},
        "adapter": {"type": "str", "choices": ["ad_gsstsig", "bind_tsig", "embedded", "powerdns_http"]},
        "description": {"type": "str"},
        "address": {"type": "str"},
        "port": {"type": "int"},
        "url": {"type": "str"},
        "server_id": {"type": "str"},
        "key_name": {"type": "str", "no_log": False},
        "key_algorithm": {
            "type": "str",
            "choices": ["hmac-sha1", "hmac-sha256", "hmac-sha384", "hmac-sha512"],
            "no_log": False,
        },
        "principal": {"type": "str"},
        "realm": {"type": "str"},
        "keytab": {"type": "str", "no_log": False},
        "ticket_cache": {"type": "str"},
        "secret": {"type": "str", "no_log": True},
        "tenant": {"type": "str", "aliases": ["tenant_id"]},
    },
}

if __name__ == "__main__":
    main(FAMILY)
