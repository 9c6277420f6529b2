"""The outbox, sent: each update by its server's adapter, those of one name in their order, many names at once.

An update is claimed for some seconds, sent within them, and its outcome written. A worker that is killed in between
leaves a claim that ends; what is sent a second time says the same as the first. What fails is tried again, later each
time, for about two days; a name that is another's waits for that one to leave it. A server that does not answer holds
up nobody: as long as something is on its way there, the others are served without it.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import asyncpg
import structlog

from ipam_core.db import queries
from ipam_core.db.outage import FAILED
from ipam_core.errors import IpamError
from ipam_core.model.dns_server import DnsServer
from ipam_core.model.values import encode_value
from ipam_core.services import events
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.workers.adapters import Adapter, Change, NameConflict, Refused, Unreachable
from ipam_core.workers.adapters.bind_tsig import BindTsig
from ipam_core.workers.adapters.embedded import Embedded
from ipam_core.workers.adapters.powerdns_http import PowerDns

SQL = queries.load("ddns")

AT_ONCE = 64
CLAIM_SECONDS = 20.0
SEND_SECONDS = 15.0  # nothing is sent that another worker may have taken up
PATIENCE_SECONDS = 0.2  # with servers that are slower than others
END_SECONDS = 5.0
FIRST_PAUSE_SECONDS = 2.0
LONGEST_PAUSE_SECONDS = 3600.0
MOST_ATTEMPTS = 60

Open = Callable[[str, bytes], str]  # purpose and sealed secret -> the secret

log = structlog.get_logger("ddns")


class DdnsSender:
    """`step` sends what is due; False when nothing is."""

    def __init__(self, pool: asyncpg.Pool, open_secret: Open) -> None:
        self.pool = pool
        self.open_secret = open_secret
        self.adapters: dict[tuple[int, Any], Adapter] = {}  # by server and when it was written
        self.sending: dict[int, asyncio.Task[None]] = {}  # by server, the embedded one: 0
        self.claimed: set[int] = set()
        self.outcomes: Counter[tuple[str, str]] = Counter()  # by adapter and state
        self.errors: Counter[tuple[str, str]] = Counter()  # by adapter and kind

    async def step(self) -> bool:
        """Raises what the database says."""
        async with self.pool.acquire() as connection:
            due = SQL.claim_due(connection, at_most=AT_ONCE, seconds=CLAIM_SECONDS, busy=list(self.sending))
            self.begin([row async for row in due])
        if not self.sending:
            return False
        await asyncio.wait(self.sending.values(), timeout=PATIENCE_SECONDS)
        await self.gather_done()
        return True

    def begin(self, rows: Sequence[Row]) -> None:
        """Send those of each server; the servers do not wait for each other."""
        by_server: dict[int, list[Row]] = {}
        for row in rows:
            by_server.setdefault(row["dns_server_no"] or 0, []).append(row)
        self.claimed.update(row["no"] for row in rows)
        for no, group in by_server.items():
            self.sending[no] = asyncio.create_task(self.deliver_all(group))

    async def gather_done(self) -> None:
        """Raises the first error of those that have ended, which is the database's."""
        done = [no for no, task in self.sending.items() if task.done()]
        for found in await asyncio.gather(*(self.sending.pop(no) for no in done), return_exceptions=True):
            if found is not None:
                raise found

    async def deliver_all(self, rows: Sequence[Row]) -> None:
        found = await asyncio.gather(*(self.deliver(row) for row in rows), return_exceptions=True)
        self.claimed.difference_update(row["no"] for row in rows)
        for error in found:
            if error is not None:
                raise error

    async def close(self) -> None:
        """What is on its way may arrive; what did not is left to others at once."""
        if self.sending:
            await asyncio.wait(self.sending.values(), timeout=END_SECONDS)
        for task in self.sending.values():
            task.cancel()
        await asyncio.gather(*self.sending.values(), return_exceptions=True)
        if self.claimed:
            async with self.pool.acquire() as connection:
                await SQL.give_back(connection, numbers=list(self.claimed))
        for adapter in self.adapters.values():
            await adapter.close()

    async def deliver(self, row: Row) -> None:
        """One update, and what became of it. Raises what the database says."""
        try:
            async with asyncio.timeout(SEND_SECONDS):
                await self.send(row)
        except NameConflict as error:
            await self.finish(row, "conflict", str(error))
        except Unreachable as error:
            await self.retry(row, "unreachable", str(error))
        except (Refused, IpamError) as error:
            # The server's policy, a key or a zone may be mended without our hearing of it.
            await self.retry(row, "refused", str(error))
        except TimeoutError:
            await self.retry(row, "unreachable", f"it was not done within {SEND_SECONDS:.0f} s")
        except FAILED:
            raise
        except Exception as error:  # one update that cannot be made must not hold up all others
            log.exception("a DNS update cannot be made", fqdn=row["fqdn"])
            await self.retry(row, "unmakeable", f"it cannot be made: {type(error).__name__}: {error}")
        else:
            await self.finish(row, "applied", None)

    async def send(self, row: Row) -> None:
        server_no = row["dns_server_no"] or 0
        adapter = await self.adapter_of(row)
        async with self.pool.acquire() as connection:
            change = await self.change_of(connection, row, server_no)
        if row["action"] == "add":
            await adapter.add(change)
            return
        await adapter.remove(change)
        if not change.keeps_name:
            async with self.pool.acquire() as connection:
                await SQL.free_name(connection, dns_server_no=server_no, fqdn=row["fqdn"])

    async def change_of(self, connection: Connection, row: Row, server_no: int) -> Change:
        """Raises NameConflict where the name is another's by our own database."""
        what = {"dns_server_no": server_no, "fqdn": row["fqdn"]}
        checked = row["conflict_mode"] == "check_dhcid"
        if row["action"] == "add" and row["forward_zone"] is not None:
            found = await SQL.claim_name(
                connection, **what, identities=row["identities"], dhcid=row["dhcid"], checked=checked
            )
            if found is None:
                raise NameConflict(f"{row['fqdn']} is the name of another client")
            mark = found["dhcid"]
        else:
            mark = await SQL.dhcid_of_name(connection, **what) or row["dhcid"]
        keeps = await SQL.others_of_name(connection, **what, tenant_no=row["tenant_no"], ip=row["ip"])
        return Change(
            fqdn=row["fqdn"],
            ip=row["ip"],
            forward_zone=row["forward_zone"],
            reverse_zone=row["reverse_zone"],
            ttl=row["ttl"] or 0,
            dhcid=mark,
            conflict_mode=row["conflict_mode"],
            keeps_name=keeps,
            source=row["source"],
        )

    async def adapter_of(self, row: Row) -> Adapter:
        """That of the update's server; raises UpdateError where it is gone or says too little."""
        no = row["dns_server_no"]
        if no is None:
            if row["adapter"] != "embedded":
                raise Refused(f"the subnet names no DNS server for its adapter {row['adapter']}")
            return Embedded(self.pool, row["tenant_no"])
        async with self.pool.acquire() as connection:
            server = await SQL.server(connection, no=no)
        if server is None:
            raise Refused("the DNS server was deleted")
        if server["adapter"] == "embedded":
            return Embedded(self.pool, row["tenant_no"])
        key = no, server["updated_at"]
        if key not in self.adapters:
            self.adapters[key] = adapter_for(server, self.open_secret)
        return self.adapters[key]

    async def retry(self, row: Row, kind: str, error: str) -> None:
        self.errors[row["adapter"], kind] += 1
        if row["attempts"] >= MOST_ATTEMPTS:
            await self.finish(row, "failed", error)
            return
        longest = min(FIRST_PAUSE_SECONDS * 2 ** (row["attempts"] - 1), LONGEST_PAUSE_SECONDS)
        pause = longest * (0.5 + random.random() / 2)  # noqa: S311 - spreads load, keeps no secret
        async with self.pool.acquire() as connection:
            await SQL.finish(connection, no=row["no"], state="retrying", error=error, pause=pause)

    async def finish(self, row: Row, state: str, error: str | None) -> None:
        """The outcome and its event, in one transaction."""
        async with self.pool.acquire() as connection, connection.transaction():
            await SQL.finish(connection, no=row["no"], state=state, error=error, pause=0.0)
            told = {name: encode_value(row[name]) for name in ("id", "action", "ip", "fqdn")}
            await events.record(connection, f"ddns.{state}", told | {"error": error}, row["tenant_no"])
        self.outcomes[row["adapter"], state] += 1
        if state != "applied":
            log.warning(
                "a DNS update was not applied", fqdn=row["fqdn"], ip=str(row["ip"]), state=state, error=error
            )


def adapter_for(server: Row, open_secret: Open) -> Adapter:
    """Raises UpdateError, and SecretKeyError where the secret was sealed under another key."""
    secret = open_secret("dns_server", server["secret"]) if server["secret"] is not None else None
    shown = {
        name: server[name]
        for name, _ in server.items()
        if name not in ("id", "tenant_no", "secret", "updated_at")
    }
    model = DnsServer(
        **shown, id=str(server["id"]), tenant_id="", description="", has_secret=secret is not None,
        created_at="", updated_at="",
    )  # fmt: skip
    if server["adapter"] == "powerdns_http":
        return PowerDns(model, secret)
    if server["adapter"] == "bind_tsig":
        return BindTsig(model, secret)
    raise Refused(f"this version cannot send by the adapter {server['adapter']}")
