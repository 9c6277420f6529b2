"""The outbox, sent: each update by its server's adapter, those of one name in their order, many names at once.

An update is claimed for some seconds, sent within them, and its outcome written. A worker that is killed in between
leaves a claim that ends; what is sent a second time says the same as the first. What fails is tried again, later each
time, for about two days; a name that is another's waits for that one to leave it. A server that does not answer holds
up nobody: as long as something is on its way there, the others are served without it. Tenants share each claim, so that
the backlog of one costs the others nothing, and what is above a tenant's rate waits.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import asyncpg
import structlog

from ipam_core import faults
from ipam_core.db import queries
from ipam_core.db.outage import AWAY
from ipam_core.errors import IpamError
from ipam_core.model.dns_server import DnsServer
from ipam_core.outbound.guard import Guard, Reach
from ipam_core.services.entity.entity import Row
from ipam_core.workers.adapters import Adapter, Change, Refused, UpdateError
from ipam_core.workers.adapters.ad_gsstsig import AdGssTsig
from ipam_core.workers.adapters.bind_tsig import BindTsig
from ipam_core.workers.adapters.embedded import Embedded
from ipam_core.workers.adapters.powerdns_http import PowerDns
from ipam_core.workers.ddns_changes import changes_of
from ipam_core.workers.ddns_outcomes import APPLIED, CONFLICT, UNTOLD, Outcome, note, outcome_of, to_retry
from ipam_core.workers.ddns_outcomes import FAILED as GIVEN_UP
from ipam_core.workers.rates import Rates

SQL = queries.load("ddns")

AT_ONCE = 512  # updates that are claimed, and written to zones of our own by one transaction
ON_THE_WAY = 64  # of them, to one server of others
MOST_ADAPTERS = 256  # kept for the next updates
LANES = 32  # servers of one tenant with which the worker is busy at once
CLAIM_SECONDS = 20.0
SEND_SECONDS = 15.0  # nothing is sent that another worker may have taken up
LEAST_SECONDS = 5.0  # of them, that are left for an update that is sent now
TOO_LATE = f"the update did not finish within {SEND_SECONDS:.0f} s"
PATIENCE_SECONDS = 0.2  # with servers that are slower than others
END_SECONDS = 5.0

ADAPTERS: dict[str, Callable[..., Adapter]] = {
    "powerdns_http": PowerDns,
    "bind_tsig": BindTsig,
    "ad_gsstsig": AdGssTsig,
}

Lane = tuple[int, int]  # a tenant and its server, the embedded one: 0
Taken = tuple[Row, Change]
Open = Callable[[str, UUID, bytes], str]  # purpose, the row's id and the sealed secret -> the secret

log = structlog.get_logger("ddns")


class DdnsSender:
    """`step` sends what is due; False when nothing is."""

    def __init__(self, pool: asyncpg.Pool, open_secret: Open, guard: Guard | None = None) -> None:
        self.pool = pool
        self.open_secret = open_secret
        self.guard = guard or Guard()
        self.adapters: dict[tuple[int, Any], Adapter] = {}  # by server and when it was written
        self.sending: dict[Lane, asyncio.Task[None]] = {}
        self.rates = Rates(pool, "ddns_updates_per_second")
        self.claimed: set[int] = set()
        self.outcomes: Counter[tuple[str, str]] = Counter()  # by adapter and state
        self.errors: Counter[tuple[str, str]] = Counter()  # by adapter and kind

    async def step(self) -> bool:
        """Raise what the database says."""
        is_held = await self.claim()
        if self.sending:
            await asyncio.wait(self.sending.values(), timeout=PATIENCE_SECONDS)
            await self.gather_done()
        elif is_held:
            await asyncio.sleep(PATIENCE_SECONDS)
        else:
            return False
        return True

    async def claim(self) -> bool:
        """Begin what is due; whether more may wait that a tenant's rate holds back."""
        allowed = self.rates.allowances()
        async with self.pool.acquire() as connection:
            due = SQL.claim_due(
                connection,
                at_most=AT_ONCE,
                lanes=LANES,
                place=random.random(),  # noqa: S311 - spreads turns, keeps no secret
                seconds=CLAIM_SECONDS,
                busy_tenants=[tenant for tenant, _ in self.sending],
                busy_servers=[server for _, server in self.sending],
                limited=list(allowed),
                allowed=list(allowed.values()),
            )
            rows = [row async for row in due]
        self.begin(rows)
        claimed = Counter(row["tenant_no"] for row in rows)
        for tenant_no, count in claimed.items():
            self.rates.spend(tenant_no, count)
        return any(claimed[tenant_no] >= most for tenant_no, most in allowed.items())

    def begin(self, rows: Sequence[Row]) -> None:
        """Send those of each server; the servers do not wait for each other."""
        by_lane: dict[Lane, list[Row]] = {}
        for row in rows:
            by_lane.setdefault((row["tenant_no"], row["dns_server_no"] or 0), []).append(row)
        self.claimed.update(row["no"] for row in rows)
        for lane, group in by_lane.items():
            self.sending[lane] = asyncio.create_task(self.deliver_all(group))

    async def gather_done(self) -> None:
        """Raise the first error of those that have ended, which is the database's."""
        done = [lane for lane, task in self.sending.items() if task.done()]
        for found in await asyncio.gather(*(self.sending.pop(lane) for lane in done), return_exceptions=True):
            if found is not None:
                raise found

    async def deliver_all(self, rows: Sequence[Row]) -> None:
        """Deliver the updates of one server; the embedded one's those of one tenant after those of another. Raises what
        the database says."""
        until = asyncio.get_running_loop().time() + SEND_SECONDS
        groups: dict[tuple[str, int], list[Row]] = {}
        for row in rows:
            groups.setdefault((row["adapter"], row["tenant_no"]), []).append(row)
        try:
            for group in groups.values():
                await self.deliver(group, until)
        except Exception:
            self.claimed.difference_update(row["no"] for row in rows)
            raise

    async def deliver(self, rows: Sequence[Row], until: float) -> None:
        """Deliver by one adapter, and record each outcome."""
        try:
            adapter = await self.adapter_of(rows[0])
        except (UpdateError, IpamError) as error:
            await self.note([outcome_of(row, error) for row in rows])
            return
        except AWAY:
            raise
        except Exception as error:  # noqa: BLE001 - the updates of other servers are sent
            await self.note([unmakeable(row, error) for row in rows])
            return
        found = await self.changes(rows)
        await self.note([outcome_of(row, fault) for row, fault in found if isinstance(fault, UpdateError)])
        taken = [(row, change) for row, change in found if isinstance(change, Change)]
        if isinstance(adapter, Embedded):
            await self.note(await self.write(adapter, taken))
        else:
            await self.send_each(adapter, taken, until)

    async def changes(self, rows: Sequence[Row]) -> list[tuple[Row, Change | UpdateError]]:
        """Return what they change; of many that fail together each half by itself, until the one that causes it is
        found."""
        try:
            async with self.pool.acquire() as connection:
                return await changes_of(connection, rows)
        except AWAY:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            if len(rows) == 1:
                await self.note([unmakeable(rows[0], error)])
                return []
        middle = len(rows) // 2
        return await self.changes(rows[:middle]) + await self.changes(rows[middle:])

    async def write(self, adapter: Embedded, taken: Sequence[Taken]) -> list[Outcome]:
        """Write in one transaction; if one of them fails, each by itself, so that it holds up no other."""
        try:
            async with asyncio.timeout(SEND_SECONDS):
                errors = await adapter.write([(row["action"] == "add", change) for row, change in taken])
        except TimeoutError:
            return [to_retry(row, "unreachable", TOO_LATE) for row, _ in taken]
        except AWAY:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it is said, and the update tried again
            if len(taken) > 1:
                return [outcome for each in taken for outcome in await self.write(adapter, [each])]
            return [unmakeable(taken[0][0], error)]
        return [
            applied(row, change) if error is None else outcome_of(row, error)
            for (row, change), error in zip(taken, errors, strict=True)
        ]

    async def send_each(self, adapter: Adapter, taken: Sequence[Taken], until: float) -> None:
        """Send some at once; outcomes are written as they come, those that came meanwhile together."""
        turns = asyncio.Semaphore(ON_THE_WAY)
        sending = {asyncio.create_task(self.send(adapter, *each, turns, until)) for each in taken}
        try:
            while sending:
                done, sending = await asyncio.wait(sending, return_when=asyncio.FIRST_COMPLETED)
                await self.note([outcome for task in done if (outcome := task.result())])
        finally:
            for task in sending:
                task.cancel()

    async def send(
        self, adapter: Adapter, row: Row, change: Change, turns: asyncio.Semaphore, until: float
    ) -> Outcome | None:
        """Return None: its turn did not come in time, and it is left to the next claim."""
        async with turns:
            if asyncio.get_running_loop().time() > until - LEAST_SECONDS:
                await self.give_back([row["no"]])
                return None
            try:
                async with asyncio.timeout_at(until):
                    await (adapter.add if row["action"] == "add" else adapter.remove)(change)
            except TimeoutError:
                return to_retry(row, "unreachable", TOO_LATE)
            except (UpdateError, IpamError) as error:
                return outcome_of(row, error)
            except Exception as error:  # noqa: BLE001 - one that cannot be made must not hold up all others
                return unmakeable(row, error)
        return applied(row, change)

    async def give_back(self, numbers: Sequence[int]) -> None:
        """Claim of what is not sent."""
        async with self.pool.acquire() as connection:
            await SQL.give_back(connection, numbers=list(numbers))
        self.claimed.difference_update(numbers)

    async def close(self) -> None:
        """Close after the updates in transit; the others are left to other workers at once."""
        if self.sending:
            await asyncio.wait(self.sending.values(), timeout=END_SECONDS)
        for task in self.sending.values():
            task.cancel()
        await asyncio.gather(*self.sending.values(), return_exceptions=True)
        if self.claimed:
            await self.give_back(list(self.claimed))
        for adapter in self.adapters.values():
            await adapter.close()

    async def adapter_of(self, row: Row) -> Adapter:
        """Return the adapter of the update's server."""
        no = row["dns_server_no"]
        if no is None:
            if row["adapter"] != "embedded":
                raise Refused(f"the subnet has no DNS server for its adapter {row['adapter']}")
            return Embedded(self.pool, row["tenant_no"])
        async with self.pool.acquire() as connection:
            server = await SQL.server(connection, no=no)
        if server is None:
            raise Refused("the DNS server was deleted")
        if server["adapter"] == "embedded":
            return Embedded(self.pool, row["tenant_no"])
        key = no, server["updated_at"]
        if key not in self.adapters:
            await self.forget_adapters(no)
            await self.forget_oldest()
            self.adapters[key] = adapter_for(server, self.open_secret, self.guard)
        return self.adapters[key]

    async def forget_adapters(self, no: int) -> None:
        """Forget the adapters of a server that has changed. Nothing is on its way there: a server has one task at a
        time, this one."""
        for key in [key for key in self.adapters if key[0] == no]:
            await self.adapters.pop(key).close()

    async def forget_oldest(self) -> None:
        """Close adapters of servers that nothing is on its way to, where there are too many."""
        busy = {server for _, server in self.sending}
        spare = [key for key in self.adapters if key[0] not in busy]
        for key in spare[: max(0, len(self.adapters) - MOST_ADAPTERS + 1)]:
            await self.adapters.pop(key).close()

    async def note(self, outcomes: Sequence[Outcome]) -> None:
        if not outcomes:
            return
        try:
            async with self.pool.acquire() as connection:
                await note(connection, outcomes)
        except AWAY:
            raise
        except Exception as fault:  # noqa: BLE001 - the other outcomes are written
            if len(outcomes) == 1:  # its claim ends by itself
                faults.caught("ddns outcome", fault, fqdn=outcomes[0].row["fqdn"])
                return
            middle = len(outcomes) // 2
            await self.note(outcomes[:middle])
            await self.note(outcomes[middle:])
            return
        self.claimed.difference_update(each.row["no"] for each in outcomes)
        for row, state, error, kind, *_ in outcomes:
            if kind:
                self.errors[row["adapter"], kind] += 1
            if state not in UNTOLD:
                self.outcomes[row["adapter"], state] += 1
            if state in (CONFLICT, GIVEN_UP):
                told = {"fqdn": row["fqdn"], "ip": str(row["ip"]), "state": state, "error": error}
                log.warning("a DNS update was not applied", **told)


def applied(row: Row, change: Change) -> Outcome:
    """Record an applied update; a name whose last address was removed has no owner."""
    return Outcome(row, APPLIED, frees=row["action"] == "remove" and not change.is_claimed)


def unmakeable(row: Row, error: Exception) -> Outcome:
    faults.caught("ddns update", error, fqdn=row["fqdn"])
    return outcome_of(row, error)


def reach_of(server: Row) -> Reach:
    """Return how far updates for this server may go. The operator's own servers may be on this host."""
    of_tenant = server["of_tenant"]
    return Reach(server["tenant_no"], of_tenant=of_tenant, on_host=not of_tenant)


def adapter_for(server: Row, open_secret: Open, guard: Guard) -> Adapter:
    """Raise UpdateError, and SecretKeyError where the secret was sealed under another key."""
    stored = server["secret"]
    secret = None if stored is None else open_secret("dns_server", server["id"], stored)
    shown = {
        name: server[name]
        for name, _ in server.items()
        if name not in ("id", "tenant_no", "secret", "updated_at", "of_tenant")
    }
    model = DnsServer(
        **shown, id=str(server["id"]), tenant_id="", description="", has_secret=secret is not None,
        created_at="", updated_at="",
    )  # fmt: skip
    kind = ADAPTERS.get(server["adapter"])
    if kind is None:
        raise Refused(f"this version does not support the adapter {server['adapter']}")
    return kind(model, secret, guard, reach_of(server))
