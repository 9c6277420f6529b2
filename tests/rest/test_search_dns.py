"""Search among zones and records: by name, by full name, by address; and the bound on what one search reads."""

from typing import Any

import asyncpg
import httpx
import pytest


@pytest.fixture
def search(admin: httpx.AsyncClient) -> Any:
    async def ask(text: str, **params: Any) -> list[tuple[str, str, str]]:
        answer = await admin.get("/search", params={"q": text} | params)
        assert answer.status_code == 200, answer.text
        return [(hit["type"], hit["label"], hit["match"]) for hit in answer.json()["items"]]

    return ask


async def test_zones_and_records(make: Any, search: Any) -> None:
    zone = await make("/dns-zones", name="example.net")
    for name, kind, data in (
        ("www", "A", "192.0.2.80"),
        ("www", "AAAA", "2001:db8::80"),
        ("@", "TXT", '"x"'),
    ):
        await make(f"/dns-zones/{zone['id']}/records", name=name, type=kind, data=data)
    four = ("dns_record", "www.example.net A 192.0.2.80", "name")
    six = ("dns_record", "www.example.net AAAA 2001:db8::80", "name")
    assert await search("www") == [four, six]
    assert await search("WWW.example.NET") == [four, six]
    assert await search("www.exa") == [four, six]
    assert await search("ww.example.net") == []
    assert await search("192.0.2.80") == [(*four[:2], "data")]
    assert await search("192.0.2") == [(*four[:2], "data")]
    assert await search("2001:db8:0::80") == [(*six[:2], "data")]
    assert await search("example") == [("dns_zone", "example.net", "name")]


async def test_one_digit_reads_a_thousand_rows(
    make: Any, subnet: dict[str, Any], pool: asyncpg.Pool, admin: httpx.AsyncClient
) -> None:
    wide = await make("/subnets", prefix_id=subnet["prefix_id"], cidr="10.0.16.0/20")
    await pool.execute(
        "insert into reservation (id, subnet_no, ip, mac, hostname) select gen_random_uuid(), no,"
        " '10.0.16.1'::inet + n, ('02000000' || lpad(to_hex(n), 4, '0'))::macaddr, 'host-' || n"
        " from subnet, generate_series(0, 1499) n"
        " where id = $1",
        wide["id"],
    )
    found = (await admin.get("/search", params={"q": "host-", "limit": 1000})).json()
    assert len(found["items"]) == 1000
    exact = (await admin.get("/search", params={"q": "host-1499"})).json()["items"]
    assert [hit["label"] for hit in exact] == ["10.0.21.220 host-1499"]
