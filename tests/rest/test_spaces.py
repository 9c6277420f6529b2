"""Free space: the next subnet of a prefix, free addresses, and maps, each against what a naive count finds."""

import asyncio
from collections import Counter
from ipaddress import ip_address, ip_network
from itertools import pairwise
from random import Random
from typing import Any

import asyncpg
import httpx
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as chosen
from hypothesis import strategies as st

from ipam_core.db import queries

FREE = queries.load("free")
LEASE = """
insert into lease (granted_at, renewed_at, expires_at, reuse_at, version, tenant_no, subnet_no, prefix_length, state,
                   address, client_key)
select now(), now(), now() + '1 hour', now() + '1 hour', 1, tenant_no, no, masklen($1::inet), 'a', $1, '\\x0101'
from subnet where cidr >> $1::inet
"""


async def test_fifty_callers_get_fifty_subnets(admin: httpx.AsyncClient, make: Any) -> None:
    prefix = await make("/prefixes", cidr="10.0.0.0/16")
    path = f"/prefixes/{prefix['id']}/next-subnet"
    bodies = [{"prefix_length": 22 + n % 5, "name": f"n{n}"} for n in range(50)]
    answers = await asyncio.gather(*(admin.post(path, json=body) for body in bodies))
    assert {answer.status_code for answer in answers} == {201}
    networks = sorted(ip_network(answer.json()["cidr"]) for answer in answers)
    assert all(not one.overlaps(two) for one, two in pairwise(networks))
    for answer, body in zip(answers, bodies, strict=True):
        assert (ip_network(answer.json()["cidr"]).prefixlen, answer.json()["name"]) == tuple(body.values())


@pytest.mark.parametrize(
    ("prefix", "length", "place", "gateway"),
    [
        ("10.0.0.0/16", 24, "first", "10.0.0.1"),
        ("10.0.0.0/16", 24, "last", "10.0.0.254"),
        ("2001:db8::/48", 64, "first", "2001:db8::1"),
    ],
)
async def test_a_subnet_that_is_found_has_its_gateway(
    admin: httpx.AsyncClient, make: Any, refused: Any, prefix: str, length: int, place: str, gateway: str
) -> None:
    made = await make("/prefixes", cidr=prefix)
    path = f"/prefixes/{made['id']}/next-subnet"
    both = {"prefix_length": length, "gateway_at": place, "gateway": gateway}
    assert refused(await admin.post(path, json=both), 422, "validation_error")["field"] == "gateway_at"
    found = await admin.post(path, json={"prefix_length": length, "gateway_at": place})
    assert found.json()["gateway"] == gateway


async def test_the_same_key_is_the_same_subnet(admin: httpx.AsyncClient, make: Any, refused: Any) -> None:
    prefix = await make("/prefixes", cidr="10.0.0.0/23")
    path = f"/prefixes/{prefix['id']}/next-subnet"
    made = [
        await admin.post(path, json={"prefix_length": 24}, headers={"idempotency-key": key})
        for key in ("a", "a", "b", "b")
    ]
    assert [one.json()["cidr"] for one in made] == ["10.0.0.0/24"] * 2 + ["10.0.1.0/24"] * 2
    assert made[0].headers["location"] == f"/api/v1/subnets/{made[0].json()['id']}"
    details = refused(await admin.post(path, json={"prefix_length": 30}), 409, "conflict")
    assert details == {"field": "prefix_length", "prefix_id": prefix["id"], "prefix_length": 30}
    for length in (22, 33):
        answer = await admin.post(path, json={"prefix_length": length})
        assert refused(answer, 422, "validation_error")["field"] == "prefix_length"
    answer = await admin.post(path, json={"prefix_length": 24, "cidr": "10.0.0.0/24"})
    assert refused(answer, 422, "validation_error")["field"] == "cidr"


@pytest.mark.parametrize(
    "cidr", ["0.0.0.0/0", "255.255.255.0/24", "2001:db8::/32", "ff00::/8", "10.0.0.0/32"]
)
async def test_a_prefix_is_filled_to_its_last_address(admin: httpx.AsyncClient, make: Any, cidr: str) -> None:
    network = ip_network(cidr)
    prefix = await make("/prefixes", cidr=cidr)
    length = min(network.prefixlen + 2, network.max_prefixlen)
    wanted = [str(one) for one in network.subnets(new_prefix=length)]
    path = f"/prefixes/{prefix['id']}/next-subnet"
    answers = [await admin.post(path, json={"prefix_length": length}) for _ in range(len(wanted) + 1)]
    assert [answer.json().get("cidr") for answer in answers] == [*wanted, None]


@chosen(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    taken=st.lists(st.tuples(st.integers(0, 31), st.integers(27, 32)), max_size=9), length=st.integers(27, 32)
)
async def test_it_is_the_lowest_that_a_naive_count_finds(
    pool: asyncpg.Pool, taken: list[tuple[int, int]], length: int
) -> None:
    """In the last /27 there is, so that every sum that could leave the address space would."""
    cidr = ip_network("255.255.255.224/27")
    subnets: list[Any] = []
    for offset, each in taken:
        network = ip_network((int(cidr[offset]), each), strict=False)
        if not any(network.overlaps(other) for other in subnets):
            subnets.append(network)
    async with pool.acquire() as connection:
        transaction = connection.transaction()
        await transaction.start()
        prefix = await connection.fetchrow(
            "insert into prefix (id, tenant_no, cidr) select gen_random_uuid(), no, $1 from tenant returning *",
            cidr,
        )
        await connection.executemany(
            "insert into subnet (id, tenant_no, prefix_no, cidr) values (gen_random_uuid(), $1, $2, $3)",
            [(prefix["tenant_no"], prefix["no"], network) for network in subnets],
        )
        found = await FREE.next_free_network(
            connection, cidr=cidr, prefix_no=prefix["no"], prefix_length=length
        )
        await transaction.rollback()
    candidates = cidr.subnets(new_prefix=length)
    assert found == next((c for c in candidates if not any(c.overlaps(one) for one in subnets)), None)


async def test_free_addresses_are_those_that_would_be_given(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, refused: Any
) -> None:
    below = f"/subnets/{subnet['id']}"
    await make(f"{below}/pools", start_ip="10.0.0.3", end_ip="10.0.0.250")
    await make(f"{below}/excludes", start_ip="10.0.0.4", end_ip="10.0.0.9")

    async def free(**params: Any) -> list[str]:
        answer = await admin.get(f"{below}/free", params=params)
        assert answer.json()["next_cursor"] is None
        return [item["ip"] for item in answer.json()["items"]]

    outside = [f"10.0.0.{n}" for n in (2, 251, 252, 253, 254)]
    assert await free() == outside[:1]
    assert await free(count=7) == [*outside, "10.0.0.3", "10.0.0.10"]
    everything = await free(count=1000)
    assert len(everything) == len(set(everything)) == 247
    for n, expected in enumerate(everything[:7]):
        made = await make(f"{below}/reservations", mac=f"02:00:00:00:00:{n:02x}")
        assert made["ip"] == expected
    for count in ("0", "-1", "1001", "x", ""):
        answer = await admin.get(f"{below}/free", params={"count": count})
        assert refused(answer, 422, "validation_error")["field"] == "count"


async def test_a_subnet_map_names_what_uses_what(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, pool: asyncpg.Pool
) -> None:
    below = f"/subnets/{subnet['id']}"
    dynamic = await make(f"{below}/pools", start_ip="10.0.0.100", end_ip="10.0.0.120")
    exclude = await make(f"{below}/excludes", start_ip="10.0.0.110", end_ip="10.0.0.112")
    assigned = await make("/assignments", ip="10.0.0.111", hostname="x")
    for ip in ("10.0.0.101", "10.0.0.102"):
        await pool.execute(LEASE, ip_address(ip))
    reserved = await make(f"{below}/reservations", ip="10.0.0.101", mac="02:00:00:00:00:01")
    found = (await admin.get(f"{below}/map")).json()
    assert (found["cidr"], found["blocks"]) == ("10.0.0.0/24", [])
    lease = (await admin.get("/leases", params={"ip": "10.0.0.102"})).json()["items"][0]["id"]
    runs = [
        (run["start_ip"][7:], run["end_ip"][7:], run["addresses"], run["type"], run["id"])
        for run in found["runs"]
    ]
    assert runs == [
        ("0", "0", 1, "network", None),
        ("1", "1", 1, "gateway", None),
        ("2", "99", 98, "free", None),
        ("100", "100", 1, "pool", dynamic["id"]),
        ("101", "101", 1, "reservation", reserved["id"]),
        ("102", "102", 1, "lease", lease),
        ("103", "109", 7, "pool", dynamic["id"]),
        ("110", "110", 1, "exclude", exclude["id"]),
        ("111", "111", 1, "assignment", assigned["id"]),
        ("112", "112", 1, "exclude", exclude["id"]),
        ("113", "120", 8, "pool", dynamic["id"]),
        ("121", "254", 134, "free", None),
        ("255", "255", 1, "broadcast", None),
    ]


async def test_a_crowded_subnet_is_shown_in_blocks(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool
) -> None:
    prefix = await make("/prefixes", cidr="10.0.0.0/8")
    wide = await make("/subnets", prefix_id=prefix["id"], cidr="10.0.0.0/8", gateway="10.0.0.1")
    await make(f"/subnets/{wide['id']}/pools", start_ip="10.0.8.0", end_ip="10.0.31.255")
    await make(f"/subnets/{wide['id']}/excludes", start_ip="10.0.16.10", end_ip="10.0.16.19")
    await pool.execute(
        "insert into reservation (id, subnet_no, ip, mac) select gen_random_uuid(), no, '10.0.0.2'::inet + n,"
        " ('02000000' || lpad(to_hex(n), 4, '0'))::macaddr from subnet, generate_series(0, 4999) n"
    )
    found = (await admin.get(f"/subnets/{wide['id']}/map")).json()
    blocks = found["blocks"]
    assert (found["runs"], len(blocks)) == ([], 4096)
    assert sum(block["addresses"] for block in blocks) == 2**24
    shown = [[block[name] for name in ("reserved", "excluded", "pool", "free")] for block in blocks[:3]]
    assert shown == [[4094, 0, 2048, 0], [906, 10, 4096, 3180], [0, 0, 0, 4096]]
    assert blocks[-1]["free"] == 4095


def assert_exact(counted: list[dict[str, Any]]) -> None:
    """Each figure stands as text too, for programs whose numbers end at 2**53."""
    for each in counted:
        names = [name for name in each if name.endswith("_exact")]
        assert "addresses_exact" in names
        assert [each[name] for name in names] == [str(each[name.removesuffix("_exact")]) for name in names]


@pytest.mark.parametrize(
    ("cidr", "first", "last"),
    [
        ("10.16.0.0/16", "10.16.0.0/28", "10.16.255.240/28"),
        ("2001:db8::/64", "2001:db8::/76", "2001:db8:0:0:fff0::/76"),
        ("2001:db8::/48", "2001:db8::/60", "2001:db8:0:fff0::/60"),
    ],
)
async def test_blocks_count_what_lies_in_them_from_the_first_to_the_last(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, cidr: str, first: str, last: str
) -> None:
    prefix = await make("/prefixes", cidr=cidr)
    subnet = await make("/subnets", prefix_id=prefix["id"], cidr=cidr)
    network = ip_network(cidr)
    lowest, highest = int(network.network_address) + 1, int(network.broadcast_address) - 1
    drawn = Random(1)
    ips = {ip_address(n) for n in (lowest, highest, *(drawn.randrange(lowest, highest) for _ in range(5000)))}
    await pool.execute(
        "insert into reservation (id, subnet_no, ip, mac) select gen_random_uuid(), no, ip,"
        " ('02000000' || lpad(to_hex(n), 4, '0'))::macaddr"
        " from subnet, unnest($1::inet[]) with ordinality as drawn (ip, n)",
        list(ips),
    )
    length = int(first.rpartition("/")[2])
    counted = Counter(str(ip_network((ip, length), strict=False)) for ip in ips)
    found = await admin.get(f"/subnets/{subnet['id']}/map")
    assert_exact(found.json()["blocks"])
    blocks = {block["cidr"]: block["reserved"] for block in found.json()["blocks"]}
    assert {block: count for block, count in blocks.items() if count} == counted
    assert (len(blocks), *list(blocks)[::4095]) == (4096, first, last)


async def test_a_prefix_map_shows_subnets_and_room(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool
) -> None:
    prefix = await make("/prefixes", cidr="2001:db8::/32")
    one = await make("/subnets", prefix_id=prefix["id"], cidr="2001:db8:1::/64")
    runs = (await admin.get(f"/prefixes/{prefix['id']}/map")).json()["runs"]
    assert [(run["type"], run["id"], run["addresses"]) for run in runs] == [
        ("free", None, 2**80),
        ("subnet", one["id"], 2**64),
        ("free", None, 2**96 - 2**80 - 2**64),
    ]
    await make("/subnets", prefix_id=prefix["id"], cidr="2001:db8:8000::/34")
    await pool.execute(
        "insert into subnet (id, tenant_no, prefix_no, cidr) select gen_random_uuid(), tenant_no, no,"
        " ('2001:db8:2:' || to_hex(n) || '::/64')::cidr from prefix, generate_series(0, 4200) n"
    )
    found = (await admin.get(f"/prefixes/{prefix['id']}/map")).json()
    blocks = found["blocks"]
    assert (found["runs"], len(blocks), blocks[0]["cidr"]) == ([], 4096, "2001:db8::/44")
    assert (blocks[0]["subnets"], blocks[0]["allocated"]) == (4202, 4202 * 2**64)
    assert {(block["subnets"], block["free"]) for block in blocks[2048:3072]} == {(1, 0)}
    assert sum(block["free"] for block in blocks[3072:]) == 2**94
    assert_exact(runs + blocks)
