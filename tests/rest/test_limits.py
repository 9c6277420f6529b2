"""Rates and the managed address limit."""

import asyncio
from ipaddress import ip_address
from typing import Any
from uuid import uuid4

import asyncpg
import httpx
import pytest

from api.app import create_app
from api.http.rate_sharing import share
from api.http.ratelimit import RateLimit, charge, key_of
from ipam_core.errors import RateLimited
from ipam_core.services import rates
from ipam_core.settings import Settings


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_limit_holds_over_every_minute() -> None:
    clock = Clock()
    limit = RateLimit("default", 3, clock)
    for moment in (0, 30, 59):
        clock.now = 1000.0 + moment
        limit.take("a")
    clock.now = 1059.5
    with pytest.raises(RateLimited) as refused:
        limit.take("a")
    assert refused.value.retry_after == 1
    limit.take("b")
    clock.now = 1060.0
    assert limit.take("a") == (0, 30)
    with pytest.raises(RateLimited) as refused:
        limit.take("a")
    assert refused.value.retry_after == 30
    clock.now += refused.value.retry_after
    limit.take("a")


def test_only_so_many_clients_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.http.ratelimit.MOST_CLIENTS", 100)
    limit = RateLimit("default", 2)
    for number in range(3000):
        limit.take("busy") if number == 2950 else limit.take(str(number))
    limit.take("busy")
    assert len(limit.seen) == len(limit.unreported) == 100
    with pytest.raises(RateLimited):
        limit.take("busy")


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::", "2001:db8:1:3::/64"),
    ],
)
def test_a_host_of_ipv6_is_its_network(address: str, key: str) -> None:
    assert key_of(ip_address(address)) == key
    assert key_of(None) == "unknown"


async def test_processes_share_a_limit(pool: asyncpg.Pool) -> None:
    one, other, ids = RateLimit("default", 10), RateLimit("default", 10), (uuid4(), uuid4())
    for _ in range(6):
        one.take("a")
    other.take("a")
    other.take("b")
    for _ in range(2):
        await share(pool, [one], ids[0])
        await share(pool, [other], ids[1])
        other.take("a")
    assert [other.take("a")[0]] == [0], "six there and four here"
    with pytest.raises(RateLimited) as refused:
        other.take("a")
    assert 55 <= refused.value.retry_after <= 62
    assert other.take("b")[0] == 8
    await share(pool, [other], ids[1])
    one.take("a")
    await share(pool, [one], ids[0])
    with pytest.raises(RateLimited):
        one.take("a")


async def test_what_is_old_counts_no_more(pool: asyncpg.Pool) -> None:
    limit = RateLimit("default", 3)
    await pool.execute(
        "insert into request_count"
        " select 'default', 'a', gen_random_uuid(), floor(extract(epoch from now()) / 2) - n, 1"
        " from generate_series(25, 40) n"
    )
    limit.take("a")
    await share(pool, [limit], uuid4())
    with pytest.raises(RateLimited) as refused:
        limit.take("a")
    assert 1 <= refused.value.retry_after <= 4
    async with pool.acquire() as connection:
        await rates.forget(connection)
    assert await pool.fetchval("select count(*) from request_count") <= 8


def test_no_limit_has_no_headers() -> None:
    headers: dict[str, str] = {}
    charge([RateLimit("default", 0)], "a", headers)
    assert headers == {}


class TestRates:
    @pytest.fixture
    def settings(self) -> Settings:
        return Settings(rate_limit=6, token_rate_limit=2)

    async def test_the_seventh_request_of_a_minute_waits(self, connect: Any, refused: Any) -> None:
        client, other = connect(), connect(peer="::1", host="[::1]")
        for left in (5, 4, 3, 2, 1, 0):
            answer = await client.get("/prefixes")
            assert answer.status_code == 200
            assert answer.headers["ratelimit-policy"] == '"default";q=6;w=60'
            assert answer.headers["ratelimit"].startswith(f'"default";r={left};t=')
        for path in ("/prefixes", "/nothing"):
            late = await client.get(path, headers={"authorization": "Bearer x"})
            refused(late, 429, "rate_limited")
            assert 0 < int(late.headers["retry-after"]) <= 60
            assert late.headers["ratelimit"].startswith('"default";r=0;t=')
        assert (await other.get("/prefixes")).status_code == 200

    async def test_a_rotation_counts_as_a_creation(self, connect: Any, refused: Any) -> None:
        client = connect()
        for _ in range(2):
            refused(await client.post("/tokens/x/rotate"), 404, "not_found")
        refused(await client.post("/tokens/x/rotate"), 429, "rate_limited")
        refused(await client.post("/tokens", json={"name": "x", "role": "admin"}), 429, "rate_limited")

    async def test_addresses_of_one_network_share_a_limit(self, connect: Any, refused: Any) -> None:
        for number in range(6):
            refused(await connect(peer=f"2001:db8::{number:x}").get("/prefixes"), 403, "forbidden")
        refused(await connect(peer="2001:db8::ffff").get("/prefixes"), 429, "rate_limited")
        refused(await connect(peer="2001:db8:0:1::").get("/prefixes"), 403, "forbidden")

    @pytest.mark.parametrize("path", ["/tokens", "/tokens/", "http://127.0.0.1:8080//api//v1/tokens"])
    async def test_token_creation_is_tighter(self, connect: Any, path: str, refused: Any) -> None:
        client = connect()
        for _ in range(2):
            answer = await client.post(path, json={"role": "admin"})
            refused(answer, 422, "validation_error")
            assert '"tokens";q=2;w=60' in answer.headers["ratelimit-policy"]
        refused(await client.post(path, json={"name": "x", "role": "admin"}), 429, "rate_limited")
        assert (await client.get("/tokens")).status_code == 200


MACS = [f"02:00:00:00:01:{n:02x}" for n in range(100)]


class TestCap:
    @pytest.fixture
    def settings(self) -> Settings:
        return Settings(rate_limit=0, token_rate_limit=0, managed_address_limit=10)

    async def test_reservations_and_assignments_count_together(
        self, admin: httpx.AsyncClient, make: Any, subnet: dict[str, Any], refused: Any
    ) -> None:
        path = f"/subnets/{subnet['id']}/reservations"
        kept = [await make(path, mac=mac) for mac in MACS[:6]]
        for number in range(4):
            await make("/assignments", ip=f"10.0.0.{100 + number}", hostname=f"h{number}")
        details = refused(await admin.post(path, json={"mac": MACS[20]}), 402, "license_limit")
        assert details == {"managed_ips_limit": 10}
        refused(
            await admin.post("/assignments", json={"ip": "10.0.0.99", "hostname": "x"}), 402, "license_limit"
        )
        # The order of checks: what is malformed, elsewhere or taken is said first.
        refused(await admin.post(path, json={"ip": "10.0.0.2"}), 422, "validation_error")
        refused(await admin.post("/subnets/x/reservations", json={"mac": MACS[20]}), 404, "not_found")
        refused(await admin.post(path, json={"mac": MACS[0]}), 409, "conflict")
        assert (
            await admin.patch(f"/reservations/{kept[0]['id']}", json={"hostname": "x"})
        ).status_code == 200
        await admin.delete(f"/reservations/{kept[0]['id']}")
        assert (await admin.post(path, json={"mac": MACS[20]})).status_code == 201

    async def test_it_holds_under_concurrent_creates(
        self, admin: httpx.AsyncClient, make: Any, subnet: dict[str, Any], pool: asyncpg.Pool
    ) -> None:
        other = await make("/subnets", prefix_id=subnet["prefix_id"], cidr="10.0.7.0/24")
        asked = [
            admin.post(f"/subnets/{[subnet, other][n % 2]['id']}/reservations", json={"mac": mac})
            for n, mac in enumerate(MACS[:50])
        ]
        codes = sorted(answer.status_code for answer in await asyncio.gather(*asked))
        assert codes == [201] * 10 + [402] * 40
        assert await pool.fetchval("select count(*) from reservation") == 10


async def test_without_a_cap_there_is_no_limit(
    pool: asyncpg.Pool, subnet: dict[str, Any], admin_token: str
) -> None:
    app = create_app(Settings(rate_limit=0, token_rate_limit=0, managed_address_limit=0), pool)
    transport = httpx.ASGITransport(app)  # type: ignore[arg-type]
    headers = {"authorization": f"Bearer {admin_token}"}
    await pool.execute(
        "insert into assignment (id, subnet_no, ip, hostname)"
        " select gen_random_uuid(), no, '10.0.0.2'::inet + n, 'h' from subnet, generate_series(0, 199) n"
    )
    async with httpx.AsyncClient(transport=transport, base_url="http://x/api/v1", headers=headers) as client:
        made = await client.post(f"/subnets/{subnet['id']}/reservations", json={"mac": MACS[0]})
    assert (made.status_code, made.json()["ip"]) == (201, "10.0.0.202")
