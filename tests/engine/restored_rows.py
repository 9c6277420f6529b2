"""What makes a test's database one that was restored: rows as they were before, and their sequence of versions too."""

from ipaddress import IPv4Address

from engine.serving import cached, read_feed
from engine.site import Site, until

from dhcp_fast.server.serving import Serving

FROM_ELSEWHERE = """
insert into change (object_type, object_id, action, xid)
select 'subnet', 'x', 'updated', (pg_current_xact_id()::text::bigint + 1000)::text::xid8"""
GO_BACK = "select setval('lease_version', 2)"
OF_ANOTHER = "update lease set version = 2, hw_address = $1, client_key = '\\x0101'::bytea || $1"
END = """
with ended as (
  update lease set state = '{state}', version = nextval('lease_version'){times} returning *
)
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
  ia_type, hw_type, kind, state, address, client_key, hw_address)
select now(), pg_current_xact_id(), version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
  ia_type, hw_type, '{state}', '{state}', address, client_key, hw_address from ended
returning version"""
# A row of a client who gave the address back since.
FORMER = f"{OF_ANOTHER}, renewed_at = now() - interval '1 minute'"
FORMER_RAN_OUT = f"{FORMER}, expires_at = now() - interval '20 s', reuse_at = now() - interval '10 s'"
RUN_OUT = END.format(state="x", times="")
GIVEN_BACK = END.format(state="r", times=", expires_at = now(), reuse_at = now()")


async def ended(server: Serving, site: Site, address: IPv4Address, how: str) -> None:
    """By another server; and ours has read of it, which waits for whatever runs in the cluster meanwhile."""
    version = await site.connection.fetchval(how)

    async def is_known() -> bool:
        await read_feed(server)
        return bool((cached(server, site.tenant_no, address) or {})["version"] == version)

    await until("known", is_known)
