"""What decides whose packets are whose is written by an admin without a tenant only, on every way to write it."""

from typing import Any

import httpx
import pytest


@pytest.fixture
async def own(make: Any, connect: Any) -> dict[str, Any]:
    """A tenant with a prefix, a subnet and a trusted relay, and the client of its admin."""
    tenant = await make("/tenants", name="other")
    prefix = await make("/prefixes", cidr="10.0.0.0/16", tenant_id=tenant["id"])
    subnet = await make(
        "/subnets", prefix_id=prefix["id"], cidr="10.0.0.0/24", relay_addresses=["10.9.0.1"], interface="eth9"
    )
    relay = await make("/trusted-relays", cidr="10.9.0.0/24", tenant_id=tenant["id"])
    token = await make("/tokens", name="t", role="admin", tenant_id=tenant["id"])
    kerberos = {"adapter": "ad_gsstsig", "address": "dc1.example.net", "principal": "svc-dhcp@EXAMPLE.NET"}
    dc = await make(
        "/dns-servers", tenant_id=tenant["id"], name="dc", keytab="/etc/ipam/svc.keytab", **kerberos
    )
    return {"client": connect(token["token"]), "tenant": tenant, "prefix": prefix, "subnet": subnet} | {
        "relay": relay,
        "dc": dc,
    }


def message(answer: httpx.Response) -> str:
    return str(answer.json()["error"]["message"])


KERBEROS = {"name": "x", "adapter": "ad_gsstsig", "address": "dc.example.net", "principal": "p"}
REFUSED: list[tuple[str, str, dict[str, Any] | None, str]] = [
    ("POST", "/trusted-relays", {"cidr": "10.64.0.1/32"}, "trusted-relays"),
    ("PATCH", "/trusted-relays/{relay}", {"cidr": "0.0.0.0/0"}, "cidr"),
    ("PATCH", "/trusted-relays/{relay}", {"description": "mine"}, "description"),
    ("DELETE", "/trusted-relays/{relay}", None, "trusted-relays"),
    ("PATCH", "/subnets/{subnet}", {"relay_addresses": ["10.64.0.1"]}, "relay_addresses"),
    ("PATCH", "/subnets/{subnet}", {"relay_addresses": []}, "relay_addresses"),
    ("PATCH", "/subnets/{subnet}", {"interface": None}, "interface"),
    ("PATCH", "/subnets/{subnet}", {"interface": "eth0"}, "interface"),
    ("POST", "/subnets", {"prefix_id": "{prefix}", "cidr": "10.0.1.0/24", "interface": "eth0"}, "interface"),
    ("POST", "/prefixes/{prefix}/next-subnet", {"prefix_length": 24, "interface": "eth0"}, "interface"),
    (
        "POST",
        "/prefixes/{prefix}/next-subnet",
        {"prefix_length": 24, "relay_addresses": ["10.64.0.1"]},
        "relay_addresses",
    ),
    # Files of the workers' machine may hold the keys of another tenant.
    ("POST", "/dns-servers", KERBEROS | {"keytab": "/etc/ipam/theirs.keytab"}, "keytab"),
    ("POST", "/dns-servers", KERBEROS | {"ticket_cache": "/run/ipam/theirs"}, "ticket_cache"),
    ("PATCH", "/dns-servers/{dc}", {"keytab": "/etc/ipam/theirs.keytab"}, "keytab"),
    ("PATCH", "/dns-servers/{dc}", {"principal": "admin@EXAMPLE.NET"}, "principal"),
    ("PATCH", "/dns-servers/{dc}", {"address": "dc2.example.net"}, "address"),
    ("PATCH", "/tenants/{tenant}", {"name": "theirs"}, "name"),
    ("PATCH", "/tenants/{tenant}", {"dns_suffixes": ["example.net"]}, "dns_suffixes"),
    # Another tenant bears it; nothing of that one is told.
    ("PATCH", "/tenants/{tenant}", {"name": "default"}, "name"),
    ("DELETE", "/tenants/{tenant}", None, "tenants"),
    ("DELETE", "/tenants/{tenant}?cascade=true", None, "tenants"),
    ("POST", "/tenants", {"name": "more"}, "tenants"),
]


@pytest.mark.parametrize(("method", "path", "body", "field"), REFUSED)
async def test_it_is_refused_alone_and_in_bulk(
    own: dict[str, Any], admin: httpx.AsyncClient, refused: Any, method: str, path: str, body: Any, field: str
) -> None:
    ids = {name: own[name]["id"] for name in ("tenant", "prefix", "subnet", "relay", "dc")}
    body = body and {
        name: value.format(**ids) if isinstance(value, str) else value for name, value in body.items()
    }
    path = path.format(**ids)
    before = [(await admin.get(f"/{family}")).json() for family in ("tenants", "subnets", "trusted-relays")]
    answer = await own["client"].request(method, path, json=body)
    assert refused(answer, 403, "forbidden") == {}
    assert message(answer).startswith(f"{field}: may be ")
    assert message(answer).endswith("by an admin without a tenant only")
    operation = {"POST": "create", "PATCH": "update", "DELETE": "delete"}[method]
    bulk = {"operations": [{"op": operation, "path": path, "body": body}]}
    assert refused(await own["client"].post("/bulk", json=bulk), 403, "forbidden") == {"index": 0}
    after = [(await admin.get(f"/{family}")).json() for family in ("tenants", "subnets", "trusted-relays")]
    assert after == before


async def test_to_say_again_what_stands_is_no_write(own: dict[str, Any]) -> None:
    subnet = {name: own["subnet"][name] for name in ("relay_addresses", "interface")} | {"name": "lan"}
    changed = await own["client"].patch(f"/subnets/{own['subnet']['id']}", json=subnet)
    assert (changed.status_code, changed.json()["name"]) == (200, "lan")
    told = {"keytab": own["dc"]["keytab"], "description": "ours"}
    changed = await own["client"].patch(f"/dns-servers/{own['dc']['id']}", json=told)
    assert (changed.status_code, changed.json()["description"]) == (200, "ours")
    tenant = {"name": "other", "description": "ours"}
    changed = await own["client"].patch(f"/tenants/{own['tenant']['id']}", json=tenant)
    assert (changed.status_code, changed.json()["description"]) == (200, "ours")
    same = {"cidr": own["relay"]["cidr"]}
    assert (await own["client"].patch(f"/trusted-relays/{own['relay']['id']}", json=same)).status_code == 200


async def test_an_admin_without_a_tenant_writes_them(own: dict[str, Any], admin: httpx.AsyncClient) -> None:
    for path, body in (
        (f"/trusted-relays/{own['relay']['id']}", {"cidr": "10.9.1.0/24"}),
        (f"/subnets/{own['subnet']['id']}", {"relay_addresses": [], "interface": None}),
        (f"/tenants/{own['tenant']['id']}", {"name": "renamed"}),
    ):
        assert (await admin.patch(path, json=body)).status_code == 200
    assert (await admin.delete(f"/trusted-relays/{own['relay']['id']}")).status_code == 204
    assert (await admin.delete(f"/tenants/{own['tenant']['id']}?cascade=true")).status_code == 204


async def test_a_tenant_deletes_its_own_subnet_whatever_it_is_served_by(own: dict[str, Any]) -> None:
    assert (await own["client"].delete(f"/subnets/{own['subnet']['id']}")).status_code == 204
