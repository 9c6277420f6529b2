"""Prefixes of ours are given to a NetBox: those that it does not have in that VRF, and it is told no more."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from rest.netbox_server import CUT, V2, Answer, NetBox

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


async def exported(admin: httpx.AsyncClient, netbox: NetBox, **fields: Any) -> dict[str, Any]:
    body = {"url": netbox.url, "token": V2} | fields
    answer = await admin.post("/netbox/export", json=body)
    assert answer.status_code == 200, answer.text
    assert V2 not in answer.text
    found: dict[str, Any] = answer.json()
    return found


def created(result: dict[str, Any]) -> list[str]:
    return [each["cidr"] for each in result["created"]]


def there(netbox: NetBox) -> set[tuple[str, str | None, str | None]]:
    """Prefixes with the names of their VRF and tenant."""
    return {
        (row["prefix"], row["vrf"] and row["vrf"]["name"], row["tenant"] and row["tenant"]["name"])
        for row in netbox.prefixes
    }


async def test_what_is_missing_there(admin: httpx.AsyncClient, make: Any, netbox: NetBox) -> None:
    prefix = await make("/prefixes", cidr="10.1.0.0/16", description="Berlin")
    await make("/prefixes", cidr="10.2.0.0/16", description="x" * 300)
    await make("/prefixes", cidr="2001:db8:0:0::/48")
    subnet = await make("/subnets", prefix_id=prefix["id"], cidr="10.1.1.0/24")
    await make(f"/subnets/{subnet['id']}/pools", start_ip="10.1.1.10", end_ip="10.1.1.20")
    netbox.add("2001:db8::/48")
    netbox.add("10.1.0.0/16", vrf=netbox.add_vrf("elsewhere"))
    dry = await exported(admin, netbox, dry_run=True)
    assert created(dry) == ["10.1.0.0/16", "10.2.0.0/16"]
    assert netbox.asked("POST") == []
    result = await exported(admin, netbox)
    berlin = result["created"][0]
    assert (berlin["id"], berlin["netbox_id"]) == (prefix["id"], 3)
    assert [(each["cidr"], each["reason"], each["netbox_id"]) for each in result["skipped"]] == [
        ("2001:db8::/48", "exists", 1)
    ]
    assert netbox.prefixes[2]["description"] == "Berlin"
    assert (len(netbox.prefixes[3]["description"]), len(netbox.prefixes[3]["comments"])) == (200, 300)
    assert [set(each) for each in netbox.asked("POST")[0].body] == [
        {"prefix", "status", "description"},
        {"prefix", "status", "description", "comments"},
    ]
    again = await exported(admin, netbox)
    assert (created(again), len(again["skipped"]), len(netbox.asked("POST"))) == ([], 3, 1)


async def test_a_vrf_and_a_tenant_for_all(
    admin: httpx.AsyncClient, make: Any, netbox: NetBox, refused: Any
) -> None:
    await make("/prefixes", cidr="10.1.0.0/16")
    await make("/prefixes", cidr="2001:db8::/32")
    netbox.add_vrf("red", rd="65000:1")
    netbox.add_tenant("Guest Net", "guest-net")
    fields = {
        "vrf": "65000:1",
        "tenant": "guest-net",
        "family": 4,
        "within": "10.0.0.0/8",
        "status": "container",
    }
    await exported(admin, netbox, **fields)
    assert there(netbox) == {("10.1.0.0/16", "red", "Guest Net")}
    assert netbox.prefixes[0]["status"] == "container"
    for field in ("vrf", "tenant"):
        body = {"url": netbox.url, "token": V2, field: "nobody"}
        details = refused(await admin.post("/netbox/export", json=body), 422, "validation_error")
        assert details["field"] == field
    wrong = await exported(admin, netbox, status="gone", vrf="null")
    assert wrong["errors"] == [
        {"cidr": cidr, "field": "cidr", "detail": "status: gone is not a valid choice."}
        for cidr in ("10.1.0.0/16", "2001:db8::/32")
    ]


async def test_by_vrf_and_by_tenant(admin: httpx.AsyncClient, make: Any, netbox: NetBox) -> None:
    tenants = {name: await make("/tenants", name=name) for name in ("guest", "lab", "nobody")}
    for tenant_id in (None, *(each["id"] for each in tenants.values())):
        await make("/prefixes", cidr="10.0.0.0/16", tenant_id=tenant_id)
    netbox.add_vrf("guest")
    netbox.add_vrf("LAB")
    mapping = {"LAB": tenants["lab"]["id"]}
    result = await exported(admin, netbox, map_by="vrf", mapping=mapping)
    expected = {("10.0.0.0/16", None, None), ("10.0.0.0/16", "guest", None), ("10.0.0.0/16", "LAB", None)}
    assert there(netbox) == expected
    assert [(each["reason"], "'nobody'" in each["detail"]) for each in result["skipped"]] == [
        ("no_counterpart", True)
    ]
    netbox.add_tenant("Nobody", "nobody")
    one = await exported(admin, netbox, map_by="tenant", tenant_id=tenants["nobody"]["id"], vrf="guest")
    assert (created(one), one["skipped"][0]["reason"]) == ([], "exists")
    netbox.prefixes.clear()
    await exported(admin, netbox, map_by="tenant", tenant_id=tenants["nobody"]["id"])
    assert there(netbox) == {("10.0.0.0/16", None, "Nobody")}


@pytest.mark.parametrize("version", ["4.5.2", "4.7.0"])
async def test_what_netbox_refuses_keeps_the_others_from_nothing(
    admin: httpx.AsyncClient, make: Any, version: str
) -> None:
    for cidr in ("10.0.0.0/16", "::/0", "10.2.0.0/16"):
        await make("/prefixes", cidr=cidr)
    async with NetBox(version).serving() as netbox:
        result = await exported(admin, netbox)
    assert created(result) == ["10.0.0.0/16", "10.2.0.0/16"]
    assert result["errors"] == [
        {"cidr": "::/0", "field": "cidr", "detail": "prefix: Cannot create prefix with /0 mask."}
    ]


async def test_a_refusal_that_names_none_is_halved(
    admin: httpx.AsyncClient, make: Any, netbox: NetBox
) -> None:
    """As of a script that validates: NetBox says only that something is wrong."""
    for number in range(3):
        await make("/prefixes", cidr=f"10.{number}.0.0/16")
    netbox.faults = {
        2: Answer(400, {"detail": "Not in my network!"}),
        3: Answer(400, {"detail": "Not this!"}),
    }
    result = await exported(admin, netbox)
    assert created(result) == ["10.1.0.0/16", "10.2.0.0/16"]
    assert result["errors"] == [{"cidr": "10.0.0.0/16", "field": "cidr", "detail": "Not this!"}]


async def test_an_export_that_was_cut_goes_on(admin: httpx.AsyncClient, make: Any, netbox: NetBox) -> None:
    operations = [
        {"op": "create", "path": "/prefixes", "body": {"cidr": f"10.0.{number}.0/24"}}
        for number in range(120)
    ]
    assert (await admin.post("/bulk", json={"operations": operations})).status_code == 200
    netbox.faults[4] = CUT  # the answer to the second piece's creation
    first = await exported(admin, netbox)
    assert len(first["created"]) == 50
    assert [(each["cidr"], each["field"]) for each in first["errors"]] == [(None, "url")]
    rest = await exported(admin, netbox, cursor=first["next_cursor"])
    assert (len(rest["created"]), rest["errors"], rest["next_cursor"]) == (70, [], None)
    assert len(netbox.prefixes) == 120
    netbox.page_size = 20  # less than there is to compare
    whole = await exported(admin, netbox, limit=60)
    assert (whole["looked_at"], len(whole["skipped"])) == (60, 60)
    last = await exported(admin, netbox, cursor=whole["next_cursor"], limit=60)
    assert (last["looked_at"], last["created"]) == (60, [])


async def test_who_may_not_write_there(
    admin: httpx.AsyncClient, make: Any, netbox: NetBox, refused: Any
) -> None:
    await make("/prefixes", cidr="10.0.0.0/16")
    netbox.tokens[f"Bearer {V2}"] = {"view"}
    answer = await admin.post("/netbox/export", json={"url": netbox.url, "token": V2})
    details = refused(answer, 422, "validation_error")
    assert details["field"] == "token"
    assert "ipam.add_prefix" in details["reason"]
    body = {"url": netbox.url, "token": V2, "cursor": "WzFd"}
    assert (
        refused(await admin.post("/netbox/export", json=body), 422, "validation_error")["field"] == "cursor"
    )


async def test_an_ambiguous_vrf_stops_one_tenant_alone(
    admin: httpx.AsyncClient, make: Any, netbox: NetBox
) -> None:
    """All others are given, and the detail says by what `mapping` tells the VRFs apart."""
    tenants = {name: await make("/tenants", name=name) for name in ("Dup", "later")}
    for tenant_id in (None, *(each["id"] for each in tenants.values())):
        await make("/prefixes", cidr="10.0.0.0/16", tenant_id=tenant_id)
    netbox.add_vrf("Dup", rd="65000:3")
    netbox.add_vrf("Dup", rd="65000:4")
    netbox.add_vrf("later")
    result = await exported(admin, netbox, map_by="vrf")
    assert there(netbox) == {("10.0.0.0/16", None, None), ("10.0.0.0/16", "later", None)}
    [skipped] = result["skipped"]
    assert (skipped["reason"], result["errors"], result["next_cursor"]) == ("ambiguous", [], None)
    assert "65000:3, 65000:4" in skipped["detail"]
    mapped = await exported(admin, netbox, map_by="vrf", mapping={"65000:4": tenants["Dup"]["id"]})
    assert created(mapped) == ["10.0.0.0/16"]
    assert netbox.prefixes[-1]["vrf"]["rd"] == "65000:4"


async def test_a_mapping_takes_a_name_away(admin: httpx.AsyncClient, make: Any, netbox: NetBox) -> None:
    """What `mapping` gives to one tenant is no longer the counterpart of another of that name."""
    blue, meant = await make("/tenants", name="Blue"), await make("/tenants", name="meant")
    for tenant in (blue, meant):
        await make("/prefixes", cidr="10.0.0.0/16", tenant_id=tenant["id"])
    netbox.add_vrf("Blue", rd="65000:2")
    result = await exported(admin, netbox, map_by="vrf", mapping={"65000:2": meant["id"]})
    assert [each["tenant_id"] for each in result["created"]] == [meant["id"]]
    assert [each["reason"] for each in result["skipped"]] == ["no_counterpart"]
