"""File of `ipam import --plan`: each operation refers to earlier objects only, and each object has a key."""

import json
from ipaddress import ip_network
from typing import Any

import pytest
from importers.accounting import SOURCES

from api.cli.importing.plan_file import VERSION, encoded
from api.importers import formats
from api.importers.plan import Plan
from api.importers.table.reader import read
from ipam_core.model.families import FAMILIES

SOURCES_OF_PLANS = [
    *("kea4.json", "kea6.json", "isc4.conf", "isc6.conf", "dnsmasq.conf", "windows.xml", "netsh.txt"),
    *("infoblox.csv", "cisco.txt", "mikrotik.rsc", "opnsense.xml", "pfsense.xml", "table.csv"),
]


def written(plan: Plan) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(encoded(plan))
    return found


def references(operation: dict[str, Any]) -> set[str]:
    ids = [value for name, value in operation["body"].items() if name.endswith("_id")]
    words = [*operation["path"].split("/"), *ids]
    return {each[1:] for each in words if isinstance(each, str) and each.startswith("$")}


@pytest.mark.parametrize("name", SOURCES_OF_PLANS)
def test_operations_refer_to_earlier_objects(name: str) -> None:
    plan = formats.read(SOURCES / name, None, {}, None)
    file = written(plan)
    assert file["version"] == VERSION
    assert [each["fields"] for each in file["objects"]] == [
        each["fields"] for each in json.loads(plan.encoded())["objects"]
    ]
    known = {"tenant"}
    for each in file["objects"]:
        operation = each["operation"]
        assert references(operation) <= known
        assert "class" not in operation["body"]
        assert set(each["key"]) <= set(FAMILIES[each["family"]].model.__struct_fields__)
        assert each["label"].startswith(each["family"])
        known.add(operation["ref"])
    assert sum(each["managed"] for each in file["objects"]) == plan.managed_ips()


def test_values_are_those_that_the_server_shows() -> None:
    text = "network,ip,mac,hostname\n2001:db8:0:0::/64,2001:DB8::9,02-00-00-00-00-0A,printer\n"
    objects = {each["family"]: each for each in written(read(text))["objects"]}
    assert objects["subnets"]["key"] == {"cidr": "2001:db8::/64"}
    assert objects["subnets"]["operation"]["body"] == {
        "cidr": "2001:db8::/64",
        "prefix_id": f"${objects['prefixes']['ref']}",
    }
    reservation = objects["reservations"]
    assert reservation["operation"] == {
        "op": "create",
        "path": f"/subnets/${objects['subnets']['ref']}/reservations",
        "body": {"ip": "2001:db8::9", "mac": "02:00:00:00:00:0a", "hostname": "printer"},
        "ref": reservation["ref"],
    }
    assert reservation["key"]["mac"] == "02:00:00:00:00:0a"


def test_an_option_has_the_family_of_its_subnet() -> None:
    text = "network,dns\n10.0.0.0/24,10.0.0.1\n2001:db8::/64,2001:db8::1\n"
    options = [each for each in written(read(text))["objects"] if each["family"] == "options"]
    assert [(each["key"]["family"], each["key"]["code"]) for each in options] == [(4, 6), (6, 23)]
    assert all(each["key"]["pool_id"] is None for each in options)


def test_subnets_of_the_server_have_keys_and_references_without_separators() -> None:
    file = written(read("ip,mac\n10.0.0.9,020000000001\n", there=lambda: [ip_network("10.0.0.0/24")]))
    prefix, subnet = file["there"]
    assert (prefix["key"], subnet["key"]) == ({"cidr": "10.0.0.0/24"}, {"cidr": "10.0.0.0/24"})
    assert file["objects"][0]["operation"]["path"] == "/subnets/$there-10-0-0-0-24/reservations"
