"""Prefixes of a NetBox become prefixes of ours: one level, only what is missing, each skip with its reason."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from rest.netbox_server import V1, V2, Answer, NetBox

from ipam_core.model.page import write_cursor
from ipam_core.setting_values import network
from ipam_core.settings import Settings


@pytest.fixture
def settings() -> Settings:
    """NetBox is on loopback here, which must be listed."""
    return Settings(rate_limit=0, token_rate_limit=0, outbound_allow=(network("127.0.0.0/8"),))


@pytest.fixture
async def netbox() -> AsyncIterator[NetBox]:
    async with NetBox().serving() as served:
        yield served


async def imported(admin: httpx.AsyncClient, netbox: NetBox, **fields: Any) -> dict[str, Any]:
    """The whole answer; the token never stands in it."""
    body = {"url": netbox.url, "token": V2} | fields
    answer = await admin.post("/netbox/import", json=body)
    assert answer.status_code == 200, answer.text
    assert V2 not in answer.text
    found: dict[str, Any] = answer.json()
    return found


async def to_the_end(admin: httpx.AsyncClient, netbox: NetBox, **fields: Any) -> list[dict[str, Any]]:
    results, cursor = [], None
    while True:
        results.append(await imported(admin, netbox, cursor=cursor, **fields))
        cursor = results[-1]["next_cursor"]
        if cursor is None:
            return results


def created(result: dict[str, Any]) -> list[str]:
    return [each["cidr"] for each in result["created"]]


def reasons(result: dict[str, Any]) -> dict[str, str]:
    return {each["cidr"]: each["reason"] for each in result["skipped"]}


async def ours(admin: httpx.AsyncClient) -> set[tuple[str, str]]:
    items = (await admin.get("/prefixes", params={"limit": 1000})).json()["items"]
    return {(each["tenant_id"], each["cidr"]) for each in items}


def nest(netbox: NetBox) -> None:
    """A container, two networks in it of which one is divided, an old one, IPv6."""
    netbox.add("10.0.0.0/8", "container")
    netbox.add("10.1.0.0/16", description="Berlin")
    netbox.add("10.1.1.0/24")
    netbox.add("10.1.2.0/24", "reserved")
    netbox.add("10.1.2.0/25")
    netbox.add("10.2.0.0/16")
    netbox.add("10.3.0.0/16", "deprecated")
    netbox.add("2001:db8::/32", "container")
    netbox.add("2001:db8:1::/48", description="Office")


async def test_the_outermost_that_are_no_containers(
    admin: httpx.AsyncClient, make: Any, netbox: NetBox
) -> None:
    nest(netbox)
    there = await make("/prefixes", cidr="10.2.3.0/24")
    result = await imported(admin, netbox)
    assert created(result) == ["10.1.0.0/16", "2001:db8:1::/48"]
    assert reasons(result) == {
        "10.0.0.0/8": "status",
        "10.1.1.0/24": "nested",
        "10.1.2.0/24": "nested",
        "10.1.2.0/25": "nested",
        "10.2.0.0/16": "overlaps",
        "10.3.0.0/16": "status",
        "2001:db8::/32": "status",
    }
    detail = next(each["detail"] for each in result["skipped"] if each["reason"] == "overlaps")
    assert "10.2.3.0/24" in detail
    assert there["id"] in detail
    assert (result["looked_at"], result["errors"], result["next_cursor"]) == (9, [], None)
    berlin = result["created"][0]
    made = (await admin.get(f"/prefixes/{berlin['id']}")).json()
    assert (made["cidr"], made["description"], berlin["netbox_id"]) == ("10.1.0.0/16", "Berlin", 2)
    again = await imported(admin, netbox)
    assert created(again) == []
    assert reasons(again)["10.1.0.0/16"] == "exists"
    audit = (await admin.get("/audit", params={"object_type": "prefix"})).json()["items"]
    assert len(audit) == 3
    assert {each["token_name"] for each in audit} == {"root"}


async def test_the_innermost(admin: httpx.AsyncClient, netbox: NetBox) -> None:
    nest(netbox)
    result = await imported(admin, netbox, level="innermost")
    assert created(result) == ["10.1.1.0/24", "10.1.2.0/25", "10.2.0.0/16", "2001:db8:1::/48"]
    assert reasons(result)["10.1.2.0/24"] == "holds_others"


async def test_statuses_decide_what_counts(admin: httpx.AsyncClient, netbox: NetBox) -> None:
    nest(netbox)
    result = await imported(admin, netbox, statuses=["container", "active"], family=4)
    assert created(result) == ["10.0.0.0/8"]
    assert set(reasons(result).values()) == {"nested"}


async def test_a_dry_run_changes_nothing(admin: httpx.AsyncClient, make: Any, netbox: NetBox) -> None:
    nest(netbox)
    await make("/prefixes", cidr="10.2.3.0/24")
    before = await ours(admin)
    dry = await imported(admin, netbox, dry_run=True)
    assert {each["id"] for each in dry["created"]} == {None}
    assert await ours(admin) == before
    real = await imported(admin, netbox)
    assert created(real) == created(dry)
    assert real["skipped"] == dry["skipped"]


@pytest.mark.parametrize("level", ["outermost", "innermost"])
async def test_pages_and_cursors_give_what_one_answer_gives(
    admin: httpx.AsyncClient, netbox: NetBox, level: str
) -> None:
    nest(netbox)
    whole = await imported(admin, netbox, level=level, dry_run=True)
    netbox.page_size = 2
    netbox.links_to = "http://elsewhere.invalid"  # as a proxy that is not told its name: never followed
    paged = await imported(admin, netbox, level=level, dry_run=True)
    assert paged["created"] == whole["created"]
    assert len(netbox.asked("GET")) == 1 + 5
    cut = await to_the_end(admin, netbox, level=level, limit=1)
    assert len(cut) == 9
    assert [cidr for result in cut for cidr in created(result)] == created(whole)
    skipped = [each for result in cut for each in result["skipped"]]
    assert {each["cidr"]: each["reason"] for each in skipped} == reasons(whole)


async def test_pages_by_id_are_followed_too(admin: httpx.AsyncClient, netbox: NetBox) -> None:
    """NetBox 4.6 pages by id as well; then what lies in another may come before it."""
    netbox.add("10.2.0.0/16")
    netbox.add("10.1.0.0/16")
    first = {
        "count": None,
        "next": "http://x/api/ipam/prefixes/?limit=1&start=2",
        "previous": None,
        "results": [],
    }
    netbox.faults[1] = Answer(200, first)
    result = await imported(admin, netbox)
    assert created(result) == ["10.1.0.0/16"]
    assert netbox.asked("GET")[1].one("start") == "2"
    assert not netbox.asked("GET")[1].all("ordering")


async def test_by_tenant(admin: httpx.AsyncClient, make: Any, netbox: NetBox) -> None:
    guest = await make("/tenants", name="Guest")
    lab = await make("/tenants", name="lab")
    named = {name: netbox.add_tenant(name) for name in ("Guest", "Laboratory", "Unknown")}
    netbox.add("10.1.0.0/16")
    netbox.add("10.1.0.0/16", tenant=named["Guest"])
    netbox.add("10.1.2.0/24", tenant=named["Laboratory"])
    netbox.add("10.2.0.0/16", tenant=named["Unknown"])
    netbox.add("10.1.3.0/24", tenant=named["Guest"])
    result = await imported(admin, netbox, map_by="tenant", mapping={"laboratory": lab["id"]})
    default = next(each["id"] for each in (await admin.get("/tenants")).json()["items"] if each["is_default"])
    assert await ours(admin) == {
        (default, "10.1.0.0/16"),
        (guest["id"], "10.1.0.0/16"),
        (lab["id"], "10.1.2.0/24"),
    }
    assert reasons(result) == {"10.2.0.0/16": "no_counterpart", "10.1.3.0/24": "nested"}
    assert "'Unknown'" in result["skipped"][0]["detail"] + result["skipped"][1]["detail"]


async def test_by_vrf(admin: httpx.AsyncClient, make: Any, netbox: NetBox) -> None:
    guest = await make("/tenants", name="guest")
    red = await make("/tenants", name="red")
    vrfs = [netbox.add_vrf("guest"), netbox.add_vrf("RED", rd="65000:1"), netbox.add_vrf("blue")]
    for vrf in (None, *vrfs):
        netbox.add("10.0.0.0/16", vrf=vrf)
    mapping = {"65000:1": red["id"]}
    result = await imported(admin, netbox, map_by="vrf", mapping=mapping, tenant_id=guest["id"])
    assert await ours(admin) == {(guest["id"], "10.0.0.0/16"), (red["id"], "10.0.0.0/16")}
    assert sorted(each["reason"] for each in result["skipped"]) == ["duplicate", "no_counterpart"]
    merged = await imported(admin, netbox)
    assert (created(merged), len(merged["skipped"])) == (["10.0.0.0/16"], 3)


async def test_filters_are_netboxes(admin: httpx.AsyncClient, netbox: NetBox, refused: Any) -> None:
    tenant, vrf = netbox.add_tenant("Guest Net", "guest-net"), netbox.add_vrf("red", rd="65000:1")
    netbox.add("10.1.0.0/16", tenant=tenant, vrf=vrf, site="berlin", role="users", tags=["dhcp"])
    netbox.add("10.2.0.0/16")
    netbox.add("2001:db8::/48")
    for fields, expected in (
        ({"tenant": "guest-net"}, ["10.1.0.0/16"]),
        ({"tenant": "Guest Net", "vrf": "65000:1"}, ["10.1.0.0/16"]),
        ({"site": "berlin", "role": "users", "tag": "dhcp", "vrf": "red"}, ["10.1.0.0/16"]),
        ({"vrf": "null", "family": 6}, ["2001:db8::/48"]),
        ({"within": "10.2.0.0/15", "tenant": "null"}, ["10.2.0.0/16"]),
        ({"statuses": ["reserved"]}, []),
    ):
        assert created(await imported(admin, netbox, dry_run=True, **fields)) == expected, fields
    for fields in ({"site": "paris"}, {"tag": "x"}, {"statuses": ["gone"]}, {"tenant": "x"}, {"vrf": "x"}):
        body = {"url": netbox.url, "token": V1} | fields
        details = refused(await admin.post("/netbox/import", json=body), 422, "validation_error")
        assert details["field"] == min(fields), details
        assert "NetBox" in details["reason"]


async def test_what_is_no_plain_network(admin: httpx.AsyncClient, netbox: NetBox) -> None:
    netbox.add("10.0.0.1/16")
    netbox.add("10.0.0.0/16", description="a" * 5000 + "\x00")
    result = await imported(admin, netbox)
    assert reasons(result) == {"10.0.0.1/16": "host_bits"}
    assert len(result["created"][0]["description"]) == 4096


async def test_a_list_that_changes_meanwhile(admin: httpx.AsyncClient, netbox: NetBox) -> None:
    """A prefix that was added further up shifts the pages: what comes again is skipped, and the next run finds all."""
    netbox.page_size = 1
    netbox.add("10.2.0.0/16")
    netbox.add("10.3.0.0/16")
    first = await imported(admin, netbox, limit=1)
    netbox.add("10.0.0.0/16")
    netbox.add("10.1.0.0/16")
    rest = await imported(admin, netbox, cursor=first["next_cursor"])
    assert reasons(rest) == {"10.1.0.0/16": "out_of_order", "10.2.0.0/16": "duplicate"}
    assert created(await imported(admin, netbox)) == ["10.0.0.0/16", "10.1.0.0/16"]


async def test_an_admin_of_one_tenant_imports_into_it_alone(
    admin: httpx.AsyncClient, make: Any, connect: Any, netbox: NetBox, refused: Any
) -> None:
    guest, other = await make("/tenants", name="guest"), await make("/tenants", name="other")
    token = await make("/tokens", name="guest", role="admin", tenant_id=guest["id"])
    client = connect(token["token"])
    netbox.add("10.0.0.0/16")
    netbox.add("10.1.0.0/16", vrf=netbox.add_vrf("other"))
    result = await imported(client, netbox, map_by="vrf")
    assert await ours(admin) == {(guest["id"], "10.0.0.0/16")}
    assert reasons(result) == {"10.1.0.0/16": "no_counterpart"}
    for fields in ({"tenant_id": other["id"]}, {"map_by": "vrf", "mapping": {"other": other["id"]}}):
        body = {"url": netbox.url, "token": V1} | fields
        refused(await client.post("/netbox/import", json=body), 404, "not_found")
    viewer = connect((await make("/tokens", name="v", role="operator"))["token"])
    before = len(netbox.seen)
    refused(await viewer.post("/netbox/import", json={"url": netbox.url, "token": V1}), 403, "forbidden")
    assert len(netbox.seen) == before


async def test_both_versions_of_tokens(admin: httpx.AsyncClient, netbox: NetBox) -> None:
    netbox.add("10.0.0.0/16")
    await imported(admin, netbox, token=V1)
    await imported(admin, netbox, token=V2)
    sent = {each.headers["authorization"] for each in netbox.seen}
    assert sent == {f"Token {V1}", f"Bearer {V2}"}


async def test_cursors_of_others_are_refused(admin: httpx.AsyncClient, netbox: NetBox, refused: Any) -> None:
    nowhere = "0197a3c4-52b1-7c31-9d4e-0f5a6b7c8d9e"
    for cursor in (
        "x",
        write_cursor("export", 5, 5),
        write_cursor("import", "limit", 5, "", []),
        write_cursor("import", "offset", 5, "10.0.0.1/8", []),
        write_cursor("import", "offset", 5, "", [[1, "10.0.0.0/8", nowhere, ""]]),
        write_cursor("import", "offset", 5, "", [[1, "10.0.0.1/8", nowhere, ""]]),
    ):
        body = {"url": netbox.url, "token": V1, "cursor": cursor}
        details = refused(await admin.post("/netbox/import", json=body), 422, "validation_error")
        assert details["field"] == "cursor"
    assert netbox.seen == []


async def test_many(admin: httpx.AsyncClient, netbox: NetBox) -> None:
    """Pages of hundreds, an answer that is bounded, and a second run that makes nothing."""
    for number in range(1200):
        netbox.add(f"10.{number // 256}.{number % 256}.0/24")
    results = await to_the_end(admin, netbox, limit=700)
    assert [len(result["created"]) for result in results] == [700, 500]
    assert len(await ours(admin)) == 1000  # of a page of the list
    again = await to_the_end(admin, netbox)
    assert [reasons(result) for result in again] == [dict.fromkeys(reasons(again[0]), "exists")]
    assert len(again[0]["skipped"]) == 1200


@pytest.mark.parametrize(
    ("map_by", "key"), [("vrf", "65000:2"), ("vrf", "Blue"), ("tenant", "blue-net"), ("tenant", "Blue")]
)
async def test_a_mapping_comes_before_a_tenant_of_the_same_name(
    admin: httpx.AsyncClient, make: Any, netbox: NetBox, map_by: str, key: str
) -> None:
    await make("/tenants", name="Blue")
    meant = await make("/tenants", name="meant")
    there = {"vrf": netbox.add_vrf("Blue", rd="65000:2"), "tenant": netbox.add_tenant("Blue", "blue-net")}
    netbox.add("10.1.0.0/16", **{map_by: there[map_by]})
    await imported(admin, netbox, map_by=map_by, mapping={key: meant["id"]})
    assert await ours(admin) == {(meant["id"], "10.1.0.0/16")}


async def test_vrfs_that_share_a_name(admin: httpx.AsyncClient, make: Any, netbox: NetBox) -> None:
    """What depends on the name alone is skipped, and each is mapped by its route distinguisher."""
    duplicate, other = await make("/tenants", name="Dup"), await make("/tenants", name="other")
    third, fourth = netbox.add_vrf("Dup", rd="65000:3"), netbox.add_vrf("Dup", rd="65000:4")
    netbox.add("10.3.0.0/16", vrf=third)
    netbox.add("10.4.0.0/16", vrf=fourth)
    netbox.add("10.5.0.0/16", vrf=netbox.add_vrf("other"))
    netbox.page_size = 1
    without = await imported(admin, netbox, map_by="vrf", dry_run=True)
    assert (created(without), set(reasons(without).values())) == (["10.5.0.0/16"], {"ambiguous"})
    assert "65000:3, 65000:4" in without["skipped"][0]["detail"]
    asked = [each.one("name") for each in netbox.asked("GET", "/api/ipam/vrfs/") if each.one("offset") == "0"]
    assert asked == ["Dup", "other"], "each name once, however many pages"
    one = await imported(admin, netbox, map_by="vrf", mapping={"65000:4": other["id"]}, dry_run=True)
    assert {each["cidr"]: each["tenant_id"] for each in one["created"]} == {
        "10.3.0.0/16": duplicate["id"],
        "10.4.0.0/16": other["id"],
    }
    by_name = {"Dup": duplicate["id"], "65000:4": other["id"]}
    both = await imported(admin, netbox, map_by="vrf", mapping=by_name, dry_run=True)
    assert {each["cidr"]: each["tenant_id"] for each in both["created"]}["10.4.0.0/16"] == other["id"]


@pytest.mark.parametrize("way", ["import", "export"])
@pytest.mark.parametrize("map_by", ["tenant", "vrf"])
async def test_a_mapping_of_what_netbox_does_not_have(
    admin: httpx.AsyncClient, make: Any, netbox: NetBox, refused: Any, way: str, map_by: str
) -> None:
    tenant = await make("/tenants", name="red")
    await make("/prefixes", cidr="10.0.0.0/16")
    netbox.add_vrf("known")
    netbox.add_tenant("known")
    netbox.add("10.1.0.0/16")
    body = {"url": netbox.url, "token": V2, "map_by": map_by}
    mapping = {"known": tenant["id"], "no such": tenant["id"]}
    answer = await admin.post(f"/netbox/{way}", json=body | {"mapping": mapping})
    details = refused(answer, 422, "validation_error")
    assert details["field"] == "mapping"
    assert "'no such'" in details["reason"]
    assert (len(netbox.prefixes), await ours(admin)) == (1, {(await default_of(admin), "10.0.0.0/16")})


@pytest.mark.parametrize(
    ("map_by", "first", "second"), [("tenant", "acme", "Acme GmbH"), ("vrf", "Blue", "65000:2")]
)
async def test_a_mapping_that_contradicts_itself(
    admin: httpx.AsyncClient, make: Any, netbox: NetBox, refused: Any, map_by: str, first: str, second: str
) -> None:
    """Two names of one object lead to two tenants: neither order of them is the right one."""
    ids = [(await make("/tenants", name=name))["id"] for name in ("one", "two")]
    netbox.add_tenant("Acme GmbH", "acme")
    netbox.add_vrf("Blue", rd="65000:2")
    body = {"url": netbox.url, "token": V2, "map_by": map_by, "dry_run": True}
    answer = await admin.post("/netbox/import", json=body | {"mapping": {first: ids[0], second: ids[1]}})
    details = refused(answer, 422, "validation_error")
    assert details["field"] == "mapping"
    assert repr(first) in details["reason"]
    assert repr(second) in details["reason"]
    same = body | {"mapping": {first: ids[0], second: ids[0]}}
    assert (await admin.post("/netbox/import", json=same)).status_code == 200


async def test_a_mapping_of_hundreds(admin: httpx.AsyncClient, make: Any, netbox: NetBox) -> None:
    """Names are looked up many at once, in addresses that proxies take."""
    tenant = await make("/tenants", name="all")
    for number in range(300):
        netbox.add(
            f"10.{number // 250}.{number % 250}.0/24", vrf=netbox.add_vrf(f"Wörk {number}", rd=f"1:{number}")
        )
    mapping = {(f"1:{n}" if n % 2 else f"Wörk {n}"): tenant["id"] for n in range(300)}
    result = await imported(admin, netbox, map_by="vrf", mapping=mapping, dry_run=True)
    assert {each["tenant_id"] for each in result["created"]} == {tenant["id"]}
    asked = netbox.asked("GET", "/api/ipam/vrfs/")
    assert len(asked) < 30
    assert max(len(urlencode(each.query)) for each in asked) < 3000


async def default_of(admin: httpx.AsyncClient) -> str:
    tenants = (await admin.get("/tenants")).json()["items"]
    return next(str(each["id"]) for each in tenants if each["is_default"])
