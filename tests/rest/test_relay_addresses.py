"""`relay_addresses` of subnets: what no relay has is refused, and so are link-local ones that nothing tells apart."""

from __future__ import annotations

from typing import Any

import asyncpg
import httpx
import pytest
from litestar import Litestar

from api.app import create_app
from api.http.gate import Gate
from dhcp_fast.explain import explain
from ipam_core.settings import Settings

LOCAL = "fe80::1234"


@pytest.fixture
def app(pool: asyncpg.Pool, settings: Settings, routes: Litestar) -> Gate:
    return create_app(settings, pool, explain, routes=routes)


@pytest.fixture
async def prefix(make: Any) -> dict[str, Any]:
    found: dict[str, Any] = await make("/prefixes", cidr="2001:db8::/32")
    return found


def body(prefix: dict[str, Any], number: int, *relays: str, **fields: Any) -> dict[str, Any]:
    cidr = f"2001:db8:{number}::/64"
    return {"prefix_id": prefix["id"], "cidr": cidr, "relay_addresses": list(relays)} | fields


@pytest.mark.parametrize("address", ["::", "ff02::1:2", "ff05::1:3"])
async def test_what_no_relay_has_is_refused(
    address: str, prefix: dict[str, Any], admin: httpx.AsyncClient, refused: Any
) -> None:
    details = refused(await admin.post("/subnets", json=body(prefix, 1, address)), 422, "validation_error")
    assert details["field"] == "relay_addresses"


@pytest.mark.parametrize("address", ["0.0.0.0", "224.0.0.1", "255.255.255.255"])
async def test_in_ipv4_too(
    address: str, subnet: dict[str, Any], admin: httpx.AsyncClient, refused: Any
) -> None:
    answer = await admin.patch(f"/subnets/{subnet['id']}", json={"relay_addresses": [address]})
    assert refused(answer, 422, "validation_error")["field"] == "relay_addresses"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (([], {}), ([], {})),
        ((["2001:db8:aa::1"], {}), (["2001:db8:aa::1"], {})),
        (([], {"interface_id": "em1"}), ([], {})),
        (([], {"shared_network": "one"}), ([], {"shared_network": "two"})),
    ],
)
async def test_two_subnets_that_nothing_tells_apart_are_refused(
    first: Any, second: Any, prefix: dict[str, Any], make: Any, admin: httpx.AsyncClient, refused: Any
) -> None:
    there = await make("/subnets", **body(prefix, 1, LOCAL, *first[0], **first[1]))
    answer = await admin.post("/subnets", json=body(prefix, 2, LOCAL, *second[0], **second[1]))
    details = refused(answer, 409, "conflict")
    assert (details["field"], details["conflicts_with"]["id"]) == ("relay_addresses", there["id"])
    assert LOCAL in answer.json()["error"]["message"]
    made = await make("/subnets", **body(prefix, 2, "fe80::9", *second[0], **second[1]))
    relays = [LOCAL, *second[0]]
    refused(await admin.patch(f"/subnets/{made['id']}", json={"relay_addresses": relays}), 409, "conflict")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((["2001:db8:aa::1"], {}), (["2001:db8:bb::1"], {})),
        ((["2001:db8:aa::1"], {}), ([], {})),
        (([], {"interface_id": "em1"}), ([], {"interface_id": "em2"})),
        (([], {"shared_network": "one"}), ([], {"shared_network": "one"})),
    ],
)
async def test_those_that_something_tells_apart_are_stored(
    first: Any, second: Any, prefix: dict[str, Any], make: Any, admin: httpx.AsyncClient
) -> None:
    for number, (relays, fields) in enumerate((first, second), start=1):
        made = await make("/subnets", **body(prefix, number, LOCAL, *relays, **fields))
    assert (await admin.patch(f"/subnets/{made['id']}", json={"name": "x"})).status_code == 200


async def test_leaving_the_shared_network_is_refused(
    prefix: dict[str, Any], make: Any, admin: httpx.AsyncClient, refused: Any
) -> None:
    for number in (1, 2):
        made = await make("/subnets", **body(prefix, number, LOCAL, shared_network="one"))
    answer = await admin.patch(f"/subnets/{made['id']}", json={"shared_network": None})
    assert refused(answer, 409, "conflict")["field"] == "relay_addresses"


async def test_another_tenants_subnet_may_name_the_same(prefix: dict[str, Any], make: Any) -> None:
    await make("/subnets", **body(prefix, 1, LOCAL))
    tenant = await make("/tenants", name="other")
    theirs = await make("/prefixes", cidr="2001:db8::/32", tenant_id=tenant["id"])
    await make("/subnets", **body(theirs, 1, LOCAL))


async def test_explain_knows_the_subnet(prefix: dict[str, Any], make: Any, admin: httpx.AsyncClient) -> None:
    made = await make("/subnets", **body(prefix, 1, LOCAL))
    await make(f"/subnets/{made['id']}/pools", start_ip="2001:db8:1::100", end_ip="2001:db8:1::1ff")
    await make("/trusted-relays", cidr="2001:db8:ffff::1/128")
    question = {"link_address": LOCAL, "relay": "2001:db8:ffff::1", "duid": "00030001020000000001"}
    answer = await admin.post("/dhcp6/explain", json=question)
    assert answer.status_code == 200, answer.text
    assert answer.json()["subnet"]["id"] == made["id"]
