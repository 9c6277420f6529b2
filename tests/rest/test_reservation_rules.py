"""What a reservation or an assignment may say: somebody whom a server can recognise, and an address of its own."""

from typing import Any

import httpx
import pytest

MAC = "02:00:00:00:00:01"
DUID = "00:03:00:01:02:00:00:00:00:01"


@pytest.fixture
async def wide(make: Any) -> dict[str, Any]:
    prefix = await make("/prefixes", cidr="2001:db8::/32")
    found: dict[str, Any] = await make("/subnets", prefix_id=prefix["id"], cidr="2001:db8::/64")
    return found


def in_bulk(operation: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    return {"operations": [{"op": operation, "path": path, "body": body}]}


async def test_an_assignment_is_of_an_address(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, refused: Any
) -> None:
    assigned = await make("/assignments", ip="10.0.0.60", hostname="x")
    body = {"ip": None, "hostname": "y", "subnet_id": subnet["id"]}
    assert refused(await admin.post("/assignments", json=body), 422, "validation_error")["field"] == "ip"
    bulk = await admin.post("/bulk", json=in_bulk("create", "/assignments", body))
    assert refused(bulk, 422, "validation_error")["field"] == "ip"
    item = f"/assignments/{assigned['id']}"
    before = (await admin.get(item)).json()
    details = refused(await admin.patch(item, json={"ip": None}), 422, "validation_error")
    assert details["field"] == "ip"
    bulk = await admin.post("/bulk", json=in_bulk("update", item, {"ip": None}))
    assert refused(bulk, 422, "validation_error")["field"] == "ip"
    assert (await admin.get(item)).json() == before
    assert (await admin.patch(item, json={"hostname": "z"})).json()["ip"] == before["ip"]


async def test_a_prefix_needs_no_address(admin: httpx.AsyncClient, wide: dict[str, Any], make: Any) -> None:
    path = f"/subnets/{wide['id']}/reservations"
    made = await make(path, ip=None, prefix="2001:db8:1::/48", duid=DUID)
    assert (made["ip"], made["prefix"]) == (None, "2001:db8:1::/48")
    item = f"/reservations/{made['id']}"
    assert (await admin.patch(item, json={"ip": None})).json()["ip"] is None
    assert (await admin.patch(item, json={"ip": "2001:db8::9"})).json()["ip"] == "2001:db8::9"
    assert (await admin.patch(item, json={"ip": None})).json()["ip"] is None
    assert (await admin.patch(item, json={"prefix": None})).json()["prefix"] is None


async def test_a_part_of_a_reserved_prefix_stays_with_the_link(
    admin: httpx.AsyncClient, wide: dict[str, Any], make: Any, refused: Any
) -> None:
    """RFC 6603: kept, changed, cleared, and refused where it is no smaller part of the prefix."""
    path = f"/subnets/{wide['id']}/reservations"
    fields = {"ip": None, "prefix": "2001:db8:1::/48", "duid": DUID}
    made = await make(path, **fields, excluded_prefix="2001:db8:1:ff::/64")
    item = f"/reservations/{made['id']}"
    assert (await admin.get(item)).json()["excluded_prefix"] == "2001:db8:1:ff::/64"
    for patch in ({"prefix": None}, {"prefix": "2001:db8:2::/48"}, {"prefix": "2001:db8:1:ff::/64"}):
        details = refused(await admin.patch(item, json=patch), 422, "validation_error")
        assert details["field"] == "excluded_prefix"
    changed = await admin.patch(
        item, json={"prefix": "2001:db8:2::/48", "excluded_prefix": "2001:db8:2::/49"}
    )
    assert (changed.status_code, changed.json()["excluded_prefix"]) == (200, "2001:db8:2::/49")
    assert (await admin.patch(item, json={"excluded_prefix": None})).json()["excluded_prefix"] is None
    other = fields | {"duid": DUID.replace("02", "06"), "prefix": "2001:db8:3::/48"}
    for excluded in ("2001:db8:3::/48", "2001:db8::/32", "2001:db8:4::/64", "10.0.0.0/24"):
        answer = await admin.post(path, json=other | {"excluded_prefix": excluded})
        details = refused(answer, 422, "validation_error")
        assert details["field"] == "excluded_prefix"
        assert "2001:db8:3::/48" in details["reason"]
    for subnet_path, body in (
        (path, {"ip": "2001:db8::9", "mac": MAC, "excluded_prefix": "2001:db8:3::/64"}),
        ("/reservations", {"mac": MAC, "excluded_prefix": "2001:db8:3::/64"}),
    ):
        details = refused(await admin.post(subnet_path, json=body), 422, "validation_error")
        assert details["field"] == "excluded_prefix"


NEVER_MATCHED = [
    ({"duid": "0003"}, "duid"),
    ({"duid": "00" * 131}, "duid"),
    ({"client_id": ""}, "client_id"),
    ({"client_id": "00" * 256}, "client_id"),
    ({"circuit_id": ""}, "circuit_id"),
    ({"circuit_id": "0x"}, "circuit_id"),
    ({"mac": ""}, "mac"),
    ({}, "mac"),
    ({"hostname": "x"}, "mac"),
]


@pytest.mark.parametrize(("identity", "field"), NEVER_MATCHED)
async def test_who_cannot_be_recognised_gets_none(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, refused: Any, identity: Any, field: str
) -> None:
    path = f"/subnets/{subnet['id']}/reservations"
    # "0x" is the text of a switch's port.
    if identity == {"circuit_id": "0x"}:
        await make(path, ip="10.0.0.50", **identity)
        return
    answer = await admin.post(path, json={"ip": "10.0.0.50"} | identity)
    assert refused(answer, 422, "validation_error")["field"] == field


async def test_identities_of_both_families(
    admin: httpx.AsyncClient, subnet: dict[str, Any], wide: dict[str, Any], make: Any, refused: Any
) -> None:
    """A DUID stands in the client id of RFC 4361; no message of DHCPv6 has a client id of DHCPv4."""
    identities: tuple[dict[str, str], ...] = (
        {"duid": DUID}, {"mac": MAC}, {"client_id": "01:02"}, {"circuit_id": "p"}, {"remote_id": "0x0000"},
        {"subscriber_id": "smith"},
    )  # fmt: skip
    for n, identity in enumerate(identities):
        await make(f"/subnets/{subnet['id']}/reservations", ip=f"10.0.0.{50 + n}", **identity)
        body = {"ip": f"2001:db8::{50 + n}"} | identity
        answer = await admin.post(f"/subnets/{wide['id']}/reservations", json=body)
        if "client_id" in identity:
            assert refused(answer, 422, "validation_error")["field"] == "client_id"
        else:
            assert answer.status_code == 201, answer.text


@pytest.mark.parametrize("prefix", ["::/0", "ff00::/16", "fe80::/64", "::/8", "fc00::/6"])
async def test_what_is_nobodys_is_not_delegated(
    admin: httpx.AsyncClient, wide: dict[str, Any], refused: Any, prefix: str
) -> None:
    path = f"/subnets/{wide['id']}/reservations"
    answer = await admin.post(path, json={"prefix": prefix, "duid": DUID})
    if prefix == "fc00::/6":  # with fe80::/10 in it
        assert answer.status_code == 422
    assert refused(answer, 422, "validation_error")["field"] == "prefix"


async def test_a_prefix_is_delegated_once(
    admin: httpx.AsyncClient, wide: dict[str, Any], make: Any, refused: Any
) -> None:
    path = f"/subnets/{wide['id']}/reservations"
    first = await make(path, prefix="2001:db8:1::/48", duid=DUID)
    for prefix in ("2001:db8:1::/48", "2001:db8:1:8::/61", "2001:db8::/40"):
        answer = await admin.post(path, json={"prefix": prefix, "duid": DUID[:-1] + "2"})
        details = refused(answer, 409, "conflict")
        named = {"type": "reservation", "id": first["id"], "prefix": "2001:db8:1::/48"}
        assert details["field"] == "prefix"
        assert named.items() <= details["conflicts_with"].items()
    await make(path, prefix="2001:db8:2::/48", duid=DUID[:-1] + "2")


@pytest.mark.parametrize(("cidr", "ip"), [("10.9.0.1/32", "10.9.0.1"), ("2001:db9::1/128", "2001:db9::1")])
async def test_a_subnet_of_one_address(
    make: Any, cidr: str, ip: str, admin: httpx.AsyncClient, refused: Any
) -> None:
    prefix = await make("/prefixes", cidr=cidr)
    subnet = await make("/subnets", prefix_id=prefix["id"], cidr=cidr, gateway=ip)
    assert subnet["gateway"] == ip
    item = f"/subnets/{subnet['id']}"
    details = refused(await admin.patch(item, json={"gateway": "10.9.0.2"}), 422, "validation_error")
    assert details["field"] == "gateway"
    assert (await admin.patch(item, json={"gateway": None})).status_code == 200
    assigned = await make("/assignments", ip=ip, hostname="x")
    assert (assigned["ip"], assigned["subnet_id"]) == (ip, subnet["id"])


async def test_a_subnet_of_two_addresses(make: Any) -> None:
    prefix = await make("/prefixes", cidr="10.9.0.0/31")
    subnet = await make("/subnets", prefix_id=prefix["id"], cidr="10.9.0.0/31", gateway="10.9.0.0")
    assert subnet["gateway"] == "10.9.0.0"
    assert (await make("/assignments", ip="10.9.0.1", hostname="x"))["subnet_id"] == subnet["id"]


async def test_a_client_id_of_one_octet_is_one(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any
) -> None:
    """As it is in packets (decisions: Malformed options), also where a reservation is changed to it."""
    path = f"/subnets/{subnet['id']}/reservations"
    made = await make(path, ip="10.0.0.50", client_id="07")
    assert made["client_id"] == "07"
    changed = await admin.patch(f"/reservations/{made['id']}", json={"client_id": "08"})
    assert (changed.status_code, changed.json()["client_id"]) == (200, "08")
