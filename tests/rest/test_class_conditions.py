"""Conditions of client classes in the API: what is stored, what is refused and where, classes that name others."""

from typing import Any

import httpx
import pytest

ARCH = {"any": [{"option": 93, "in": [7, 9]}, {"option": 61, "family": 6, "equals": 16}]}


async def test_a_tree_is_stored_as_it_was_sent(admin: httpx.AsyncClient, make: Any) -> None:
    made = await make("/client-classes", name="uefi", match=ARCH)
    assert (made["match"], made["known"], made["vendor_class"]) == (ARCH, None, None)
    changed = await admin.patch(f"/client-classes/{made['id']}", json={"match": None, "known": True})
    assert (changed.json()["match"], changed.json()["known"]) == (None, True)
    listed = (await admin.get("/client-classes", params={"known": "true"})).json()["items"]
    assert [found["id"] for found in listed] == [made["id"]]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, "vendor_class"),
        ({"match": {}}, "match"),
        (
            {"match": {"all": [{"option": 93, "in": [7]}, {"option": 0, "exists": True}]}},
            "match.all[1].option",
        ),
        ({"match": {"class": "nobody"}}, "match.class"),
        ({"match": []}, "match"),
    ],
)
async def test_a_mistake_is_told_with_its_place(
    admin: httpx.AsyncClient, fields: dict[str, Any], field: str, refused: Any
) -> None:
    answer = await admin.post("/client-classes", json={"name": "odd", **fields})
    assert refused(answer, 422, "validation_error")["field"] == field


async def test_only_a_class_that_is_tried_before_can_be_named(
    admin: httpx.AsyncClient, make: Any, refused: Any
) -> None:
    await make("/client-classes", name="phones", priority=10, vendor_class="phone")
    answer = await admin.post(
        "/client-classes", json={"name": "odd", "priority": 10, "match": {"class": "phones"}}
    )
    details = refused(answer, 422, "validation_error")
    assert details["field"] == "match.class"
    assert "priority 10" in details["reason"]


async def test_a_class_that_others_name_stays(admin: httpx.AsyncClient, make: Any, refused: Any) -> None:
    phones = await make("/client-classes", name="phones", priority=1, vendor_class="phone")
    odd = await make("/client-classes", name="odd", priority=5, match={"not": {"all": [{"class": "phones"}]}})
    path = f"/client-classes/{phones['id']}"
    refused(await admin.delete(path), 409, "conflict")
    refused(await admin.patch(path, json={"name": "telephones"}), 409, "conflict")
    late = await admin.patch(path, json={"priority": 5})
    assert refused(late, 422, "validation_error")["field"] == "priority"
    assert (await admin.patch(path, json={"priority": 4})).status_code == 200
    assert (await admin.delete(f"/client-classes/{odd['id']}")).status_code == 204
    assert (await admin.delete(path)).status_code == 204


async def test_an_option_is_sent_always_or_never(admin: httpx.AsyncClient, make: Any, refused: Any) -> None:
    told = {"code": 6, "payload": {"addresses": ["192.0.2.53"]}, "never_send": True}
    assert (await make("/global-options", **told))["never_send"] is True
    answer = await admin.post("/global-options", json=told | {"code": 42, "always_send": True})
    assert refused(answer, 422, "validation_error")["field"] == "never_send"


async def test_a_reservation_gives_a_class_that_then_stays(
    admin: httpx.AsyncClient, make: Any, subnet: dict[str, Any], refused: Any
) -> None:
    kiosks = await make("/client-classes", name="kiosks", vendor_class="kiosk")
    below = f"/subnets/{subnet['id']}/reservations"
    made = await make(below, mac="02:00:00:00:00:01", class_id=kiosks["id"])
    assert made["class_id"] == kiosks["id"]
    plain = await make(below, mac="02:00:00:00:00:02")
    assert plain["class_id"] is None
    listed = (await admin.get("/reservations", params={"class_id": kiosks["id"]})).json()["items"]
    assert [found["id"] for found in listed] == [made["id"]]
    answer = await admin.post(below, json={"mac": "02:00:00:00:00:03", "class_id": subnet["id"]})
    assert refused(answer, 422, "validation_error")["field"] == "class_id"
    path = f"/client-classes/{kiosks['id']}"
    assert refused(await admin.delete(path), 409, "conflict") == {"children": {"reservations": 1}}
    changed = await admin.patch(f"/reservations/{made['id']}", json={"class_id": None})
    assert (changed.json()["class_id"], changed.json()["ip"]) == (None, made["ip"])
    assert (await admin.delete(path)).status_code == 204
