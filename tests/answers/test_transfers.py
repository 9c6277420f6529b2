"""Zones handed out: AXFR and IXFR as dnspython takes them, signed or by address, and to nobody else."""

import asyncio
import base64
import hmac
import socket
import struct
import time
from pathlib import Path
from typing import Any

import asyncpg
import dns.message
import dns.name
import dns.query
import dns.rcode
import dns.rdata
import dns.rdataclass
import dns.rdatatype
import dns.rdtypes.ANY.TSIG
import dns.rrset
import dns.tsig
import dns.versioned
import dns.xfr
import dns.zone
import pytest
from answers.serving import Serving, add, add_zone, eventually, serving
from outbound.test_dns_stream import long_names

from dhcp_fast.dns_server import transfers
from ipam_core.model.ids import new_id
from ipam_core.secrets import Keyring

KEY, SECRET = "copies.", "c2VjcmV0LW9mLXRoZS1rZXktZm9yLXRlc3Rz"
ADD_SERVER = """
insert into dns_server (id, tenant_no, name, adapter, address, port, key_name, key_algorithm, secret)
select $5, no, $1, 'bind_tsig', '127.0.0.1', $2::integer, $3::text,
  case when $3::text is null then null else 'hmac-sha256' end, $4::bytea
from tenant limit 1 returning id"""
MORE = "update dns_zone set secondary_ids = secondary_ids || $1::uuid"


async def add_secondary(
    pool: asyncpg.Pool, folder: Path, port: int = 53, key: str | None = KEY, name: str = "ns2"
) -> None:
    """Of every zone."""
    async with pool.acquire() as connection, connection.transaction():
        id_, keys = new_id(), Keyring(folder / "secret.key")
        sealed = await keys.seal(connection, "dns_server", id_, SECRET) if key else None
        made = await connection.fetchval(ADD_SERVER, name, port, key, sealed, id_)
        await connection.execute(MORE, made)


def keyring(secret: str = SECRET, name: str = KEY) -> dict[dns.name.Name, dns.tsig.Key]:
    return {dns.name.from_text(name): dns.tsig.Key(name, secret, "hmac-sha256")}


async def copy(served: Serving, zone: dns.zone.Zone, keys: Any = None, serial: int | None = None) -> Any:
    """Into the zone, over TCP; `serial`: by IXFR from that one."""
    query, _ = dns.xfr.make_query(zone, serial, keyring=keys)
    await dns.asyncquery.inbound_xfr("127.0.0.1", zone, query, port=served.port, timeout=10)
    return zone


def contents(zone: dns.zone.Zone) -> set[str]:
    return {f"{name} {rdata.to_text()}" for name, _, rdata in zone.iterate_rdatas()}


def fresh() -> dns.versioned.Zone:
    return dns.versioned.Zone("example.org.", relativize=False)


async def test_a_zone_is_copied_and_followed(database: str, pool: asyncpg.Pool, tmp_path: Path) -> None:
    """The zone's records take several messages."""
    many = [(f"h{n}", "TXT", f'"{"x" * 200}{n}"') for n in range(900)]
    zone_no = await add_zone(
        pool, "example.org", ("www", "A", "192.0.2.1"), ("www2", "CNAME", "www.example.org."), *many
    )
    await add_secondary(pool, tmp_path)
    async with serving(database, tmp_path) as served:
        await served.eventually("www.example.org.", "A", {"192.0.2.1"})
        await served.server.secondaries.read.wait()
        zone = await copy(served, fresh(), keyring())
        assert len(contents(zone)) == 904
        first = zone.get_soa().serial
        await add(pool, zone_no, "www", "A", "192.0.2.2")
        await served.eventually("www.example.org.", "A", {"192.0.2.1", "192.0.2.2"})
        await pool.execute("delete from dns_record where name = 'h7'")
        await served.eventually("h7.example.org.", "TXT", set())
        await copy(served, zone, keyring(), first)
        whole = await copy(served, fresh(), keyring())
        assert contents(zone) == contents(whole)
        assert zone.get_soa().serial > first
        counts = served.server.transfers.counts
        assert (counts["full"], counts["incremental"]) == (2, 1)
        await copy(served, zone, keyring(), zone.get_soa().serial)
        assert counts["current"] == 1
        await pool.execute("delete from dns_zone_delta")
        zone2 = fresh()
        query, _ = dns.xfr.make_query(zone2, first, keyring=keyring())
        await dns.asyncquery.inbound_xfr("127.0.0.1", zone2, query, port=served.port, timeout=10)
        assert contents(zone2) == contents(whole)
        assert counts["full"] == 3


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        (None, dns.rcode.REFUSED),
        (keyring("d3Jvbmcgc2VjcmV0"), dns.rcode.NOTAUTH),
        (keyring(name="other."), dns.rcode.NOTAUTH),
    ],
)
async def test_who_may_not_copy(
    database: str, pool: asyncpg.Pool, tmp_path: Path, keys: Any, code: dns.rcode.Rcode
) -> None:
    await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"))
    await add_secondary(pool, tmp_path)
    async with serving(database, tmp_path) as served:
        await served.eventually("www.example.org.", "A", {"192.0.2.1"})
        await served.server.secondaries.read.wait()
        query = dns.message.make_query("example.org.", "AXFR")
        query.use_tsig(keys) if keys else None
        wire = query.to_wire()
        answers = [message async for message in served.server.respond(wire, ip("127.0.0.1"))]
        assert [answer[3] & 15 for answer in answers] == [code]
        assert int.from_bytes(answers[0][6:8], "big") == 0


@pytest.mark.parametrize("skew", [-3600, 3600])
async def test_a_client_whose_clock_differs(
    database: str, pool: asyncpg.Pool, tmp_path: Path, skew: int
) -> None:
    """It is told our time, signed over its own, so that it can check what it is told (RFC 8945 section 5.2.3); of
    transfers, over TCP, and of queries over UDP."""
    await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"))
    await add_secondary(pool, tmp_path)
    async with serving(database, tmp_path) as served:
        await served.eventually("www.example.org.", "A", {"192.0.2.1"})
        await served.server.secondaries.read.wait()
        when = int(time.time()) + skew
        for kind, over in (("AXFR", over_tcp), ("IXFR", over_tcp), ("SOA", over_tcp), ("SOA", over_udp)):
            query, mac = signed_at(dns.message.make_query("example.org.", kind), when, fudge=200)
            answer = await over(served.port, query)
            head, signature = bare_of(answer)
            assert head[3] & 15 == dns.rcode.NOTAUTH
            assert head[6:10] == bytes(4)
            assert (signature.error, signature.time_signed, signature.fudge) == (BADTIME, when, 200)
            assert abs(int.from_bytes(signature.other, "big") - time.time()) < 60
            assert signature.mac == mac_of(head, signature, mac)


BADTIME = 18
WIRE_KEY = dns.name.from_text(KEY).to_wire()
WIRE_ALGORITHM = dns.name.from_text("hmac-sha256.").to_wire()


def signed_at(query: dns.message.Message, when: int, fudge: int) -> tuple[bytes, bytes]:
    """The query as a client sends it whose clock shows `when`, and its MAC."""
    data = query.to_wire()
    tsig: Any = dns.rdtypes.ANY.TSIG.TSIG
    name = dns.name.from_text("hmac-sha256.")
    blank = tsig(dns.rdataclass.ANY, dns.rdatatype.TSIG, name, when, fudge, b"", query.id, 0, b"")
    mac = mac_of(data, blank)
    rdata = blank.replace(mac=mac).to_wire()
    head = struct.pack("!HHIH", dns.rdatatype.TSIG, dns.rdataclass.ANY, 0, len(rdata))
    count = int.from_bytes(data[10:12], "big") + 1
    return data[:10] + count.to_bytes(2, "big") + data[12:] + WIRE_KEY + head + rdata, mac


def mac_of(message: bytes, rdata: Any, request: bytes = b"") -> bytes:
    """By the text of RFC 8945 section 4.3: the request's MAC, the message without the record, its variables."""
    times = struct.pack("!HIH", rdata.time_signed >> 32, rdata.time_signed & 0xFFFFFFFF, rdata.fudge)
    variables = WIRE_KEY + struct.pack("!HI", 255, 0) + WIRE_ALGORITHM + times
    variables += struct.pack("!HH", rdata.error, len(rdata.other)) + rdata.other
    before = len(request).to_bytes(2, "big") + request if request else b""
    return hmac.digest(base64.b64decode(SECRET), before + message + variables, "sha256")


def bare_of(answer: bytes) -> tuple[bytes, Any]:
    """Without its signature, whose data is the second value."""
    at = answer.rindex(WIRE_KEY + struct.pack("!HHI", dns.rdatatype.TSIG, dns.rdataclass.ANY, 0))
    start = at + len(WIRE_KEY) + 10
    rdata = dns.rdata.from_wire(dns.rdataclass.ANY, dns.rdatatype.TSIG, answer, start, len(answer) - start)
    count = int.from_bytes(answer[10:12], "big") - 1
    return answer[:10] + count.to_bytes(2, "big") + answer[12:at], rdata


async def over_tcp(port: int, query: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(len(query).to_bytes(2, "big") + query)
    size = int.from_bytes(await reader.readexactly(2), "big")
    answer = await reader.readexactly(size)
    writer.close()
    return answer


async def over_udp(port: int, query: bytes) -> bytes:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.setblocking(False)
        asking.connect(("127.0.0.1", port))
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(asking, query)
        async with asyncio.timeout(5):
            return await loop.sock_recv(asking, 65535)


def ip(text: str) -> Any:
    from ipaddress import ip_address

    return ip_address(text)


async def test_networks_may_copy(database: str, pool: asyncpg.Pool, tmp_path: Path) -> None:
    await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"))
    await pool.execute("update dns_zone set transfer_networks = array['127.0.0.0/8'::cidr]")
    async with serving(database, tmp_path) as served:
        await served.eventually("www.example.org.", "A", {"192.0.2.1"})
        await served.server.secondaries.read.wait()
        assert len(contents(await copy(served, fresh()))) == 3
        assert (await served.ask("other.example.", "AXFR", tcp=True)).rcode() == dns.rcode.NOTAUTH


async def test_signed_questions_get_signed_answers(database: str, pool: asyncpg.Pool, tmp_path: Path) -> None:
    await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"))
    await add_secondary(pool, tmp_path)
    async with serving(database, tmp_path) as served:
        await served.eventually("www.example.org.", "A", {"192.0.2.1"})
        await served.server.secondaries.read.wait()
        for over in (dns.asyncquery.udp, dns.asyncquery.tcp):
            query = dns.message.make_query("example.org.", "SOA")
            query.use_tsig(keyring())
            answer = await over(query, "127.0.0.1", port=served.port, timeout=5)
            assert answer.had_tsig
            query = dns.message.make_query("example.org.", "SOA")
            query.use_tsig(keyring("d3Jvbmcgc2VjcmV0"))
            with pytest.raises(dns.tsig.PeerBadSignature):
                await over(query, "127.0.0.1", port=served.port, timeout=5)


async def test_keys_of_two_zones_may_have_one_name(database: str, pool: asyncpg.Pool, tmp_path: Path) -> None:
    """As two tenants may choose it: each zone is copied by its own, and not by the other's."""
    other = "b3RoZXItc2VjcmV0LW9mLXRoZS1vdGhlcg=="
    zones = {"example.org": SECRET, "example.net": other}
    for zone, secret in zones.items():
        await add_zone(pool, zone, ("www", "A", "192.0.2.1"))
        async with pool.acquire() as connection, connection.transaction():
            id_, keys = new_id(), Keyring(tmp_path / "secret.key")
            sealed = await keys.seal(connection, "dns_server", id_, secret)
            made = await connection.fetchval(ADD_SERVER, f"of {zone}", 53, KEY, sealed, id_)
            await connection.execute(f"{MORE} where name = $2", made, zone)
    async with serving(database, tmp_path) as served:
        await served.eventually("www.example.net.", "A", {"192.0.2.1"})
        await served.server.secondaries.read.wait()
        for zone, secret in zones.items():
            fresh_zone = dns.versioned.Zone(f"{zone}.", relativize=False)
            assert (await copy(served, fresh_zone, keyring(secret))).get_soa().serial
            (wrong,) = [each for each in zones.values() if each != secret]
            with pytest.raises(dns.tsig.PeerBadSignature):
                await copy(served, dns.versioned.Zone(f"{zone}.", relativize=False), keyring(wrong))


async def test_one_network_has_a_share_of_the_transfers(
    database: str, pool: asyncpg.Pool, tmp_path: Path
) -> None:
    """Clients that do not read on hold two places, however many they are; another network copies meanwhile."""
    await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"))
    await pool.execute("update dns_zone set transfer_networks = array['127.0.0.0/8'::cidr, '::1/128'::cidr]")
    async with serving(database, tmp_path) as served:
        await served.eventually("www.example.org.", "A", {"192.0.2.1"})
        await served.server.secondaries.read.wait()
        query = dns.message.make_query("example.org.", "AXFR").to_wire()
        slow = [served.server.respond(query, ip("127.0.0.3")) for _ in range(12)]
        begun = [asyncio.ensure_future(anext(each)) for each in slow]
        async with asyncio.timeout(30):
            while sum(each.done() for each in begun) < 2:  # noqa: ASYNC110 - any two of them
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        assert sum(each.done() for each in begun) == 2
        other = served.server.respond(query, ip("127.0.0.4"))
        async with asyncio.timeout(5):
            assert (await anext(other))[3] & 15 == dns.rcode.NOERROR
        await other.aclose()
        for each in begun:
            each.cancel()
        await asyncio.gather(*begun, return_exceptions=True)
        for each in slow:
            await each.aclose()
        again = [served.server.respond(query, ip("127.0.0.3")) for _ in range(2)]
        async with asyncio.timeout(5):
            for one in again:
                assert (await anext(one))[3] & 15 == dns.rcode.NOERROR
        for one in again:
            await one.aclose()


async def test_secondaries_are_told(database: str, pool: asyncpg.Pool, tmp_path: Path) -> None:
    """Our own server answers NOTIFY with NOTIMP, which is an answer."""
    zone_no = await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"))
    async with serving(database, tmp_path) as served:
        await add_secondary(pool, tmp_path, served.port, None)
        served.server.secondaries.wake()
        await eventually(lambda: known(served))
        await add(pool, zone_no, "more", "A", "192.0.2.3")
        await eventually(lambda: told(served))


async def test_a_new_secondary_is_told_at_once(database: str, pool: asyncpg.Pool, tmp_path: Path) -> None:
    """Without a change of the zone: it may have been refused before, and would wait for its own next try."""
    await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"))
    async with serving(database, tmp_path) as served:
        await eventually(lambda: loaded(served))
        assert served.server.notifier.counts["sent"] == 0
        await add_secondary(pool, tmp_path, served.port, None)
        served.server.secondaries.wake()
        await eventually(lambda: told(served))


async def loaded(served: Serving) -> bool:
    return bool(served.server.zones.zones) and served.server.secondaries.read.is_set()


async def known(served: Serving) -> bool:
    return bool(served.server.secondaries.by_zone)


async def told(served: Serving) -> bool:
    return served.server.notifier.counts["answered"] > 0


SERIAL_SOA = dns.rrset.from_text("example.org.", 0, "IN", "SOA", "ns.example.org. h.example.org. 7 1 1 1 1")


def ixfr(*authority: dns.rrset.RRset) -> bytes:
    query = dns.message.make_query("example.org.", "IXFR", use_edns=True)
    query.authority = list(authority)
    return query.to_wire(max_size=65535)


def in_authority(message: bytes) -> bytes:
    """The answers of a message as its authority section."""
    return message[:6] + message[8:10] + message[6:8] + message[10:]


@pytest.mark.parametrize(
    ("query", "serial"),
    [
        (ixfr(SERIAL_SOA), 7),
        (ixfr(), None),
        (ixfr(dns.rrset.from_text("example.org.", 0, "IN", "A", "192.0.2.1")), None),
        (ixfr(SERIAL_SOA)[:50], None),
        (ixfr(SERIAL_SOA, SERIAL_SOA), None),
        (in_authority(long_names(dns.message.make_query("example.org.", "IXFR"), 65535)), None),
    ],
    # Message ids are random, and every process of a run has to collect the same names.
    ids=["SOA", "nothing", "address", "cut", "two", "long names"],
)
def test_the_serial_of_an_ixfr(query: bytes, serial: int | None) -> None:
    """dnspython takes 20 s for the last one, which every secondary of a tenant may send."""
    before = time.process_time()
    assert transfers.serial_of(query, len("example.org.") + 5) == serial
    assert time.process_time() - before < 0.1
