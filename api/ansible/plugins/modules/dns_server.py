"""Written by `python -m api.generators`; the code is in module_utils/objects.py."""

from __future__ import annotations

DOCUMENTATION = r"""
module: dns_server
short_description: Make, change and delete DNS servers of an ipam server
description:
- A dns server that matches the task is not changed. Fields that the task does not contain are kept.
- It is identified by O(id), else by name.
- Check mode performs a dry run on the server, which reports the errors that the task would have.
version_added: 0.1.0
author: The ipam project (@ipam)
options:
  name:
    description:
    - Name of the server, unique in the tenant.
    - Needed to make one.
    type: str
  adapter:
    description:
    - 'Protocol of updates: `bind_tsig` (RFC 2136 with TSIG), `ad_gsstsig` (with Kerberos), `powerdns_http`
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
    - Free text; the service does not interpret it.
    type: str
  address:
    description:
    - 'Address or hostname that updates are sent to. `ad_gsstsig` needs a hostname, because a Kerberos
      ticket names a host. Null: the adapter needs none.'
    type: str
  port:
    description:
    - 'Port of updates. Null: 53.'
    type: int
  url:
    description:
    - 'For `powerdns_http`: URL of the API, without credentials. Null: for other adapters.'
    type: str
  server_id:
    description:
    - 'For `powerdns_http`: the server''s id in the API. Null: localhost.'
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
    - 'For `ad_gsstsig`: the principal that sends updates, such as svc-dhcp@EXAMPLE.NET. Null: the principal
      of the ticket cache.'
    type: str
  realm:
    description:
    - 'For `ad_gsstsig`: the Kerberos realm. Null: the realm of the principal.'
    type: str
  keytab:
    description:
    - 'For `ad_gsstsig`: absolute path of the principal''s keytab on each host that sends updates. Null:
      keys have another source.'
    type: str
  ticket_cache:
    description:
    - 'For `ad_gsstsig`: ticket cache on each host that sends updates; another program renews its tickets.
      Null: keys have another source.'
    type: str
  secret:
    description:
    - 'TSIG key in base64, API key, or the principal''s password. It is stored encrypted and never shown.
      Left out: the stored secret is kept. Null: it is deleted.'
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
      description: Name of the server, unique in the tenant.
      type: str
    adapter:
      description: 'Protocol of updates: `bind_tsig` (RFC 2136 with TSIG), `ad_gsstsig` (with Kerberos),
        `powerdns_http` (its API), `embedded` (zones of this service).'
      type: str
    description:
      description: Free text; the service does not interpret it.
      type: str
    address:
      description: 'Address or hostname that updates are sent to. `ad_gsstsig` needs a hostname, because
        a Kerberos ticket names a host. Null: the adapter needs none.'
      type: str
    port:
      description: 'Port of updates. Null: 53.'
      type: int
    url:
      description: 'For `powerdns_http`: URL of the API, without credentials. Null: for other adapters.'
      type: str
    server_id:
      description: 'For `powerdns_http`: the server''s id in the API. Null: localhost.'
      type: str
    key_name:
      description: 'Name of the TSIG key. Null: updates are not signed by TSIG.'
      type: str
    key_algorithm:
      description: 'Algorithm of the TSIG key (RFC 8945). Null: hmac-sha256.'
      type: str
    principal:
      description: 'For `ad_gsstsig`: the principal that sends updates, such as svc-dhcp@EXAMPLE.NET.
        Null: the principal of the ticket cache.'
      type: str
    realm:
      description: 'For `ad_gsstsig`: the Kerberos realm. Null: the realm of the principal.'
      type: str
    keytab:
      description: 'For `ad_gsstsig`: absolute path of the principal''s keytab on each host that sends
        updates. Null: keys have another source.'
      type: str
    ticket_cache:
      description: 'For `ad_gsstsig`: ticket cache on each host that sends updates; another program renews
        its tickets. Null: keys have another source.'
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
