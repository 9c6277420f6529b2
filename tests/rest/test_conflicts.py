"""409: what overlaps, what is taken, what still has children. The details name the field and what is in
the way.
"""

import asyncio
from typing import Any

import httpx
import pytest

MACS = [f"02:00:00:00:00:{n:02x}" for n in range(64)]


@pytest.mark.parametrize("cidr", ["10.0.0.0/16", "10.0.0.0/8", "10.0.128.0/17", "0.0.0.0/0"])
async def test_prefixes_of_a_tenant_do_not_overlap(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, cidr: str, refused: Any
) -> None:
    details = refused(await admin.post("/prefixes", json={"cidr": cidr}), 409, "conflict")
    assert details["field"] == "cidr"
    assert details["conflicts_with"]["id"] == subnet["prefix_id"]
    assert details["conflicts_with"]["cidr"] == "10.0.0.0/16"
    tenant = await make("/tenants", name="other")
    assert (await make("/prefixes", cidr=cidr, tenant_id=tenant["id"]))["tenant_id"] == tenant["id"]


@pytest.mark.parametrize("cidr", ["10.0.0.0/24", "10.0.0.0/23", "10.0.0.128/25"])
async def test_subnets_of_a_tenant_do_not_overlap(
    admin: httpx.AsyncClient, subnet: dict[str, Any], cidr: str, refused: Any
) -> None:
    body = {"prefix_id": subnet["prefix_id"], "cidr": cidr}
    details = refused(await admin.post("/subnets", json=body), 409, "conflict")
    assert details["conflicts_with"]["id"] == subnet["id"]


@pytest.mark.parametrize("family", ["pools", "excludes"])
async def test_ranges_of_one_kind_do_not_overlap(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, family: str, refused: Any
) -> None:
    path = f"/subnets/{subnet['id']}/{family}"
    first = await make(path, start_ip="10.0.0.100", end_ip="10.0.0.120")
    for start, end in [(100, 120), (90, 100), (120, 130), (105, 106), (90, 200)]:
        body = {"start_ip": f"10.0.0.{start}", "end_ip": f"10.0.0.{end}"}
        details = refused(await admin.post(path, json=body), 409, "conflict")
        assert details["conflicts_with"]["id"] == first["id"]
    second = await make(path, start_ip="10.0.0.121", end_ip="10.0.0.130")
    answer = await admin.patch(f"/{family}/{second['id']}", json={"start_ip": "10.0.0.119"})
    assert refused(answer, 409, "conflict")["conflicts_with"]["id"] == first["id"]
    assert (await admin.patch(f"/{family}/{first['id']}", json={"end_ip": "10.0.0.110"})).status_code == 200


async def test_an_exclude_may_lie_inside_a_pool(subnet: dict[str, Any], make: Any) -> None:
    await make(f"/subnets/{subnet['id']}/pools", start_ip="10.0.0.100", end_ip="10.0.0.120")
    await make(f"/subnets/{subnet['id']}/excludes", start_ip="10.0.0.110", end_ip="10.0.0.130")


async def test_excludes_and_reservations_keep_apart_both_ways(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, refused: Any
) -> None:
    below = f"/subnets/{subnet['id']}"
    exclude = await make(f"{below}/excludes", start_ip="10.0.0.10", end_ip="10.0.0.20")
    inside = await admin.post(f"{below}/reservations", json={"ip": "10.0.0.15", "mac": MACS[0]})
    details = refused(inside, 409, "conflict")
    assert details["field"] == "ip"
    assert details["conflicts_with"] == {
        "type": "exclude", "id": exclude["id"], "start_ip": "10.0.0.10", "end_ip": "10.0.0.20"
    }  # fmt: skip
    outside = await make(f"{below}/reservations", ip="10.0.0.30", mac=MACS[0])
    moved = await admin.patch(f"/reservations/{outside['id']}", json={"ip": "10.0.0.20"})
    refused(moved, 409, "conflict")
    over = await admin.post(f"{below}/excludes", json={"start_ip": "10.0.0.25", "end_ip": "10.0.0.35"})
    details = refused(over, 409, "conflict")
    assert (details["reservations"], details["conflicts_with"]["id"]) == (1, outside["id"])
    grown = await admin.patch(f"/excludes/{exclude['id']}", json={"end_ip": "10.0.0.30"})
    refused(grown, 409, "conflict")


async def test_a_reservations_identities_and_address_are_its_own_in_the_subnet(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, refused: Any
) -> None:
    path = f"/subnets/{subnet['id']}/reservations"
    first = await make(
        path, ip="10.0.0.30", mac=MACS[0], client_id="01:02", duid="00:03:00:01:02", circuit_id="eth0",
        remote_id="0x00ff", subscriber_id="smith"
    )  # fmt: skip
    same = {
        "ip": {"ip": "10.0.0.30", "mac": MACS[1]},
        "mac": {"mac": MACS[0].upper()},
        "client_id": {"client_id": "0102"},
        "duid": {"duid": "0003000102"},
        "circuit_id": {"circuit_id": "eth0"},
        "remote_id": {"remote_id": "0x00FF"},
        "subscriber_id": {"subscriber_id": "smith"},
    }
    for field, body in same.items():
        details = refused(await admin.post(path, json=body), 409, "conflict")
        assert (details["field"], details["conflicts_with"]["id"]) == (field, first["id"])
    other = await make("/subnets", prefix_id=subnet["prefix_id"], cidr="10.0.7.0/24")
    await make(f"/subnets/{other['id']}/reservations", mac=MACS[0])


async def test_an_assignment_meets_reservations_and_assignments_but_no_excludes(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, refused: Any
) -> None:
    below = f"/subnets/{subnet['id']}"
    await make(f"{below}/excludes", start_ip="10.0.0.10", end_ip="10.0.0.20")
    await make(f"{below}/reservations", ip="10.0.0.30", mac=MACS[0])
    first = await make("/assignments", ip="10.0.0.15", hostname="in-an-exclude")
    for ip in ("10.0.0.30", "10.0.0.15"):
        details = refused(await admin.post("/assignments", json={"ip": ip, "hostname": "x"}), 409, "conflict")
        assert details["field"] == "ip"
    answer = await admin.post(f"{below}/reservations", json={"ip": "10.0.0.15", "mac": MACS[1]})
    refused(answer, 409, "conflict")
    await admin.delete(f"/assignments/{first['id']}")
    refused(await admin.post("/assignments", json={"ip": "10.9.9.9", "hostname": "x"}), 404, "not_found")


async def test_the_gateway_is_nobodys_reservation(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, refused: Any
) -> None:
    path = f"/subnets/{subnet['id']}/reservations"
    refused(await admin.post(path, json={"ip": "10.0.0.1", "mac": MACS[0]}), 409, "conflict")
    held = await make(path, ip="10.0.0.2", mac=MACS[0])
    answer = await admin.patch(f"/subnets/{subnet['id']}", json={"gateway": "10.0.0.2"})
    assert refused(answer, 409, "conflict")["conflicts_with"]["id"] == held["id"]


async def test_one_option_a_scope_family_code_and_vendor_class(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, refused: Any
) -> None:
    body = {"code": 43, "payload": {"hex": "0104c0a80001"}}
    pool = await make(f"/subnets/{subnet['id']}/pools", start_ip="10.0.0.100", end_ip="10.0.0.120")
    kind = await make("/client-classes", name="phones", vendor_class="phone")
    one = await make(f"/subnets/{subnet['id']}/reservations", mac=MACS[0])
    scopes = ["/global-options"] + [
        f"{path}/options"
        for path in (
            f"/subnets/{subnet['id']}",
            f"/pools/{pool['id']}",
            f"/client-classes/{kind['id']}",
            f"/reservations/{one['id']}",
        )
    ]
    for path in scopes:
        first = await make(path, **body)
        details = refused(await admin.post(path, json=body), 409, "conflict")
        assert (details["field"], details["conflicts_with"]["id"]) == ("code", first["id"])
        await make(path, **body, vendor_class="acme")
        assert first in (await admin.get(path)).json()["items"]
        assert len((await admin.get(path)).json()["items"]) == 2


async def test_a_subnet_is_resized_only_while_every_child_fits(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, refused: Any
) -> None:
    below, item = f"/subnets/{subnet['id']}", f"/subnets/{subnet['id']}"
    await make(f"{below}/reservations", ip="10.0.0.127", mac=MACS[0])
    pool = await make(f"{below}/pools", start_ip="10.0.0.100", end_ip="10.0.0.200")
    details = refused(await admin.patch(item, json={"cidr": "10.0.0.0/25"}), 409, "conflict")
    # 10.0.0.127 would be the broadcast address.
    assert details == {"field": "cidr", "children": {"pools": 1, "reservations": 1}}
    await admin.delete(f"/pools/{pool['id']}")
    assert (await admin.patch(item, json={"cidr": "10.0.0.0/23"})).json()["cidr"] == "10.0.0.0/23"
    refused(await admin.patch(item, json={"cidr": "10.0.0.0/15"}), 422, "validation_error")
    refused(await admin.patch(item, json={"cidr": "10.0.2.0/24"}), 422, "validation_error")
    answer = await admin.patch(f"/prefixes/{subnet['prefix_id']}", json={"cidr": "10.0.1.0/24"})
    assert refused(answer, 409, "conflict")["subnets"] == 1


async def test_what_has_children_goes_only_by_a_cascade(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, refused: Any
) -> None:
    below = f"/subnets/{subnet['id']}"
    pool = await make(f"{below}/pools", start_ip="10.0.0.100", end_ip="10.0.0.120")
    await make(f"/pools/{pool['id']}/options", code=6, payload={"addresses": ["10.0.0.53"]})
    await make(f"{below}/options", code=6, payload={"addresses": ["10.0.0.53"]})
    await make(f"{below}/reservations", mac=MACS[0])
    assert refused(await admin.delete(f"/pools/{pool['id']}"), 409, "conflict")["children"] == {"options": 1}
    children = refused(await admin.delete(below), 409, "conflict")["children"]
    assert children == {"options": 1, "pools": 1, "reservations": 1}
    prefix = f"/prefixes/{subnet['prefix_id']}"
    assert refused(await admin.delete(f"{prefix}?cascade=false"), 409, "conflict")["children"] == {
        "subnets": 1
    }
    refused(await admin.delete(f"{prefix}?cascade=1"), 422, "validation_error")
    assert (await admin.delete(f"{prefix}?cascade=true")).status_code == 204
    for path in ("/prefixes", "/subnets", "/pools", "/options", "/reservations"):
        assert (await admin.get(path)).json()["items"] == []


async def test_a_class_that_pools_serve_stays(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, refused: Any
) -> None:
    kind = await make("/client-classes", name="phones", vendor_class="phone")
    pool = await make(
        f"/subnets/{subnet['id']}/pools", start_ip="10.0.0.100", end_ip="10.0.0.120", class_id=kind["id"]
    )
    assert pool["class_id"] == kind["id"]
    item = f"/client-classes/{kind['id']}"
    assert refused(await admin.delete(f"{item}?cascade=true"), 409, "conflict")["children"] == {"pools": 1}
    assert (await admin.patch(f"/pools/{pool['id']}", json={"class_id": None})).json()["class_id"] is None
    assert (await admin.delete(item)).status_code == 204


async def test_a_tenant_goes_with_what_it_has_by_a_cascade_only(
    admin: httpx.AsyncClient, make: Any, refused: Any
) -> None:
    tenant = await make("/tenants", name="guest")
    item = f"/tenants/{tenant['id']}"
    revoked = await make("/tokens", name="x", role="viewer", tenant_id=tenant["id"])
    await admin.delete(f"/tokens/{revoked['id']}")
    await make("/tokens", name="y", role="viewer", tenant_id=tenant["id"])
    prefix = await make("/prefixes", cidr="10.0.0.0/16", tenant_id=tenant["id"])
    await make("/subnets", prefix_id=prefix["id"], cidr="10.0.0.0/24", tenant_id=tenant["id"])
    children = refused(await admin.delete(item), 409, "conflict")["children"]
    assert children == {"prefixes": 1, "tokens": 1}
    assert (await admin.delete(f"{item}?cascade=true")).status_code == 204
    empty = await make("/tenants", name="guest")
    revoked = await make("/tokens", name="x", role="viewer", tenant_id=empty["id"])
    await admin.delete(f"/tokens/{revoked['id']}")
    assert (await admin.delete(f"/tenants/{empty['id']}")).status_code == 204


async def test_the_default_tenant_stays(admin: httpx.AsyncClient, refused: Any) -> None:
    default = (await admin.get("/tenants", params={"is_default": "true"})).json()["items"][0]
    refused(await admin.delete(f"/tenants/{default['id']}?cascade=true"), 409, "conflict")


async def test_of_many_that_ask_for_the_same_one_gets_it(
    admin: httpx.AsyncClient, subnet: dict[str, Any]
) -> None:
    path = f"/subnets/{subnet['id']}"
    asked = [
        admin.post(f"{path}/pools", json={"start_ip": f"10.0.0.{n}", "end_ip": "10.0.0.90"})
        for n in range(60, 80)
    ] + [admin.post(f"{path}/reservations", json={"ip": "10.0.0.9", "mac": mac}) for mac in MACS[:20]]
    answers = await asyncio.gather(*asked)
    for kind in (answers[:20], answers[20:]):
        assert sorted(answer.status_code for answer in kind) == [201] + [409] * 19


async def test_an_exclude_and_a_reservation_at_once_never_both_stand(
    admin: httpx.AsyncClient, subnet: dict[str, Any]
) -> None:
    path = f"/subnets/{subnet['id']}"
    for n in range(10, 30):
        ip = f"10.0.0.{n}"
        pair = await asyncio.gather(
            admin.post(f"{path}/excludes", json={"start_ip": ip, "end_ip": ip}),
            admin.post(f"{path}/reservations", json={"ip": ip, "mac": MACS[n]}),
        )
        assert sorted(answer.status_code for answer in pair) == [201, 409]
