"""Search finds a machine of both families as one host, and DHCPv6 clients by their DUID."""

from typing import Any

import asyncpg
import httpx
import pytest

MAC, DUID = "02:00:00:00:00:01", "00:03:00:01:02:00:00:00:00:01"
LEASE = """
insert into lease (tenant_no, address, prefix_length, ia_type, subnet_no, state, granted_at, renewed_at, expires_at,
                   reuse_at, version, client_key, hw_type, hw_address, duid, hostname)
select tenant_no, $1, masklen($1), $2, no, $3::"char", now(), now(), now() + interval '1 hour',
       now() + interval '1 hour',
       nextval('lease_version'), $4, 1, $5, $6, $7
from subnet where cidr >>= $1"""
HARDWARE = bytes.fromhex(MAC.replace(":", ""))


@pytest.fixture
async def host(make: Any, pool: asyncpg.Pool) -> None:
    """One machine with a lease of each family, and a released one from before."""
    for prefix, cidr in (("10.0.0.0/8", "10.0.0.0/24"), ("2001:db8::/32", "2001:db8:1::/64")):
        made = await make("/prefixes", cidr=prefix)
        await make("/subnets", prefix_id=made["id"], cidr=cidr)
    duid = bytes.fromhex(DUID.replace(":", ""))
    rows = [
        ("10.0.0.5", 0, "a", b"\x01\x01" + HARDWARE, None),
        ("2001:db8:1::5", 3, "a", b"\x06\0\3\0\0\0\1" + duid, duid),
        ("10.0.0.9", 0, "r", b"\x01\x01" + HARDWARE, None),
    ]
    for address, kind, state, key, named in rows:
        await pool.execute(LEASE, address, kind, state, key, HARDWARE, named, "laptop")


async def found(admin: httpx.AsyncClient, text: str) -> list[tuple[str, str, str]]:
    hits = (await admin.get("/search", params={"q": text})).json()["items"]
    return [(hit["type"], hit["label"], hit["match"]) for hit in hits if hit["type"] == "lease"]


@pytest.mark.parametrize(("text", "match"), [(MAC, "mac"), ("laptop", "hostname"), ("lap", "hostname")])
async def test_a_machine_of_both_families_is_one_host(
    admin: httpx.AsyncClient, host: None, text: str, match: str
) -> None:
    assert await found(admin, text) == [
        ("lease", "10.0.0.5, 2001:db8:1::5 laptop", match),
        ("lease", "10.0.0.9 laptop", match),
    ]


async def test_by_its_duid_and_by_its_address(admin: httpx.AsyncClient, host: None) -> None:
    assert await found(admin, DUID) == [("lease", "2001:db8:1::5 laptop", "duid")]
    assert await found(admin, "10.0.0.5") == [("lease", "10.0.0.5 laptop", "ip")]
