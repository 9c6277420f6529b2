"""Imported routes that take the gateway away (RFC 3442) are warned of."""

import json

import pytest

from api.importers.kea import reader

ROUTES = "192.0.2.0/24 - 10.0.0.2"


def warned(routes: str, gateway: str | None) -> list[str]:
    options = [{"name": "classless-static-route", "code": 121, "csv-format": True, "data": routes}]
    if gateway:
        options.append({"name": "routers", "code": 3, "csv-format": True, "data": gateway})
    subnet = {"id": 1, "subnet": "10.0.0.0/24", "option-data": options}
    plan = reader.read(json.dumps({"Dhcp4": {"subnet4": [subnet]}}))
    assert [each for each in plan.objects if each.fields.get("code") == 121]
    return [each.why for each in plan.warnings if "0.0.0.0/0" in each.why]


@pytest.mark.parametrize(
    ("routes", "gateway", "expected"),
    [
        (ROUTES, "10.0.0.1", 1),
        (ROUTES, None, 0),
        (f"{ROUTES}, 0.0.0.0/0 - 10.0.0.1", "10.0.0.1", 0),
    ],
)
def test_routes_beside_a_gateway(routes: str, gateway: str | None, expected: int) -> None:
    assert len(warned(routes, gateway)) == expected
