"""What every family can do, as one table: create, read, list, filter, patch, clear, refuse, delete.

A row is a family; the tests are the manners that all have in common. A family without a row fails.
"""

from typing import Any, NamedTuple

import httpx
import pytest

from ipam_core.model.families import PLAIN


class Family(NamedTuple):
    """`body` may name ids of the fixture's objects as $name. `patch` changes, `clear` nulls to a default."""

    path: str
    item: str
    body: dict[str, Any]
    patch: dict[str, Any]
    clear: tuple[str, Any]
    filters: dict[str, str]
    parents: tuple[str, ...]


DESCRIBED = ("description", "")
IN_SUBNET = ("subnet_id", "tenant_id")
OF_TENANT = ("tenant_id",)
LABELS: dict[str, Any] = {"tags": ["core", "floor e"], "custom": {"owner": "net", "rack": {"row": 7}}}
LABEL_FILTERS = {"tag": "CORE,floor e", "custom.owner": "net"}
FAMILIES = {
    "tenants": Family(
        "/tenants",
        "/tenants",
        {"name": "acme", "description": "d"},
        {"name": "acme2"},
        DESCRIBED,
        {"name": "acme", "q": "CM"},
        (),
    ),
    "prefixes": Family(
        "/prefixes",
        "/prefixes",
        {"cidr": "192.168.0.0/16", "description": "d", **LABELS},
        {"description": "e"},
        DESCRIBED,
        {
            "cidr": "192.168.0.0/16",
            "within": "192.0.0.0/8",
            "contains": "192.168.3.4",
            "family": "4",
            "q": "192",
            **LABEL_FILTERS,
        },
        OF_TENANT,
    ),
    "subnets": Family(
        "/subnets",
        "/subnets",
        {
            "prefix_id": "$prefix",
            "cidr": "10.0.9.0/24",
            "name": "nine",
            "relay_addresses": ["10.1.1.1"],
            "vlan_id": 17,
            "site": "Berlin",
            **LABELS,
        },
        {"name": "neun", "interface_id": "0x0102", "cache_threshold": 0.3},
        ("relay_addresses", []),
        {
            "name": "nine",
            "within": "10.0.8.0/22",
            "relay_address": "10.1.1.1",
            "prefix_id": "$prefix",
            "q": "nin",
            "vlan_id": "17",
            "site": "Berlin",
            **LABEL_FILTERS,
        },
        ("prefix_id", "tenant_id"),
    ),
    "pools": Family(
        "/subnets/$subnet/pools",
        "/pools",
        {"name": "p", "start_ip": "10.0.0.100", "end_ip": "10.0.0.110", "allocation": "sequential"} | LABELS,
        {"end_ip": "10.0.0.120"},
        ("allocation", "hashed"),
        {
            "name": "p",
            "contains": "10.0.0.105",
            "within": "10.0.0.64/26",
            "subnet_id": "$subnet",
            "family": "4",
            **LABEL_FILTERS,
        },
        IN_SUBNET,
    ),
    "excludes": Family(
        "/subnets/$subnet/excludes",
        "/excludes",
        {"start_ip": "10.0.0.5", "end_ip": "10.0.0.5", "description": "d"},
        {"end_ip": "10.0.0.6"},
        DESCRIBED,
        {"start_ip": "10.0.0.5", "contains": "10.0.0.5", "q": "10.0.0"},
        IN_SUBNET,
    ),
    "reservations": Family(
        "/subnets/$subnet/reservations",
        "/reservations",
        {
            "ip": "10.0.0.7",
            "mac": "02:00:00:00:00:07",
            "hostname": "Seven",
            "aliases": ["PRINTER", "lpd.example.net"],
            "circuit_id": "eth0/1",
            "remote_id": "0x00ff",
            "subscriber_id": "smith",
            **LABELS,
        },
        {"hostname": "sieben", "client_id": "01aabb"},
        ("circuit_id", None),
        {
            "ip": "10.0.0.7",
            "mac": "0200.0000.0007",
            "hostname": "SEVEN",
            "alias": "Printer",
            "circuit_id": "eth0/1",
            "remote_id": "0x00FF",
            "subscriber_id": "smith",
            "q": "sev",
            **LABEL_FILTERS,
        },
        IN_SUBNET,
    ),
    "options": Family(
        "/subnets/$subnet/options",
        "/options",
        {"code": 6, "payload": {"addresses": ["10.0.0.53"]}, "always_send": True},
        {"payload": {"addresses": ["10.0.0.54"]}},
        ("always_send", False),
        {"code": "6", "family": "4", "subnet_id": "$subnet", "always_send": "true"},
        ("subnet_id", "pool_id", "class_id", "reservation_id", "tenant_id"),
    ),
    "assignments": Family(
        "/assignments",
        "/assignments",
        {"ip": "10.0.0.8", "hostname": "web", "aliases": ["shop"], "description": "d", **LABELS},
        {"hostname": "www", "alias_records": "address"},
        DESCRIBED,
        {
            "ip": "10.0.0.8",
            "hostname": "WEB",
            "alias": "Shop",
            "within": "10.0.0.0/28",
            "subnet_id": "$subnet",
        }
        | LABEL_FILTERS,
        IN_SUBNET,
    ),
    "client-classes": Family(
        "/client-classes",
        "/client-classes",
        {"name": "phones", "mac_prefix": "00-1A-2B", "vendor_class": "phone"},
        {"priority": 7, "deny": True},
        ("mac_prefix", None),
        {"name": "phones", "mac_prefix": "00:1a:2b", "vendor_class": "phone", "deny": "false"},
        OF_TENANT,
    ),
    "trusted-relays": Family(
        "/trusted-relays",
        "/trusted-relays",
        {"cidr": "10.9.0.0/24", "description": "d"},
        {"cidr": "10.9.0.0/25"},
        DESCRIBED,
        {"cidr": "10.9.0.0/24", "contains": "10.9.0.77", "family": "4"},
        OF_TENANT,
    ),
    "option-definitions": Family(
        "/option-definitions",
        "/option-definitions",
        {"code": 224, "name": "printer-pins", "kind": "uint16", "array": True},
        {"name": "pins"},
        ("array", False),
        {"code": "224", "name": "printer-pins", "kind": "uint16", "array": "true", "family": "4", "q": "PIN"},
        OF_TENANT,
    ),
    "dns-servers": Family(
        "/dns-servers",
        "/dns-servers",
        {
            "name": "ns1",
            "adapter": "bind_tsig",
            "address": "192.0.2.53",
            "description": "d",
            "secret": "c2VjcmV0",
        },
        {"name": "ns2"},
        DESCRIBED,
        {"name": "ns1", "adapter": "bind_tsig", "address": "192.0.2.53", "q": "192.0"},
        OF_TENANT,
    ),
    "dns-zones": Family(
        "/dns-zones",
        "/dns-zones",
        {"name": "example.net", "description": "d"},
        {"default_ttl": 60, "mname": "ns1.example.net"},
        DESCRIBED,
        {"name": "Example.net.", "dns_enabled": "false", "q": "example"},
        ("tenant_id", "name"),
    ),
    "dns-records": Family(
        "/dns-zones/$zone/records",
        "/dns-records",
        {"name": "web1", "type": "A", "data": "192.0.2.1", "ttl": 60},
        {"data": "192.0.2.2"},
        ("ttl", None),
        {"name": "WEB1", "type": "a", "data": "192.0.2.1", "zone_id": "$zone", "fqdn": "web1.example.org"},
        ("zone_id", "tenant_id"),
    ),
    "notifications": Family(
        "/notifications",
        "/notifications",
        {"name": "noc", "kind": "slack", "url": "https://hooks.example/1", "description": "d"},
        {"events": ["pool.*"], "severity": "warning", "networks": ["192.0.2.0/24"], "zones": ["example.net"]},
        DESCRIBED,
        {"name": "noc", "kind": "slack", "enabled": "true", "q": "NOC"},
        OF_TENANT,
    ),
    "webhooks": Family(
        "/webhooks",
        "/webhooks",
        {"url": "https://hooks.example/1", "description": "d", "secret": "whsec_" + "c2VjcmV0" * 4},
        {"events": ["lease.*", "subnet.created"]},
        DESCRIBED,
        {"url": "https://hooks.example/1", "enabled": "true", "q": "HOOKS"},
        OF_TENANT,
    ),
}
every_family = pytest.mark.parametrize("family", list(FAMILIES.values()), ids=list(FAMILIES))


def test_every_family_has_a_row() -> None:
    assert {family.name for family in PLAIN} | {"webhooks"} == set(FAMILIES)


@pytest.fixture
async def named(subnet: dict[str, Any], make: Any) -> Any:
    """Puts ids of the fixture's objects for $names."""
    zone = await make("/dns-zones", name="example.org")
    ids = {"$subnet": subnet["id"], "$prefix": subnet["prefix_id"], "$zone": zone["id"]}

    def fill(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: fill(member) for name, member in value.items()}
        if isinstance(value, str):
            for name, id_ in ids.items():
                value = value.replace(name, id_)
        return value

    return fill


def listed(made: httpx.Response, page: dict[str, Any]) -> bool:
    """Whether a list has the object; its row may tell more, as a subnet's tells how full it is."""
    return any(made.json().items() <= row.items() for row in rows(page))


def rows(page: dict[str, Any]) -> list[dict[str, Any]]:
    return list(page["items"])


@every_family
async def test_it_is_made_read_listed_and_found(admin: httpx.AsyncClient, named: Any, family: Family) -> None:
    made = await admin.post(named(family.path), json=named(family.body))
    assert made.status_code == 201, made.text
    item = f"{family.item}/{made.json()['id']}"
    assert made.headers["location"] == "/api/v1" + item
    read = await admin.get(item)
    assert (read.status_code, read.json()) == (200, made.json())
    assert read.headers["etag"] == made.headers["etag"]
    for path in {family.item, named(family.path)}:
        assert listed(made, (await admin.get(path)).json())
    for name, text in named(family.filters).items():
        found = (await admin.get(family.item, params={name: text})).json()
        assert listed(made, found), (name, found)


@every_family
async def test_filters_leave_out_what_they_do_not_mean(
    admin: httpx.AsyncClient, make: Any, named: Any, family: Family
) -> None:
    made = await make(named(family.path), **named(family.body))
    other = {
        "family": "6",
        "within": "172.16.0.0/12",
        "contains": "172.16.0.1",
        "always_send": "false",
        "deny": "true",
        "dns_enabled": "true",
    }
    for name, text in named(family.filters).items():
        wrong = other.get(name) or text.replace("1", "2").replace("e", "x").replace("7", "9").replace(
            "6", "8"
        )
        wrong = "no-such-text" if wrong == text else wrong
        found = await admin.get(family.item, params={name: wrong})
        assert found.status_code in (200, 422), found.text
        if found.status_code == 200:
            assert made not in found.json()["items"], (name, wrong)


@every_family
async def test_a_patch_changes_what_it_names(
    admin: httpx.AsyncClient, make: Any, named: Any, family: Family
) -> None:
    before = await make(named(family.path), **named(family.body))
    item = f"{family.item}/{before['id']}"
    for kind in ("application/json", "application/merge-patch+json"):
        after = await admin.request(
            "PATCH",
            item,
            content=httpx.Request("X", "http://x", json=family.patch).content,
            headers={"content-type": kind},
        )
        assert after.status_code == 200, after.text
        differing = {name for name, value in after.json().items() if before[name] != value}
        assert differing - {"updated_at", "serial"} == set(family.patch)
        assert (await admin.get(item)).json() == after.json()


@every_family
async def test_null_clears_to_the_default(
    admin: httpx.AsyncClient, make: Any, named: Any, family: Family
) -> None:
    before = await make(named(family.path), **named(family.body))
    name, default = family.clear
    assert before[name] != default
    after = await admin.patch(f"{family.item}/{before['id']}", json={name: None})
    assert after.status_code == 200, after.text
    assert after.json()[name] == default


@every_family
async def test_parents_never_change_and_unknown_fields_are_named(
    admin: httpx.AsyncClient, make: Any, named: Any, family: Family, refused: Any
) -> None:
    made = await make(named(family.path), **named(family.body))
    for name in (*family.parents, "id", "created_at", "nonsense"):
        answer = await admin.patch(f"{family.item}/{made['id']}", json={name: "x"})
        assert refused(answer, 422, "validation_error")["field"] == name
    answer = await admin.post(named(family.path), json=named(family.body) | {"nonsense": 1})
    assert refused(answer, 422, "validation_error")["field"] == "nonsense"


@every_family
async def test_an_entity_tag_guards_a_write(
    admin: httpx.AsyncClient, make: Any, named: Any, family: Family, refused: Any
) -> None:
    made = await make(named(family.path), **named(family.body))
    item = f"{family.item}/{made['id']}"
    tag = (await admin.get(item)).headers["etag"]
    assert (await admin.get(item, headers={"if-none-match": tag})).status_code == 304
    changed = await admin.patch(item, json=family.patch, headers={"if-match": tag})
    assert changed.status_code == 200
    for method in ("PATCH", "DELETE"):
        stale = await admin.request(method, item, json={}, headers={"if-match": tag})
        refused(stale, 412, "precondition_failed")
    good = {"if-match": f'"other", {changed.headers["etag"]}'}
    assert (await admin.delete(item, headers=good)).status_code == 204


@every_family
async def test_it_is_gone_when_deleted(
    admin: httpx.AsyncClient, make: Any, named: Any, family: Family, refused: Any
) -> None:
    made = await make(named(family.path), **named(family.body))
    item = f"{family.item}/{made['id']}"
    assert (await admin.delete(item)).content == b""
    for method in ("GET", "PATCH", "DELETE"):
        answer = await admin.request(method, item, json={} if method == "PATCH" else None)
        refused(answer, 404, "not_found")
    assert made not in (await admin.get(family.item)).json()["items"]


async def test_ids_that_we_never_gave_name_nothing(admin: httpx.AsyncClient, refused: Any) -> None:
    for family in FAMILIES.values():
        for id_ in ("x", "00000000-0000-7000-8000-000000000000", "%00", "a b", "é" * 300):
            refused(await admin.get(f"{family.item}/{id_}"), 404, "not_found")
            refused(await admin.delete(f"{family.item}/{id_}"), 404, "not_found")
