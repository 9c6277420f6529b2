"""What clients will miss by an option is said in the answer that stores it: routes that take the gateway (RFC 3442)."""

from typing import Any

import httpx
import pytest

FAR = {"destination": "10.9.0.0/16", "router": "10.0.0.7"}
DEFAULT = {"destination": "0.0.0.0/0", "router": "10.0.0.1"}


@pytest.fixture
async def isolated(make: Any) -> dict[str, Any]:
    """A subnet without a gateway."""
    prefix = await make("/prefixes", cidr="10.1.0.0/16")
    found: dict[str, Any] = await make("/subnets", prefix_id=prefix["id"], cidr="10.1.0.0/24")
    return found


@pytest.mark.parametrize("code", [121, 249])
async def test_routes_without_a_default_are_told_of(
    admin: httpx.AsyncClient, make: Any, subnet: dict[str, Any], code: int
) -> None:
    """In the answers that create, read, list and change it, in bulk too; the entity tag's object is the same."""
    path = f"/subnets/{subnet['id']}/options"
    made = await make(path, code=code, payload={"routes": [FAR]})
    [warning] = made["warnings"]
    assert "0.0.0.0/0" in warning
    assert "RFC 3442" in warning
    item = f"/options/{made['id']}"
    assert (await admin.get(item)).json()["warnings"] == [warning]
    assert [each["warnings"] for each in (await admin.get(path)).json()["items"]] == [[warning]]
    for change, expected in (
        ({"payload": {"routes": [FAR, DEFAULT]}}, []),
        ({"payload": {"routes": [FAR]}}, [warning]),
        ({"never_send": True}, []),
    ):
        assert (await admin.patch(item, json=change)).json()["warnings"] == expected
    operation = {"op": "update", "path": item, "body": {"never_send": False}}
    [result] = (await admin.post("/bulk", json={"operations": [operation]})).json()["results"]
    assert result["body"]["warnings"] == [warning]


async def test_where_it_stands_decides(
    make: Any, admin: httpx.AsyncClient, subnet: dict[str, Any], isolated: dict[str, Any]
) -> None:
    """Beside a gateway, and where subnets may have one; not in a subnet without."""
    told = {"code": 121, "payload": {"routes": [FAR]}}
    pool = await make(f"/subnets/{subnet['id']}/pools", start_ip="10.0.0.100", end_ip="10.0.0.120")
    class_ = await make("/client-classes", name="phones", vendor_class="x")
    for path in (
        f"/pools/{pool['id']}/options",
        f"/client-classes/{class_['id']}/options",
        "/global-options",
    ):
        assert len((await make(path, **told))["warnings"]) == 1, path
    alone = await make(f"/subnets/{isolated['id']}/options", **told)
    assert alone["warnings"] == []
    await admin.patch(f"/subnets/{isolated['id']}", json={"gateway": "10.1.0.1"})
    assert len((await admin.get(f"/options/{alone['id']}")).json()["warnings"]) == 1


@pytest.mark.parametrize(
    ("code", "payload"),
    [
        (6, {"addresses": ["10.0.0.53"]}),
        (121, {"routes": [DEFAULT]}),
        (121, {"hex": "00 0a000001".replace(" ", "")}),
    ],
)
async def test_other_options_have_none(
    make: Any, subnet: dict[str, Any], code: int, payload: dict[str, Any]
) -> None:
    assert (await make(f"/subnets/{subnet['id']}/options", code=code, payload=payload))["warnings"] == []
