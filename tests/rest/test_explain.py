"""Explain answers by the engine's own decision: what is offered, and from where; or why nothing is."""

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

MAC, OTHER = "02:00:00:00:00:01", "02:00:00:00:00:02"


@pytest.fixture
def app(pool: asyncpg.Pool, settings: Settings, routes: Litestar) -> Gate:
    return create_app(settings, pool, explain, routes=routes)


@pytest.fixture
async def site(make: Callable[..., Any], subnet: dict[str, Any]) -> dict[str, Any]:
    """One pool, two classes, an option in every scope."""
    below = f"/subnets/{subnet['id']}"
    await make("/trusted-relays", cidr="10.0.0.0/16")
    pool = await make(f"{below}/pools", name="desks", start_ip="10.0.0.100", end_ip="10.0.0.199")
    reservation = await make(f"{below}/reservations", ip="10.0.0.20", mac=MAC, hostname="printer")
    pxe = await make("/client-classes", name="pxe", vendor_class="PXEClient", boot_file="boot.efi")
    await make("/client-classes", name="banned", mac_prefix="06", deny=True)
    names = {"payload": {"string": "example.net"}}
    await make(f"{below}/options", code=15, **names)
    await make("/global-options", code=6, payload={"addresses": ["192.0.2.53"]})
    await make(f"/pools/{pool['id']}/options", code=4, payload={"addresses": ["192.0.2.4"]})
    await make(f"/client-classes/{pxe['id']}/options", code=9, payload={"addresses": ["192.0.2.9"]})
    await make(f"/reservations/{reservation['id']}/options", code=7, payload={"addresses": ["192.0.2.7"]})
    return {"subnet": subnet, "pool": pool, "reservation": reservation, "pxe": pxe}


Ask = Callable[..., Any]


@pytest.fixture
def ask(admin: httpx.AsyncClient) -> Ask:
    async def question(**fields: Any) -> dict[str, Any]:
        answer = await admin.post("/dhcp/explain", json=fields)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    return question


def scopes(found: dict[str, Any]) -> dict[int, tuple[str, str | None]]:
    return {option["code"]: (option["scope"]["type"], option["scope"]["name"]) for option in found["options"]}


async def test_a_client_of_a_pool(site: dict[str, Any], ask: Ask) -> None:
    wanted = [1, 3, 4, 6, 7, 9, 15]
    found = await ask(
        relay="10.0.0.1", mac=OTHER, vendor_class="PXEClient:Arch:00007", requested_options=wanted
    )
    assert found["outcome"] == "offer"
    assert (found["relay"]["address"], found["relay"]["trusted"]) == ("10.0.0.1", True)
    assert (found["subnet"]["cidr"], found["subnet"]["chosen_by"]) == ("10.0.0.0/24", "relay")
    assert found["pool"]["id"] == site["pool"]["id"]
    assert found["address_from"] == "pool"
    assert {c["name"]: c["matched"] for c in found["classes"]} == {"pxe": True, "banned": False}
    assert found["boot_file"] == "boot.efi"
    told = scopes(found)
    assert told[53] == told[51] == ("protocol", None)
    assert told[1] == told[3] == told[15] == ("subnet", "10.0.0.0/24")
    assert told[4] == ("pool", "desks")
    assert told[6] == ("global", "global")
    assert told[9] == ("class", "pxe")
    assert 7 not in told


async def test_a_shared_network_is_searched_whole(
    make: Callable[..., Any], subnet: dict[str, Any], ask: Ask
) -> None:
    """The relay's subnet has no pool; the address and the reservation come from the one that shares its wire."""
    await make("/trusted-relays", cidr="10.0.0.0/16")
    wire = {"prefix_id": subnet["prefix_id"], "shared_network": "campus"}
    await make("/subnets", cidr="10.0.8.0/24", **wire)
    sibling = await make("/subnets", cidr="10.0.9.0/24", **wire)
    await make(f"/subnets/{sibling['id']}/pools", start_ip="10.0.9.100", end_ip="10.0.9.100")
    await make(f"/subnets/{sibling['id']}/reservations", ip="10.0.9.20", mac=MAC)
    found = await ask(relay="10.0.8.1", mac=OTHER)
    assert (found["address"], found["subnet"]["cidr"]) == ("10.0.9.100", "10.0.9.0/24")
    assert found["subnet"]["chosen_by"] == "shared_network"
    found = await ask(relay="10.0.8.1", mac=MAC)
    assert (found["address"], found["reservation"]["ip"]) == ("10.0.9.20", "10.0.9.20")


@pytest.mark.parametrize(
    ("said", "cidr", "by"),
    [
        ({}, "10.0.0.0/24", "relay"),
        ({"link_selection": "10.0.8.1"}, "10.0.8.0/24", "link_selection"),
        (
            {"options": [{"code": 118, "payload": {"addresses": ["10.0.8.0"]}}]},
            "10.0.8.0/24",
            "subnet_selection",
        ),
        (
            {"link_selection": "10.0.0.1", "options": [{"code": 118, "payload": {"hex": "0a000800"}}]},
            "10.0.0.0/24",
            "link_selection",
        ),
    ],
)
async def test_what_chooses_the_subnet(
    said: dict[str, Any], cidr: str, by: str, site: dict[str, Any], make: Callable[..., Any], ask: Ask
) -> None:
    """RFC 3527 section 3: link selection counts before subnet selection (RFC 3011), and both before the relay."""
    other = await make("/subnets", prefix_id=site["subnet"]["prefix_id"], cidr="10.0.8.0/24")
    await make(f"/subnets/{other['id']}/pools", start_ip="10.0.8.100", end_ip="10.0.8.199")
    found = await ask(relay="10.0.0.1", mac=OTHER, **said)
    assert (found["subnet"]["cidr"], found["subnet"]["chosen_by"]) == (cidr, by)


async def test_a_client_with_a_reservation(site: dict[str, Any], ask: Ask) -> None:
    found = await ask(relay="10.0.0.1", mac=MAC, requested_options=[7, 12])
    assert (found["address"], found["address_from"]) == ("10.0.0.20", "reservation")
    assert found["reservation"]["id"] == site["reservation"]["id"]
    assert found["pool"] is None
    told = scopes(found)
    assert told[7] == told[12] == ("reservation", "printer")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"relay": "192.0.2.1", "mac": OTHER}, "untrusted_relay"),
        ({"relay": "10.0.9.1", "mac": OTHER}, "no_subnet"),
        ({"interface": "eth9", "mac": OTHER}, "not_served_here"),
        ({"relay": "10.0.0.1"}, "no_identity"),
        ({"relay": "10.0.0.1", "mac": "06:00:00:00:00:01"}, "denied_class"),
    ],
)
async def test_why_nothing_is_offered(
    site: dict[str, Any], ask: Ask, fields: dict[str, Any], reason: str
) -> None:
    found = await ask(**fields)
    assert (found["outcome"], found["drop_reason"]) == ("dropped", reason)
    assert found["address"] is None
    if reason == "denied_class":
        assert [c["name"] for c in found["classes"] if c["matched"] and c["deny"]] == ["banned"]


async def test_a_switched_off_subnet_and_an_exhausted_one(
    site: dict[str, Any], ask: Ask, admin: httpx.AsyncClient
) -> None:
    path = f"/subnets/{site['subnet']['id']}"
    await admin.patch(path, json={"dhcp_enabled": False})
    assert (await ask(relay="10.0.0.1", mac=OTHER))["drop_reason"] == "dhcp_disabled"
    await admin.patch(path, json={"dhcp_enabled": True})
    await admin.delete(f"/pools/{site['pool']['id']}?cascade=true")
    assert (await ask(relay="10.0.0.1", mac=OTHER))["drop_reason"] == "exhausted"


async def test_leases_count(site: dict[str, Any], ask: Ask, pool: asyncpg.Pool) -> None:
    """The client's own leads back to its address; another's is not given."""
    first = (await ask(relay="10.0.0.1", mac=OTHER))["address"]
    subnet = await pool.fetchrow("select no, tenant_no from subnet")
    await put_lease(pool, subnet, first, "02:00:00:00:00:77")
    assert (await ask(relay="10.0.0.1", mac=OTHER))["address"] != first
    own = "10.0.0.151" if first == "10.0.0.150" else "10.0.0.150"
    await put_lease(pool, subnet, own, OTHER)
    found = await ask(relay="10.0.0.1", mac=OTHER)
    assert (found["address"], found["address_from"]) == (own, "lease")
    assert [(lease["ip"], lease["state"]) for lease in found["leases"]] == [(own, "active")]


async def put_lease(pool: asyncpg.Pool, subnet: Any, address: str, mac: str) -> None:
    hardware = bytes.fromhex(mac.replace(":", ""))
    await pool.execute(
        "insert into lease (tenant_no, subnet_no, address, prefix_length, state, version, granted_at, renewed_at,"
        " expires_at, reuse_at, client_key, hw_type, hw_address) values ($1, $2, $3::text::inet, 32, 'a',"
        " nextval('lease_version'), now(), now(), now() + '1 hour', now() + '1 hour', $4, 1, $5)",
        subnet["tenant_no"],
        subnet["no"],
        address,
        b"\x01\x01" + hardware,
        hardware,
    )


async def test_the_interface_chooses_too(site: dict[str, Any], ask: Ask, admin: httpx.AsyncClient) -> None:
    found = await ask(interface="10.0.0.2", mac=OTHER)
    assert (found["relay"], found["subnet"]["chosen_by"]) == (None, "interface_address")
    await admin.patch(f"/subnets/{site['subnet']['id']}", json={"interface": "eth1"})
    assert (await ask(interface="eth1", mac=OTHER))["subnet"]["chosen_by"] == "interface"


NODE = """
insert into node (id, name, role, version, state, interfaces, heartbeat_at)
values (gen_random_uuid(), $1, 'dhcp', '1', $2, $3, now() - make_interval(secs => $4))"""


async def live_server(
    pool: asyncpg.Pool, name: str, state: str = "ready", age: float = 0, **served: Any
) -> None:
    await pool.execute(NODE, name, state, served, age)


async def test_an_interface_by_the_name_that_a_live_server_has_for_it(
    site: dict[str, Any], ask: Ask, pool: asyncpg.Pool
) -> None:
    """Its addresses choose the subnet, as they do in the server; and the server goes by the first of them."""
    await live_server(pool, "a", lan0=["10.0.0.2", "10.0.0.3"], lan1=[])
    for said in ("lan0", "10.0.0.3"):
        found = await ask(interface=said, mac=OTHER)
        assert (found["outcome"], found["subnet"]["cidr"]) == ("offer", "10.0.0.0/24")
        assert found["subnet"]["chosen_by"] == "interface_address"
        assert {o["code"]: o["text"] for o in found["options"]}[54].endswith("10.0.0.2")
        assert found["notes"] == []
    request = await ask(interface="lan0", mac=OTHER, message="request", requested_ip="10.0.0.150")
    assert request["outcome"] == "ack"
    found = await ask(interface="lan1", mac=OTHER)
    assert (found["drop_reason"], found["notes"]) == ("not_served_here", [])


@pytest.mark.parametrize(("state", "age"), [("stopped", 0), ("ready", 60)])
async def test_an_interface_that_nobody_serves_is_said_to_be_one(
    site: dict[str, Any], ask: Ask, pool: asyncpg.Pool, state: str, age: float
) -> None:
    await live_server(pool, "a", state, age, lan0=["10.0.0.2"])
    found = await ask(interface="lan0", mac=OTHER)
    assert found["drop_reason"] == "not_served_here"
    assert "no running DHCP server serves the interface lan0" in found["notes"][0]
    found = await ask(interface="10.0.0.2", mac=OTHER)
    assert found["outcome"] == "offer"
    assert "serves the interface 10.0.0.2" in found["notes"][0]
    assert 54 not in {option["code"] for option in found["options"]}


async def test_an_interface_name_of_two_servers(site: dict[str, Any], ask: Ask, pool: asyncpg.Pool) -> None:
    await live_server(pool, "a", lan0=["10.0.0.2"])
    await live_server(pool, "b", lan0=["10.0.8.2"])
    found = await ask(interface="lan0", mac=OTHER)
    assert found["subnet"]["cidr"] == "10.0.0.0/24"
    assert "use its address instead" in found["notes"][0]


async def test_no_server_identifier_is_invented(site: dict[str, Any], ask: Ask) -> None:
    """A relay reaches one of the servers by one of its addresses; which, the question does not tell."""
    found = await ask(relay="10.0.0.1", mac=OTHER)
    assert 54 not in {option["code"] for option in found["options"]}
    assert "option 54" in found["notes"][0]


async def test_a_boot_server_that_is_known_by_name(
    site: dict[str, Any], ask: Ask, admin: httpx.AsyncClient
) -> None:
    await admin.patch(f"/subnets/{site['subnet']['id']}", json={"next_server": "boot.example.org"})
    found = await ask(relay="10.0.0.1", mac=OTHER)
    assert found["next_server"] == "boot.example.org"
    assert found["server_name"] == "boot.example.org"
    assert "boot.example.org is sent by name only" in found["notes"][1]
    named = {"next_server": "10.0.0.9", "server_name": "boot.example.org"}
    await admin.patch(f"/subnets/{site['subnet']['id']}", json=named)
    found = await ask(relay="10.0.0.1", mac=OTHER)
    assert (found["next_server"], found["server_name"]) == ("10.0.0.9", "boot.example.org")
    assert len(found["notes"]) == 1


async def test_relay_addresses_and_link_selection(
    site: dict[str, Any], ask: Ask, admin: httpx.AsyncClient
) -> None:
    await admin.patch(f"/subnets/{site['subnet']['id']}", json={"relay_addresses": ["10.0.7.1"]})
    assert (await ask(relay="10.0.7.1", mac=OTHER))["subnet"]["chosen_by"] == "relay_addresses"
    found = await ask(relay="10.0.9.1", link_selection="10.0.0.0", mac=OTHER)
    assert found["subnet"]["chosen_by"] == "link_selection"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"mac": MAC}, "relay"),
        ({"relay": "10.0.0.1", "interface": "eth0"}, "relay"),
        ({"relay": "2001:db8::1"}, "relay"),
        ({"interface": "eth0", "link_selection": "10.0.0.0"}, "link_selection"),
        ({"relay": "10.0.0.1", "options": [{"code": 61, "payload": {"hex": "01"}}]}, "options[0].code"),
    ],
)
async def test_questions_that_make_no_packet(
    admin: httpx.AsyncClient, refused: Callable[..., Any], fields: dict[str, Any], field: str
) -> None:
    details = refused(await admin.post("/dhcp/explain", json=fields), 422, "validation_error")
    assert details["field"] == field


async def test_a_tenants_token_sees_its_own_plan(
    site: dict[str, Any], make: Callable[..., Any], connect: Callable[..., Any]
) -> None:
    tenant = await make("/tenants", name="other")
    token = await make("/tokens", name="limited", role="viewer", tenant_id=tenant["id"])
    answer = await connect(token["token"]).post("/dhcp/explain", json={"relay": "10.0.0.1", "mac": OTHER})
    assert answer.json()["drop_reason"] == "untrusted_relay"  # as if nobody had an entry for it
    assert answer.json()["classes"] == []


LEASED = "10.0.0.150"


@pytest.mark.parametrize(
    ("message", "field", "way"),
    [
        ("renew", "ciaddr", {"relay": "10.0.0.1"}),
        ("renew", "ciaddr", {"interface": "10.0.0.2"}),
        ("rebind", "ciaddr", {"relay": "10.0.0.1"}),
        ("rebind", "ciaddr", {"interface": "10.0.0.2"}),
        ("init_reboot", "requested_ip", {"relay": "10.0.0.1"}),
    ],
)
async def test_what_a_client_with_an_address_would_get(
    site: dict[str, Any],
    ask: Ask,
    pool: asyncpg.Pool,
    admin: httpx.AsyncClient,
    message: str,
    field: str,
    way: dict[str, str],
) -> None:
    """Its own lease is confirmed; an unknown one refused; rebinding is left to others unless we are authoritative."""
    asked = {"message": message, field: LEASED, "mac": OTHER} | way
    found = await ask(**asked)
    assert (found["outcome"], found["address"]) == ("nak", None)
    assert LEASED in found["reason"]
    await admin.patch(f"/subnets/{site['subnet']['id']}", json={"authoritative": False})
    found = await ask(**asked)
    if message == "renew":
        assert found["outcome"] == "nak"
    else:
        assert (found["outcome"], found["drop_reason"]) == ("dropped", "unknown_binding")
    subnet = await pool.fetchrow("select no, tenant_no from subnet")
    await put_lease(pool, subnet, LEASED, OTHER)
    found = await ask(**asked)
    assert (found["outcome"], found["address"], found["address_from"]) == ("ack", LEASED, "lease")
    assert found["pool"]["name"] == "desks"
    assert found["subnet"]["chosen_by"] == (
        "ciaddr" if message == "renew" else "relay" if "relay" in way else "interface_address"
    )
    assert 51 in scopes(found)
    await admin.delete(f"/pools/{site['pool']['id']}?cascade=true")
    assert (await ask(**asked))["outcome"] == "nak"
    assert await pool.fetchval("select state from lease") == "a", "nothing was written"


async def test_what_follows_an_offer(site: dict[str, Any], ask: Ask, pool: asyncpg.Pool) -> None:
    asked = {"message": "request", "relay": "10.0.0.1", "mac": OTHER, "requested_ip": LEASED}
    assert (await ask(**asked))["outcome"] == "ack"
    subnet = await pool.fetchrow("select no, tenant_no from subnet")
    await put_lease(pool, subnet, LEASED, "02:00:00:00:00:77")
    assert (await ask(**asked))["outcome"] == "nak"
    await pool.execute("update lease set state = 'r', reuse_at = now() - interval '5 seconds'")
    assert (await ask(**asked))["outcome"] == "ack"
    reserved = asked | {"requested_ip": "10.0.0.20"}
    assert (await ask(**reserved))["outcome"] == "nak"
    assert (await ask(**reserved | {"mac": MAC}))["address_from"] == "reservation"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"message": "renew"}, "ciaddr"),
        ({"message": "request"}, "requested_ip"),
        ({"message": "renew", "ciaddr": LEASED, "requested_ip": LEASED}, "requested_ip"),
        ({"ciaddr": LEASED}, "ciaddr"),
        ({"message": "renew", "ciaddr": "2001:db8::1"}, "ciaddr"),
        ({"message": "decline"}, "message"),
    ],
)
async def test_messages_name_the_address_in_their_own_field(
    admin: httpx.AsyncClient, refused: Callable[..., Any], fields: dict[str, Any], field: str
) -> None:
    answer = await admin.post("/dhcp/explain", json={"relay": "10.0.0.1", "mac": MAC} | fields)
    assert refused(answer, 422, "validation_error")["field"] == field


async def test_an_address_that_would_be_pinged_first_is_said_to_be(
    site: dict[str, Any], ask: Ask, admin: httpx.AsyncClient
) -> None:
    told = (await ask(mac=OTHER, relay="10.0.0.1"))["reason"]
    await admin.patch(f"/subnets/{site['subnet']['id']}", json={"ping_check": True})
    found = await ask(mac=OTHER, relay="10.0.0.1")
    assert told == f"the server would offer {found['address']}"
    assert found["outcome"] == "offer"
    assert (
        found["reason"]
        == f"the server would ping {found['address']} first, and offer it if there is no answer"
    )


CONDITIONS = {
    "all": [
        {"option": 93, "in": [7, 9]},
        {"not": {"relay": True, "option": 1, "prefix": "cable"}},
        {"any": [{"field": "giaddr", "equals": "10.0.9.1"}, {"option": 77, "exists": False}]},
    ]
}


@pytest.mark.parametrize(
    ("said", "matched", "decided_by"),
    [
        ({}, False, ("match.all[0]", CONDITIONS["all"][0], None, False)),
        (
            {"options": [{"code": 93, "payload": {"values": [6]}}]},
            False,
            ("match.all[0]", CONDITIONS["all"][0], "0x0006", False),
        ),
        (
            {"options": [{"code": 93, "payload": {"values": [9]}}], "circuit_id": "cable-3"},
            False,
            ("match.all[1].not", CONDITIONS["all"][1]["not"], "cable-3", True),
        ),
        (
            {"options": [{"code": 93, "payload": {"values": [9]}}]},
            True,
            ("match.all[2].any[1]", {"option": 77, "exists": False}, None, True),
        ),
        (
            {"options": [{"code": 93, "payload": {"values": [9]}}], "user_class": "iPXE"},
            False,
            ("match.all[2].any[1]", {"option": 77, "exists": False}, "iPXE", False),
        ),
    ],
)
async def test_the_leaf_that_decided(
    said: dict[str, Any],
    matched: bool,
    decided_by: tuple[Any, ...],
    site: dict[str, Any],
    make: Callable[..., Any],
    ask: Ask,
) -> None:
    await make("/client-classes", name="odd", match=CONDITIONS)
    found = await ask(relay="10.0.0.1", mac=OTHER, **said)
    told = next(c for c in found["classes"] if c["name"] == "odd")
    assert told["matched"] is matched
    assert tuple(told["decided_by"].values()) == decided_by


async def test_the_criterion_that_decided(site: dict[str, Any], make: Callable[..., Any], ask: Ask) -> None:
    await make("/client-classes", name="phones", vendor_class="phone", user_class="voice", known=True)
    given = await make("/client-classes", name="kiosks", priority=200, match={"class": "phones"})
    below = f"/subnets/{site['subnet']['id']}/reservations"
    await make(below, ip="10.0.0.21", mac="02:00:00:00:00:03", class_id=given["id"])

    async def decided(**said: Any) -> dict[str, tuple[Any, ...]]:
        found = await ask(relay="10.0.0.1", **said)
        return {c["name"]: (c["matched"], *c["decided_by"].values()) for c in found["classes"]}

    told = await decided(mac=OTHER, vendor_class="phone 7")
    assert told["phones"] == (False, "user_class", "voice", None, False)
    assert told["pxe"] == (False, "vendor_class", "PXEClient", "phone 7", False)
    assert told["banned"] == (False, "mac_prefix", "06", OTHER, False)
    assert told["kiosks"] == (False, "match", {"class": "phones"}, None, False)
    told = await decided(mac=MAC, vendor_class="phone 7", user_class="voice")
    assert told["phones"] == (True, "known", True, None, True)
    assert told["kiosks"] == (True, "match", {"class": "phones"}, None, True)
    told = await decided(mac="02:00:00:00:00:03")
    assert told["kiosks"] == (True, "reservation", None, None, True)


async def test_the_class_that_a_template_makes(
    site: dict[str, Any], make: Callable[..., Any], ask: Ask
) -> None:
    """And of a class that asks for such a value, which one was seen."""
    leaf = {"relay": True, "option": 1, "exists": True}
    await make("/client-classes", name="rack", priority=1, match=leaf, template=True)
    near = {"class": "rack", "equals": "r17"}
    await make("/client-classes", name="near", match=near)

    async def told(**said: Any) -> list[Any]:
        found = await ask(relay="10.0.0.1", mac=OTHER, **said)
        return [
            (c["matched"], c["made"], *c["decided_by"].values())
            for c in found["classes"][:1] + found["classes"][-1:]
        ]

    assert await told(circuit_id="r17") == [
        (True, "rack:r17", "match", leaf, "r17", True),
        (True, None, "match", near, "r17", True),
    ]
    assert await told(circuit_id="0x01ff") == [
        (True, "rack:0x01ff", "match", leaf, "0x01ff", True),
        (False, None, "match", near, "0x01ff", False),
    ]
    assert await told() == [
        (False, None, "match", leaf, None, False),
        (False, None, "match", near, None, False),
    ]


async def test_classes_behind_one_that_is_denied_are_told_too(
    site: dict[str, Any], make: Callable[..., Any], ask: Ask
) -> None:
    await make("/client-classes", name="last", priority=200, match={"class": "pxe"})
    found = await ask(relay="10.0.0.1", mac="06:00:00:00:00:01", vendor_class="PXEClient")
    assert found["drop_reason"] == "denied_class"
    assert [c["name"] for c in found["classes"] if c["matched"]] == ["pxe", "banned", "last"]


async def test_a_class_of_an_interface(
    make: Callable[..., Any], subnet: dict[str, Any], ask: Ask, admin: httpx.AsyncClient
) -> None:
    """By its name, whatever its number is on the machine of the API."""
    await make(f"/subnets/{subnet['id']}/pools", start_ip="10.0.0.100", end_ip="10.0.0.199")
    answer = await admin.patch(f"/subnets/{subnet['id']}", json={"interface": "eth9"})
    assert answer.status_code == 200
    await make("/client-classes", name="here", match={"field": "interface", "in": ["eth8", "eth9"]})
    for interface, matched in (("eth9", True), ("lo", False)):
        found = await ask(interface=interface, mac=OTHER)
        told = [c for c in found["classes"] if c["name"] == "here"]
        assert [c["matched"] for c in told] == ([True] if matched else [])
        assert all(c["decided_by"]["seen"] == interface for c in told)


async def test_a_reservation_of_the_whole_tenant(
    site: dict[str, Any], make: Callable[..., Any], ask: Ask
) -> None:
    made = await make("/reservations", mac=OTHER, hostname="anywhere")
    await make(f"/reservations/{made['id']}/options", code=7, payload={"addresses": ["192.0.2.8"]})
    found = await ask(relay="10.0.0.1", mac=OTHER, requested_options=[7, 12])
    assert found["reservation"] == {"id": made["id"], "ip": None, "hostname": "anywhere"}
    assert found["address_from"] == "pool"
    told = scopes(found)
    assert told[7] == told[12] == ("reservation", "anywhere")
    assert (await ask(relay="10.0.0.1", mac=MAC))["reservation"]["id"] == site["reservation"]["id"]


BEHIND_RELAY = """
insert into lease (tenant_no, address, prefix_length, subnet_no, state, granted_at, renewed_at, expires_at, reuse_at,
                   version, client_key, hw_type, hw_address, relay, circuit_id)
select tenant_no, '10.0.0.150', 32, no, 'a', now(), now(), now() + interval '1 hour', now() + interval '1 hour',
       nextval('lease_version'), '\\x0101' || $1::bytea, 1, $1::bytea, '10.0.0.1', 'hall-3'
from subnet where cidr = '10.0.0.0/24'"""


async def test_a_renewal_past_the_relay_is_of_its_classes(
    site: dict[str, Any], make: Callable[..., Any], ask: Ask, pool: asyncpg.Pool
) -> None:
    await make("/client-classes", name="hall", match={"relay": True, "option": 1, "prefix": "hall"})
    await pool.execute(BEHIND_RELAY, bytes.fromhex(OTHER.replace(":", "")))
    found = await ask(relay="10.0.0.1", message="renew", mac=OTHER, ciaddr="10.0.0.150")
    told = next(c for c in found["classes"] if c["name"] == "hall")
    assert (found["outcome"], told["matched"], told["decided_by"]["seen"]) == ("ack", True, "hall-3")


async def test_long_boot_names_and_options_without_room(
    site: dict[str, Any], make: Callable[..., Any], ask: Ask, admin: httpx.AsyncClient
) -> None:
    """Names too long for the header stand in options 66 and 67; what the answer has no room for is noted."""
    below = f"/subnets/{site['subnet']['id']}"
    name, file = "n" * 64, "http://10.0.0.9/" + "f" * 140
    changed = await admin.patch(below, json={"server_name": name, "boot_file": file})
    assert changed.status_code == 200, changed.text
    found = await ask(relay="10.0.0.1", mac=MAC, requested_options=[1])
    assert (found["server_name"], found["boot_file"]) == (name, file)
    for code in (224, 225):
        await make(f"{below}/options", code=code, payload={"hex": "ab" * 200})
    found = await ask(relay="10.0.0.1", mac=MAC, requested_options=[224, 225])
    assert (found["server_name"], found["boot_file"]) == (name, file)
    assert {66, 67} <= {option["code"] for option in found["options"]}
    told = "is omitted: the answer has no room for it; clients that accept larger messages send option 57"
    assert [note for note in found["notes"] if "no room" in note] == [
        f"option {code} {told}" for code in (224, 225)
    ]


async def test_options_in_the_headers_fields_are_told(
    site: dict[str, Any], make: Callable[..., Any], ask: Ask
) -> None:
    """Overload (RFC 2132 9.3): they are options, and no boot file."""
    for code in (224, 225):
        await make(f"/subnets/{site['subnet']['id']}/options", code=code, payload={"hex": "ab" * 120})
    found = await ask(relay="10.0.0.1", mac=OTHER, requested_options=[224, 225, 12])
    assert {224, 225} <= {option["code"] for option in found["options"]}
    assert (found["server_name"], found["boot_file"]) == (None, None)


@pytest.mark.parametrize("code", [121, 249])
async def test_routes_that_take_the_gateway_away(
    code: int, site: dict[str, Any], make: Callable[..., Any], ask: Ask, admin: httpx.AsyncClient
) -> None:
    """RFC 3442: clients that get 121 ignore option 3, so a default route belongs among its routes."""
    below = f"/subnets/{site['subnet']['id']}"
    await admin.patch(below, json={"gateway": "10.0.0.1"})
    route = {"destination": "192.0.2.0/24", "router": "10.0.0.2"}
    made = await make(f"{below}/options", code=code, payload={"routes": [route]})
    found = await ask(relay="10.0.0.1", mac=OTHER, requested_options=[3, code])
    assert [note for note in found["notes"] if "0.0.0.0/0" in note]
    assert not [note for note in (await ask(relay="10.0.0.1", mac=OTHER))["notes"] if "0.0.0.0/0" in note]
    default = {"destination": "0.0.0.0/0", "router": "10.0.0.1"}
    await admin.patch(f"/options/{made['id']}", json={"payload": {"routes": [route, default]}})
    found = await ask(relay="10.0.0.1", mac=OTHER, requested_options=[3, code])
    assert not [note for note in found["notes"] if "0.0.0.0/0" in note]
