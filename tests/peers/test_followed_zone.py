"""BIND, NSD and Knot as secondaries of one zone of ours, which changes at random by the API: records, imports, aliases
and redirections, RRsets at their bound, serials that are raised, zones that are disabled or deleted and made again.
After each batch all three have what we have."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any

import asyncpg
import dns.asyncquery
import dns.name
import dns.rdatatype
import dns.xfr
import dns.zone
import httpx
import pytest
from answers.serving import Serving, eventually, serving
from answers.test_transfers import add_secondary
from peers.servers import KEY_NAME, Peer, bind_secondary, knot_secondary, nsd_secondary
from ports import free_port

from ipam_core.dns.serials import FARTHEST

pytestmark = pytest.mark.peers

ZONE = "followed.test"
SECONDARIES = {"bind": bind_secondary, "nsd": nsd_secondary, "knot": knot_secondary}
EDITS, BATCH, SEED = 200, 10, 43
BOUND = 100
OWNERS = ("@", "a", "b", "c", "x.a", "y.x.a", "x.b", "*.c", "deep.er.d", "e\\.f", "_sip._udp", "many", "0.1")
TARGETS = ("a", "x.b", "www.example.net.", "missing")
Content = set[tuple[str, int, str, bytes]]


class Editor:
    """The zone's operator: one random edit after the other, of which the API refuses some."""

    def __init__(self, admin: httpx.AsyncClient, secondaries: list[str], drawn: Random) -> None:
        self.admin = admin
        self.secondaries = secondaries
        self.drawn = drawn
        self.zone: dict[str, Any] = {}
        self.farthest = (
            FARTHEST  # the step that a serial takes; secondaries follow one before the next (RFC 1982)
        )
        self.accepted: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.edits: dict[Callable[[], Awaitable[httpx.Response]], int] = {
            self.create: 30,
            self.redirect: 8,
            self.change: 20,
            self.delete: 12,
            self.merge: 6,
            self.replace: 3,
            self.fill: 4,
            self.raise_serial: 3,
            self.change_soa: 3,
            self.switch: 2,
            self.begin_again: 3,
        }

    @property
    def path(self) -> str:
        return f"/dns-zones/{self.zone['id']}"

    async def edit(self) -> None:
        (edit,) = self.drawn.choices(list(self.edits), list(self.edits.values()))
        answer = await edit()
        assert answer.status_code < 300 or answer.status_code in (409, 422), answer.text
        (self.accepted if answer.is_success else self.refused)[edit.__name__] += 1

    async def begin(self) -> httpx.Response:
        fields = {"name": ZONE, "dns_enabled": True, "secondary_ids": self.secondaries}
        answer = await self.admin.post("/dns-zones", json=fields)
        self.zone = answer.json()
        return answer

    def record(self) -> dict[str, Any]:
        octet = self.drawn.randrange(1, 250)
        kind, data = self.drawn.choice(
            [
                ("A", f"192.0.2.{octet}"),
                ("A", f"192.0.2.{octet}"),
                ("AAAA", f"2001:db8::{octet:x}"),
                ("TXT", f'"text {octet}" "; more"'),
                ("MX", f"{octet} {self.drawn.choice(TARGETS)}"),
                ("SRV", f"0 {octet} 5060 {self.drawn.choice(TARGETS)}"),
                ("CNAME", self.drawn.choice(TARGETS)),
                ("NS", f"ns{octet % 3}.example.net."),
                ("HTTPS", f'{octet} . alpn="h2"'),
                ("CAA", f'0 issue "ca{octet}.example.net"'),
                ("TYPE65400", f"\\# 2 00{octet:02x}"),
            ]
        )
        owners = OWNERS[1:7] if kind == "NS" else OWNERS
        ttl = self.drawn.choice((None, 0, 60, 86400))
        return {"name": self.drawn.choice(owners), "type": kind, "data": data, "ttl": ttl}

    async def create(self) -> httpx.Response:
        return await self.admin.post(f"{self.path}/records", json=self.record())

    async def redirect(self) -> httpx.Response:
        owner = self.drawn.choice((*OWNERS, "old", "older", "z.old"))
        record = {"name": owner, "type": "DNAME", "data": self.drawn.choice(TARGETS)}
        return await self.admin.post(f"{self.path}/records", json=record)

    async def some(self) -> str:
        """A record's path, of one that an operator wrote."""
        answer = await self.admin.get(f"{self.path}/records", params={"limit": 1000})
        found = answer.json()["items"]
        if not found:
            answer = await self.create()
            return f"/dns-records/{answer.json()['id']}"
        return f"/dns-records/{self.drawn.choice(found)['id']}"

    async def change(self) -> httpx.Response:
        record = self.record()
        kept = self.drawn.choice((("ttl",), ("name",), ("type", "data")))
        return await self.admin.patch(await self.some(), json={key: record[key] for key in kept})

    async def delete(self) -> httpx.Response:
        return await self.admin.delete(await self.some())

    async def bring(self, lines: list[dict[str, Any]], mode: str) -> httpx.Response:
        text = "".join(f"{r['name']} {r['ttl'] or 300} {r['type']} {r['data']}\n" for r in lines)
        return await self.admin.post(f"{self.path}/import", json={"zone_file": text, "mode": mode})

    async def merge(self) -> httpx.Response:
        return await self.bring([self.record() for _ in range(self.drawn.randrange(1, 8))], "merge")

    async def replace(self) -> httpx.Response:
        """A file in which nothing contradicts itself, with an RRset at its bound."""
        lines = [each for each in (self.record() for _ in range(30)) if each["type"] not in ("CNAME", "NS")]
        lines.append({"name": "old", "type": "DNAME", "data": "a", "ttl": 60})
        lines += [{"name": "many", "type": "A", "data": f"10.0.0.{n}", "ttl": 60} for n in range(BOUND)]
        kept = [each for each in lines if each["name"] != "many" or each["data"].startswith("10.")]
        return await self.bring(kept, "replace")

    async def fill(self) -> httpx.Response:
        """Bring an RRset to its bound, and find that it takes no other record."""
        name = f"full{self.drawn.randrange(3)}"
        lines = [{"name": name, "type": "A", "data": f"10.1.0.{n}", "ttl": 60} for n in range(BOUND)]
        answer = await self.bring(lines, "merge")
        one = {"name": name, "type": "A", "data": "10.2.0.1"}
        assert (await self.admin.post(f"{self.path}/records", json=one)).status_code == 409
        return answer

    async def raise_serial(self) -> httpx.Response:
        serial = (await self.admin.get(self.path)).json()["serial"]
        step = self.drawn.choice((1, 1000, self.farthest))
        self.farthest = 7
        return await self.admin.patch(self.path, json={"serial": (serial + step - 1) % 0xFFFFFFFF + 1})

    async def change_soa(self) -> httpx.Response:
        fields = {
            "default_ttl": self.drawn.choice((300, 3600)),
            "mname": self.drawn.choice((None, "ns9.x.test")),
        }
        return await self.admin.patch(self.path, json=fields)

    async def switch(self) -> httpx.Response:
        await self.admin.patch(self.path, json={"dns_enabled": False})
        await self.create()
        return await self.admin.patch(self.path, json={"dns_enabled": True})

    async def begin_again(self) -> httpx.Response:
        deleted = await self.admin.delete(self.path, params={"cascade": "true"})
        assert deleted.status_code == 204, deleted.text
        answer = await self.begin()
        await self.replace()
        return answer


async def test_secondaries_follow_two_hundred_random_edits(
    database: str, pool: asyncpg.Pool, admin: httpx.AsyncClient, tmp_path: Path
) -> None:
    ports = {kind: free_port() for kind in SECONDARIES}
    for kind, port in ports.items():
        await add_secondary(pool, tmp_path, port, KEY_NAME, kind)
    ids = [str(row["id"]) for row in await pool.fetch("select id from dns_server")]
    editor = Editor(admin, ids, Random(SEED))
    assert (await editor.begin()).is_success
    async with serving(database, tmp_path) as served, contextlib.AsyncExitStack() as stack:
        await eventually(lambda: is_settled(pool, served))
        await served.server.secondaries.read.wait()
        peers = []
        for kind, port in ports.items():
            (tmp_path / kind).mkdir()
            begun = SECONDARIES[kind](tmp_path / kind, port, ZONE, served.port)
            peers.append(await stack.enter_async_context(begun))
        while editor.accepted.total() < EDITS:
            for _ in range(BATCH):
                await editor.edit()
            await eventually(lambda: is_settled(pool, served))
            await compare(pool, admin, editor, served, peers)
            editor.farthest = FARTHEST
        counts = served.server.transfers.counts
    assert set(editor.accepted) == {each.__name__ for each in editor.edits}
    assert editor.refused["redirect"]
    assert counts["incremental"] >= EDITS // BATCH
    assert counts["full"] >= len(peers)


async def is_settled(pool: asyncpg.Pool, served: Serving) -> bool:
    """Everything is published, and we serve it."""
    if await pool.fetchval("select exists (select from dns_change)"):
        return False
    published = await pool.fetchval("select serial from dns_published")
    return published is not None and await serial_at(served.port) == published


async def serial_at(port: int) -> int | None:
    query = dns.message.make_query(ZONE, "SOA")
    answer = await dns.asyncquery.udp(query, "127.0.0.1", port=port, timeout=5)
    return answer.answer[0][0].serial if answer.answer else None


async def compare(
    pool: asyncpg.Pool, admin: httpx.AsyncClient, editor: Editor, served: Serving, peers: list[Peer]
) -> None:
    wanted = await published(pool)
    serial = await serial_at(served.port)
    exported = await admin.get(f"{editor.path}/export")
    written = contents(dns.zone.from_text(exported.text, ZONE, relativize=False, check_origin=False))
    assert {each for each in written ^ wanted if each[2] not in ("SOA", "NS")} == set()
    for peer in peers:

        async def follows(port: int = peer.port) -> bool:
            return await serial_at(port) == serial

        try:
            await eventually(follows)
        except AssertionError:
            raise AssertionError(peer.kind, await serial_at(peer.port), serial, editor.accepted) from None
        found = await copied(peer.port)
        assert found ^ wanted == set(), (peer.kind, serial)


async def published(pool: asyncpg.Pool) -> Content:
    """What the publisher gave the serial, read past the server."""
    rows = await pool.fetch("select name, type, ttl, data from dns_rrset")
    lines = "".join(f"{r['name']} {r['ttl']} {r['type']} {each}\n" for r in rows for each in r["data"])
    own = await pool.fetchrow("select * from dns_published")
    times = " ".join(str(own[f"{each}_seconds"]) for each in ("refresh", "retry", "expire", "minimum"))
    soa = f"@ {own['default_ttl']} SOA {own['mname']}. {own['rname']}. {own['serial']} {times}\n"
    return contents(dns.zone.from_text(soa + lines, ZONE, relativize=False, check_origin=False))


async def copied(port: int) -> Content:
    zone = dns.zone.Zone(ZONE, relativize=False)
    query, _ = dns.xfr.make_query(zone)
    await asyncio.wait_for(dns.asyncquery.inbound_xfr("127.0.0.1", zone, query, port=port), 10)
    return contents(zone)


def contents(zone: dns.zone.Zone) -> Content:
    return {
        (name.canonicalize().to_text(), ttl, dns.rdatatype.to_text(rdata.rdtype), rdata.to_digestable())
        for name, ttl, rdata in zone.iterate_rdatas()
    }
