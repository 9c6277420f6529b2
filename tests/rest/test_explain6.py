"""Explain for DHCPv6: the engine's own decision on a relayed message, by the plan of the API."""

from collections.abc import Callable
from typing import Any

import asyncpg
import httpx
import pytest
from litestar import Litestar

from api.app import create_app
from api.http.gate import Gate
from dhcp_fast.explain import explain
from ipam_core.settings import Settings

LINK = "2001:db8:1::1"
CLIENT, OTHER = "00:03:00:01:02:00:00:00:00:01", "00:03:00:01:02:00:00:00:00:02"
LEASE = """
insert into lease (tenant_no, address, prefix_length, ia_type, iaid, subnet_no, state, granted_at, renewed_at,
                   expires_at, reuse_at, version, client_key, duid)
select tenant_no, $1, 128, 3, 1, no, 'a', now(), now(), now() + interval '1 hour', now() + interval '1 hour',
       nextval('lease_version'), '\\x06000300000001'::bytea || $2, $2
from subnet where cidr = '2001:db8:1::/64'"""

Ask = Callable[..., Any]


@pytest.fixture
def app(pool: asyncpg.Pool, settings: Settings, routes: Litestar) -> Gate:
    return create_app(settings, pool, explain, routes=routes)


@pytest.fixture
async def site(make: Callable[..., Any]) -> dict[str, Any]:
    """Pools of addresses and prefixes, a class, an option, and a reservation of both."""
    prefix = await make("/prefixes", cidr="2001:db8::/32")
    subnet = await make("/subnets", prefix_id=prefix["id"], cidr="2001:db8:1::/64")
    below = f"/subnets/{subnet['id']}"
    await make("/trusted-relays", cidr="2001:db8:1::1/128")
    pool = await make(f"{below}/pools", start_ip="2001:db8:1::100", end_ip="2001:db8:1::1ff")
    delegation = await make(f"{below}/pools", prefix="2001:db8:f00::/48", delegated_length=56)
    await make(f"{below}/options", code=23, payload={"addresses": ["2001:db8::53"]})
    phones = await make(
        "/client-classes", name="phones", match={"option": 16, "family": 6, "contains": "phone"}
    )
    reservation = await make(f"{below}/reservations", ip="2001:db8:1::20", duid=OTHER, hostname="printer")
    return {
        "subnet": subnet,
        "pool": pool,
        "delegation": delegation,
        "reservation": reservation,
        "phones": phones,
    }


@pytest.fixture
def ask(admin: httpx.AsyncClient) -> Ask:
    async def question(**fields: Any) -> dict[str, Any]:
        answer = await admin.post("/dhcp6/explain", json={"link_address": LINK, "duid": CLIENT} | fields)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    return question


async def test_an_address_and_a_prefix_of_pools(site: dict[str, Any], ask: Ask) -> None:
    wanted = [{"kind": "na"}, {"kind": "pd", "iaid": 2}]
    found = await ask(associations=wanted, requested_options=[23], vendor_class="phone 7")
    assert (found["outcome"], found["relay_trusted"]) == ("advertise", True)
    assert found["subnet"]["id"] == site["subnet"]["id"]
    address, prefix = found["associations"]
    assert address["bindings"][0]["address"].startswith("2001:db8:1::1")
    assert address["bindings"][0]["pool_id"] == site["pool"]["id"]
    assert address["bindings"][0]["valid_lifetime_seconds"] == 86400
    assert address["t1"] == 27000
    assert prefix["bindings"][0]["address"].endswith("::/56")
    assert prefix["bindings"][0]["pool_id"] == site["delegation"]["id"]
    assert [c["name"] for c in found["classes"] if c["matched"]] == ["phones"]
    assert [(option["code"], option["text"]) for option in found["options"]] == [
        (23, "dns-servers (23): 2001:db8::53")
    ]
    assert found["reason"].startswith("the server would give 2001:db8:1::1")


async def test_a_reservation(site: dict[str, Any], ask: Ask) -> None:
    found = await ask(duid=OTHER)
    assert found["reservation"]["id"] == site["reservation"]["id"]
    assert found["associations"][0]["bindings"][0]["address"] == "2001:db8:1::20"


async def test_what_stays_with_the_link(site: dict[str, Any], make: Callable[..., Any], ask: Ask) -> None:
    """RFC 6603: what the reservation names, and what the answer names where the client asks for it."""
    path = f"/subnets/{site['subnet']['id']}/reservations"
    fields = {"prefix": "2001:db8:a00::/56", "excluded_prefix": "2001:db8:a00:7::/64"}
    await make(path, ip=None, duid=CLIENT, **fields)
    wanted = {"associations": [{"kind": "pd"}]}
    found = await ask(**wanted, requested_options=[67])
    assert {name: found["reservation"][name] for name in fields} == fields
    (binding,) = found["associations"][0]["bindings"]
    assert {"prefix": binding["address"], "excluded_prefix": binding["excluded_prefix"]} == fields
    (binding,) = (await ask(**wanted))["associations"][0]["bindings"]
    assert (binding["address"], binding["excluded_prefix"]) == (fields["prefix"], None)
    (binding,) = (await ask(duid=OTHER, **wanted, requested_options=[67]))["associations"][0]["bindings"]
    assert binding["excluded_prefix"] is None


async def test_a_renewal_of_a_lease(site: dict[str, Any], ask: Ask, pool: asyncpg.Pool) -> None:
    await pool.execute(LEASE, "2001:db8:1::123", bytes.fromhex(CLIENT.replace(":", "")))
    named = [{"kind": "na", "address": "2001:db8:1::123"}]
    found = await ask(message="renew", associations=named)
    assert found["outcome"] == "reply"
    assert [lease["ip"] for lease in found["leases"]] == ["2001:db8:1::123"]
    assert found["associations"][0]["bindings"][0]["address"] == "2001:db8:1::123"


async def test_a_renewal_whose_row_recalls_its_class(
    site: dict[str, Any], make: Callable[..., Any], ask: Ask, pool: asyncpg.Pool
) -> None:
    """The server reads the row of a client that does not repeat its vendor class, and so does explain."""
    pools = f"/subnets/{site['subnet']['id']}/pools"
    span = {"start_ip": "2001:db8:1::200", "end_ip": "2001:db8:1::2ff"}
    await make(pools, **span, class_id=site["phones"]["id"])
    await pool.execute(LEASE, "2001:db8:1::223", bytes.fromhex(CLIENT.replace(":", "")))
    named = [{"kind": "na", "address": "2001:db8:1::223"}]
    refused = await ask(message="renew", associations=named)
    assert not refused["associations"][0]["bindings"][0]["valid_lifetime_seconds"]
    await pool.execute("update lease set vendor_class = '\\x00000009000570686f6e65'")
    found = await ask(message="renew", associations=named)
    assert found["associations"][0]["bindings"][0]["address"] == "2001:db8:1::223"
    assert found["associations"][0]["bindings"][0]["valid_lifetime_seconds"]
    assert [one["matched"] for one in found["classes"]] == [True]


async def test_a_reserved_address_that_another_client_has(
    site: dict[str, Any], ask: Ask, pool: asyncpg.Pool
) -> None:
    """The row is read, as the server does, before the answer is decided."""
    await pool.execute(LEASE, "2001:db8:1::20", bytes.fromhex(CLIENT.replace(":", "")))
    found = await ask(duid=OTHER, associations=[{"kind": "na"}])
    assert found["outcome"] == "advertise"
    assert found["associations"][0]["bindings"][0]["address"] != "2001:db8:1::20"


async def test_the_subnet_is_that_of_the_lease(make: Callable[..., Any], ask: Ask) -> None:
    """On a shared network the one by which the message came says nothing about the lease."""
    prefix = await make("/prefixes", cidr="2001:db8::/32")
    shared = {"prefix_id": prefix["id"], "shared_network": "floor"}
    await make("/subnets", cidr="2001:db8:1::/64", **shared)
    other = await make("/subnets", cidr="2001:db8:2::/64", **shared)
    await make("/trusted-relays", cidr="2001:db8:1::1/128")
    await make(f"/subnets/{other['id']}/pools", start_ip="2001:db8:2::100", end_ip="2001:db8:2::1ff")
    found = await ask(associations=[{"kind": "na"}])
    assert found["associations"][0]["bindings"][0]["address"].startswith("2001:db8:2::1")
    assert found["subnet"]["id"] == other["id"]


async def test_what_is_refused_says_why(site: dict[str, Any], ask: Ask) -> None:
    named = [{"kind": "na", "address": "2001:db8:9::1"}]
    found = await ask(message="request", associations=named)
    assert found["associations"][0]["status"] == "NotOnLink"
    assert found["reason"] == "the server would answer NotOnLink"
    assert (await ask(message="confirm", associations=named))["status"] == "NotOnLink"


async def test_what_is_dropped_says_why(site: dict[str, Any], ask: Ask) -> None:
    found = await ask(relay="2001:db8:2::1")
    assert (found["outcome"], found["drop_reason"], found["relay_trusted"]) == (
        "dropped",
        "untrusted_relay",
        False,
    )
    assert found["reason"] == "the relay is not among the trusted relays"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"link_address": "10.0.0.1"}, "link_address"),
        ({"duid": "00"}, "duid"),
        ({"associations": [{"kind": "pd", "address": "2001:db8::1"}]}, "associations[0].address"),
        ({"associations": [{"kind": "na", "length": 56}]}, "associations[0].length"),
        ({"associations": [{}, {}]}, "associations"),
    ],
)
async def test_an_unclear_question(
    admin: httpx.AsyncClient, site: dict[str, Any], fields: dict[str, Any], field: str, refused: Any
) -> None:
    answer = await admin.post("/dhcp6/explain", json={"link_address": LINK, "duid": CLIENT} | fields)
    assert refused(answer, 422, "validation_error")["field"] == field


async def test_what_decided_a_class(site: dict[str, Any], make: Callable[..., Any], ask: Ask) -> None:
    hall = {"all": [{"option": 18, "family": 6, "relay": True, "equals": "ge-1"}, {"class": "phones"}]}
    await make("/client-classes", name="hall", priority=200, match=hall)
    await make("/client-classes", name="linked", priority=200, match={"field": "giaddr", "equals": LINK})

    async def decided(**said: Any) -> dict[str, tuple[Any, ...]]:
        found = await ask(**said)
        return {c["name"]: (c["matched"], *c["decided_by"].values()) for c in found["classes"]}

    told = await decided(interface_id="ge-2")
    assert told["hall"] == (False, "match.all[0]", hall["all"][0], "ge-2", False)
    assert told["phones"][3] is None
    assert told["linked"] == (True, "match", {"field": "giaddr", "equals": LINK}, LINK, True)
    told = await decided(interface_id="ge-1")
    assert told["hall"] == (False, "match.all[1]", {"class": "phones"}, None, False)
    told = await decided(interface_id="ge-1", vendor_class="phone 7")
    assert told["hall"][0]
    assert told["phones"][3].startswith("0x")


async def test_a_reservation_of_the_whole_tenant(
    site: dict[str, Any], make: Callable[..., Any], ask: Ask
) -> None:
    made = await make("/reservations", duid=CLIENT, hostname="anywhere")
    found = await ask()
    nothing = dict.fromkeys(("ip", "prefix", "excluded_prefix"))
    assert found["reservation"] == {"id": made["id"], **nothing, "hostname": "anywhere"}
    assert (await ask(duid=OTHER))["reservation"]["id"] == site["reservation"]["id"]
