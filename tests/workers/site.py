"""A small network that updates DNS, and leases as the DHCP servers write them: row and event in one transaction."""

import asyncio
from ipaddress import ip_address, ip_network

import asyncpg

from ipam_core.outbound.guard import Guard
from ipam_core.secrets import Keyring
from ipam_core.services import dns_publication
from ipam_core.workers.ddns_events import DdnsEvents
from ipam_core.workers.ddns_sender import DdnsSender
from ipam_core.workers.notification_sender import NotificationSender
from ipam_core.workers.webhook_events import WebhookEvents
from ipam_core.workers.webhook_sender import Timing, WebhookSender

READ_SECONDS = 30.0
LOOPBACK = ip_network("127.0.0.0/8")
WRITE = """
with l as (
  insert into lease (tenant_no, subnet_no, address, prefix_length, state, version, granted_at, renewed_at, expires_at,
    reuse_at, client_key, hw_type, hw_address, client_id, duid, hostname, fqdn_flags, ia_type)
  select tenant_no, no, $1::inet, masklen($1::inet), $2, nextval('lease_version'), now(), now(), now() + interval '1
  day',
    now() + interval '1 day', coalesce($3::bytea, $5::bytea, 'x'::bytea), 1, $3, $4, $5, $6, $7, 0
  from subnet where cidr >>= $1::inet
  on conflict (tenant_no, address) do update set state = excluded.state, version = excluded.version,
    hostname = excluded.hostname, fqdn_flags = excluded.fqdn_flags,
    hw_address = excluded.hw_address, client_id = excluded.client_id,
    duid = excluded.duid
  returning *)
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
ia_type,
  kind, state, address, client_key, hw_type, hw_address, client_id, duid, hostname)
select now(), pg_current_xact_id(), version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
ia_type,
  case state when 'a' then 'g'::"char" else state end, state, address, client_key, hw_type, hw_address, client_id, duid,
  hostname
from l
"""


class Site:
    """The workers, a step at a time."""

    def __init__(self, pool: asyncpg.Pool, keyring: Keyring, timing: Timing | None = None) -> None:
        self.pool = pool
        self.keyring = keyring
        self.events = DdnsEvents(pool)
        self.sender = DdnsSender(pool, keyring.open, Guard([LOOPBACK]))
        self.webhook_events = WebhookEvents(pool)
        self.webhook_sender = WebhookSender(pool, keyring.open, Guard([LOOPBACK]), timing)
        self.notification_sender = NotificationSender(pool, Guard([LOOPBACK]), timing)

    async def lease(
        self,
        address: str,
        hostname: str | None,
        mac: str = "020000000001",
        state: str = "a",
        duid: str = "",
        client_id: str = "",
        fqdn_flags: int | None = None,
    ) -> None:
        await self.pool.execute(
            WRITE,
            ip_address(address),
            state,
            bytes.fromhex(mac) or None,
            bytes.fromhex(client_id) or None,
            bytes.fromhex(duid) or None,
            hostname,
            fqdn_flags,
        )

    async def read_all(self) -> None:
        """What is committed now; other transactions of the database may hold the reader back for a while."""
        now = await self.pool.fetchval("select pg_current_xact_id()::text::bigint")
        async with asyncio.timeout(READ_SECONDS):
            while await self.read_up_to() <= now:  # noqa: ASYNC110 - the database tells nobody
                await asyncio.sleep(0.01)

    async def read_up_to(self) -> int:
        await self.events.step()
        return self.events.looked

    async def settle(self, *, wait: bool = True) -> None:
        """Until nothing is due."""
        if wait:
            await self.read_all()
        else:
            await self.events.step()
        while await self.sender.step():
            pass

    async def deliver(self) -> None:
        """Until nothing is due."""
        while await self.webhook_events.step():
            pass
        while await self.webhook_sender.step():
            pass
        while await self.notification_sender.step():
            pass

    async def deliveries(self) -> list[tuple[str, str, int]]:
        """Event, state and attempts, in the order in which they were made."""
        rows = await self.pool.fetch("select event, state, attempts from webhook_delivery order by no")
        return [tuple(row) for row in rows]

    async def publish(self) -> None:
        async with self.pool.acquire() as connection:
            await dns_publication.publish(connection)

    async def states(self) -> list[tuple[str, str, str]]:
        rows = await self.pool.fetch("select action, fqdn, state from ddns_update order by no")
        return [tuple(row) for row in rows]

    async def records(self, *sources: str) -> set[tuple[str, str, str]]:
        """Name in full, type and data of what follows leases."""
        rows = await self.pool.fetch(
            "select r.name || '.' || z.name, r.type, r.data from dns_record r join dns_zone z on z.no = r.zone_no"
            " where r.source = any($1)",
            list(sources or ("lease", "reservation", "assignment")),
        )
        return {tuple(row) for row in rows}
