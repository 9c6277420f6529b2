"""Two families that the product lacks, added as docs/how-to/add-a-family.md describes: tables, models, rows in the
table of families, services. Then what all families can do is asked of them. `python new_family.py DSN`, by
test_new_family.py."""

import asyncio
import json
import os
import sys
from types import ModuleType
from typing import Any

import asyncpg
import httpx
from click.testing import CliRunner

from ipam_core.model import families
from ipam_core.model.base import Command, Model, Text
from ipam_core.model.families import Family, Level

TABLES = """
create table vlan (
  no integer generated always as identity primary key, id uuid not null unique,
  tenant_no integer not null references tenant, name text not null,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now());
create table marker (
  no integer generated always as identity primary key, id uuid not null unique,
  subnet_no integer not null references subnet, name text not null,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now());
"""


class VlanFields(Command, kw_only=True, frozen=True):
    name: Text


class NewVlan(VlanFields, kw_only=True, frozen=True):
    tenant_id: str | None = None


class Vlan(Model, kw_only=True, frozen=True):
    tenant_id: str
    name: str


class NewMarker(Command, kw_only=True, frozen=True):
    name: Text


class Marker(Model, kw_only=True, frozen=True):
    subnet_id: str
    name: str


def add_rows() -> None:
    module = ModuleType("ipam_core.model.added")
    vars(module).update(VlanFields=VlanFields, NewVlan=NewVlan, Vlan=Vlan, NewMarker=NewMarker, Marker=Marker)
    sys.modules[module.__name__] = module
    rows = (
        Family("vlans", "vlan", "added.Vlan", ("id", "name"), filters=("name",)),
        Family("markers", "marker", "added.Marker", ("id",), above=("subnets",), level=Level.SUBNET),
    )
    families.PLAIN += rows
    families.FAMILIES.update({row.name: row for row in rows})


def add_services() -> None:
    from ipam_core.services.entity.entity import Child, Entity
    from ipam_core.services.entity.filters import SUBNET, TENANT, equal
    from ipam_core.services.subnets import SUBNETS
    from ipam_core.services.tenants import TENANTS

    columns = "{0}.no, {0}.id, {1}.id as {1}_id, {0}.name, {0}.created_at, {0}.updated_at from {0}"
    vlans = Entity(
        family=families.FAMILIES["vlans"],
        model=Vlan,
        create=NewVlan,
        patch=VlanFields,
        view=f"select {columns.format('vlan', 'tenant')} join tenant on tenant.no = vlan.tenant_no",
        scope="vlan.tenant_no",
        keys=("tenant_no",),
        columns=("name",),
        filters={**TENANT, "name": equal("vlan.name")},
    )
    markers = Entity(
        family=families.FAMILIES["markers"],
        model=Marker,
        create=NewMarker,
        patch=NewMarker,
        view=f"select {columns.format('marker', 'subnet')} join subnet on subnet.no = marker.subnet_no"
        " join tenant on tenant.no = subnet.tenant_no",
        scope="subnet.tenant_no",
        keys=("subnet_no",),
        columns=("name",),
        filters=SUBNET,
    )
    for above, child in ((TENANTS, Child(vlans, "tenant_no")), (SUBNETS, Child(markers, "subnet_no"))):
        object.__setattr__(above, "children", (*above.children, child))


async def speak(pool: asyncpg.Pool) -> None:
    """Everything that a family can do, over HTTP."""
    from api.app import create_app
    from ipam_core.settings import Settings

    app = create_app(Settings(rate_limit=0, token_rate_limit=0), pool)
    app.authenticator.owner = lambda *_: os.geteuid()  # there is no socket
    transport = httpx.ASGITransport(app, client=("127.0.0.1", 40000))  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080/api/v1") as api:

        async def ask(method: str, path: str, status: int, body: Any = None) -> Any:
            answer = await api.request(method, path, json=body)
            assert answer.status_code == status, (method, path, answer.text)
            return answer.json() if answer.content else None

        token = await ask("POST", "/tokens", 201, {"name": "root", "role": "admin"})
        api.headers["authorization"] = f"Bearer {token['token']}"
        prefix = await ask("POST", "/prefixes", 201, {"cidr": "10.0.0.0/16"})
        subnet = await ask("POST", "/subnets", 201, {"prefix_id": prefix["id"], "cidr": "10.0.0.0/24"})
        below = f"/subnets/{subnet['id']}/markers"
        for collection, path in (("vlans", "/vlans"), ("markers", below)):
            made = await ask("POST", path, 201, {"name": "a"})
            item = f"/{collection}/{made['id']}"
            assert await ask("GET", item, 200) == made
            assert (await ask("PATCH", item, 200, {"name": "b"}))["name"] == "b"
            assert [each["id"] for each in (await ask("GET", path, 200))["items"]] == [made["id"]]
            told = (await ask("GET", f"/audit?object_id={made['id']}", 200))["items"]
            assert [(entry["object_type"], entry["action"]) for entry in told] == [
                (collection[:-1], "updated"),
                (collection[:-1], "created"),
            ]
            bulk = [
                {"op": "update", "path": item, "body": {"name": "c"}},
                {"op": "create", "path": path, "body": {"name": "d"}, "ref": "d"},
                {"op": "delete", "path": f"/{collection}/$d"},
            ]
            results = (await ask("POST", "/bulk", 200, {"operations": bulk}))["results"]
            assert [result["status"] for result in results] == [200, 201, 204]
        refused = await ask("DELETE", f"/subnets/{subnet['id']}", 409)
        assert refused["error"]["details"]["children"] == {"markers": 1}
        await ask("DELETE", f"/subnets/{subnet['id']}?cascade=true", 204)
        assert (await ask("GET", "/markers", 200))["items"] == []


def look_at_documents() -> None:
    from api.openapi.document import describe, fragment
    from api.routes import HANDLERS
    from ipam_core.model.webhook import PATTERNS

    assert {"vlan.created", "marker.deleted", "marker.*"} <= PATTERNS
    for document in (describe(HANDLERS), fragment(describe(HANDLERS))):
        paths = json.loads(document)["paths"]
        for name in ("vlans", "markers"):
            assert set(paths[f"/api/v1/{name}/{{id}}"]) == {"get", "patch", "delete"}
        assert set(paths["/api/v1/subnets/{subnet_id}/markers"]) == {"get", "post"}


def look_at_the_command_line() -> None:
    from api.cli import installed, main
    from api.client import FAMILIES

    assert {"vlans", "markers"} <= set(installed())
    told = CliRunner().invoke(main, ["vlans", "list", "--help"])
    assert "--name" in told.output, told.output
    told = CliRunner().invoke(main, ["create", "markers", "name=x"])
    assert "subnet=... is required" in told.output, told.output
    assert FAMILIES["vlans"].model is Vlan
    assert FAMILIES["markers"].create_path({"subnet_id": "1"}) == "/subnets/1/markers"


async def main(dsn: str) -> None:
    from ipam_core.db.connect import create_pool

    async with await create_pool(dsn) as pool:
        await pool.execute(TABLES)
        await speak(pool)


if __name__ == "__main__":
    add_rows()
    add_services()
    look_at_documents()
    look_at_the_command_line()
    asyncio.run(main(sys.argv[1]))
