"""Addresses that machines visibly use, as the API shows them (decisions: Never leased)."""

from ipaddress import ip_address
from typing import Any

import asyncpg
import httpx
import pytest
from litestar import Litestar

from api.app import create_app
from api.http.gate import Gate
from dhcp_fast.explain import explain
from ipam_core.services import usage
from ipam_core.services.addresses_in_use import note_server
from ipam_core.settings import Settings


@pytest.fixture
def app(pool: asyncpg.Pool, settings: Settings, routes: Litestar) -> Gate:
    return create_app(settings, pool, explain, routes=routes)


@pytest.fixture
async def subnet(make: Any) -> dict[str, Any]:
    prefix = await make("/prefixes", cidr="10.0.0.0/8")
    subnet: dict[str, Any] = await make(
        "/subnets", prefix_id=prefix["id"], cidr="10.201.0.0/24", relay_addresses=["10.201.0.7", "10.8.0.1"]
    )
    return subnet


async def test_a_pool_shows_them_and_keeps_its_tag(make: Any, admin: httpx.AsyncClient, subnet: Any) -> None:
    made = await make(f"/subnets/{subnet['id']}/pools", start_ip="10.201.0.1", end_ip="10.201.0.12")
    assert made["in_use"] == [{"ip": "10.201.0.7", "used_by": "relay", "leased": False}]
    tag = (await admin.get(f"/pools/{made['id']}")).headers["etag"]
    await make("/trusted-relays", cidr="10.201.0.3/32")
    await make("/trusted-relays", cidr="10.201.0.4/31")
    await admin.patch(f"/subnets/{subnet['id']}", json={"gateway": "10.201.0.1"})
    found = await admin.get(f"/pools/{made['id']}")
    assert [(each["ip"], each["used_by"]) for each in found.json()["in_use"]] == [
        ("10.201.0.1", "gateway"),
        ("10.201.0.3", "relay"),
        ("10.201.0.7", "relay"),
    ]
    changed = await admin.patch(
        f"/pools/{made['id']}", json={"end_ip": "10.201.0.5"}, headers={"If-Match": tag}
    )
    assert (changed.status_code, len(changed.json()["in_use"])) == (200, 2)
    (listed,) = (await admin.get("/pools")).json()["items"]
    assert len(listed["in_use"]) == 2


async def test_nobody_writes_them(make: Any, admin: httpx.AsyncClient, subnet: Any) -> None:
    answer = await admin.post(
        f"/subnets/{subnet['id']}/pools",
        json={"start_ip": "10.201.0.1", "end_ip": "10.201.0.12", "in_use": []},
    )
    assert answer.status_code == 422


async def test_they_are_not_free(
    make: Any, admin: httpx.AsyncClient, subnet: Any, pool: asyncpg.Pool
) -> None:
    made = await make(f"/subnets/{subnet['id']}/pools", start_ip="10.201.0.1", end_ip="10.201.0.12")

    async def free() -> tuple[int, int]:
        paths = (f"/pools/{made['id']}", f"/subnets/{subnet['id']}")
        found = [(await admin.get(f"{path}/utilisation")).json()["free"] for path in paths]
        return found[0], found[1]

    assert await free() == (11, 253)
    async with pool.acquire() as connection:
        await usage.refresh(connection)
    assert await free() == (11, 253)
    async with pool.acquire() as connection:
        await note_server(connection, 1, [ip_address("10.201.0.9"), ip_address("10.201.0.200")], [])
    assert await free() == (10, 251)
    async with pool.acquire() as connection:
        await usage.refresh(connection)
    assert await free() == (10, 251)
    await make(f"/subnets/{subnet['id']}/excludes", start_ip="10.201.0.7", end_ip="10.201.0.9")
    assert await free() == (9, 250)


async def test_the_next_free_address_passes_over_them(
    make: Any, admin: httpx.AsyncClient, subnet: Any
) -> None:
    await make("/trusted-relays", cidr="10.201.0.1/32")
    below = f"/subnets/{subnet['id']}"
    assert (await admin.get(f"{below}/free")).json()["items"][0]["ip"] == "10.201.0.2"
    made = [await make(f"{below}/reservations", mac=f"02:00:00:00:00:0{number}") for number in range(6)]
    assert [each["ip"] for each in made] == [f"10.201.0.{last}" for last in (2, 3, 4, 5, 6, 8)]


async def test_prefixes_that_contain_one_are_not_free(
    make: Any, admin: httpx.AsyncClient, pool: asyncpg.Pool
) -> None:
    prefix = await make("/prefixes", cidr="2001:db8::/32")
    subnet = await make("/subnets", prefix_id=prefix["id"], cidr="2001:db8:5::/64")
    made = await make(f"/subnets/{subnet['id']}/pools", prefix="2001:db8:f00::/48", delegated_length=56)
    await make("/trusted-relays", cidr="2001:db8:f00:1234::1/128")
    await make("/trusted-relays", cidr="2001:db8:f00:12ff::1/128")
    found = (await admin.get(f"/pools/{made['id']}")).json()
    assert [each["ip"] for each in found["in_use"]] == ["2001:db8:f00:1234::1", "2001:db8:f00:12ff::1"]
    assert (await admin.get(f"/pools/{made['id']}/utilisation")).json()["free"] == 255


async def test_an_explanation_names_them(make: Any, admin: httpx.AsyncClient, subnet: Any) -> None:
    await make(f"/subnets/{subnet['id']}/pools", start_ip="10.201.0.7", end_ip="10.201.0.8")
    await make("/trusted-relays", cidr="10.201.0.0/24")
    question = {"relay": "10.201.0.7", "mac": "02:00:00:00:00:01", "requested_ip": "10.201.0.7"}
    answer = (await admin.post("/dhcp/explain", json=question)).json()
    assert "outcome" in answer, answer
    assert (answer["outcome"], answer["address"]) == ("offer", "10.201.0.8")
    assert "10.201.0.7 lies in a pool and is in use by a relay: it is not leased" in answer["notes"]


async def test_an_explanation_names_eight_of_them(make: Any, admin: httpx.AsyncClient, subnet: Any) -> None:
    await make(f"/subnets/{subnet['id']}/pools", start_ip="10.201.0.100", end_ip="10.201.0.200")
    named = [f"10.201.0.{last}" for last in range(100, 110)]
    await admin.patch(f"/subnets/{subnet['id']}", json={"relay_addresses": named})
    await make("/trusted-relays", cidr="10.201.0.0/24")
    answer = (
        await admin.post("/dhcp/explain", json={"relay": "10.201.0.1", "mac": "02:00:00:00:00:01"})
    ).json()
    assert [note.split()[0] for note in answer["notes"] if " lies in a pool" in note] == named[:8]
    assert "2 more addresses in pools are in use" in answer["notes"]


async def test_an_explanation_of_dhcpv6_names_them(make: Any, admin: httpx.AsyncClient) -> None:
    prefix = await make("/prefixes", cidr="2001:db8::/32")
    link = "2001:db8:5::1"
    subnet = await make("/subnets", prefix_id=prefix["id"], cidr="2001:db8:5::/64", relay_addresses=[link])
    await make(f"/subnets/{subnet['id']}/pools", start_ip="2001:db8:5::", end_ip="2001:db8:5::ffff:ffff")
    await make("/trusted-relays", cidr="2001:db8::/32")
    question = {
        "link_address": link,
        "duid": "00030001020000000001",
        "associations": [{"kind": "na", "iaid": 1, "address": link}],
    }
    answer = (await admin.post("/dhcp6/explain", json=question)).json()
    assert "outcome" in answer, answer
    assert answer["outcome"] == "advertise"
    assert f"'{link}'" not in str(answer["associations"])
    assert answer["notes"] == [f"{link} lies in a pool and is in use by a relay: it is not leased"]
