"""Objects that the server has, in the file's terms, read in few requests: a list below many subnets is read whole and
parted here, below few of them by subnet."""

from collections import defaultdict
from typing import Any, NamedTuple

from api.cli.site.shapes import INSIDE, REFERRED, SUBNET, TENANT, TOP, Shape, shapes_in
from api.cli.site.spelling import Fields
from api.client import Client
from ipam_core.dhcp import registry
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.model.families import FAMILIES, Family

FEW = 30
"""Subnets that are asked one by one."""
STATIC = {"dns-records": {"source": "static"}}
"""Records that follow leases and hosts come and go with them, and are no plan."""
GLOBAL = ("trusted-relays", *FAMILIES["deliveries"].above)
"""Families of which one without a tenant is for all."""


class Stored(NamedTuple):
    """An object of the server: its id and its fields in file terms. `row`: as the API shows it."""

    shape: Shape
    id: str
    fields: Fields
    row: Fields

    @property
    def what(self) -> str:
        return self.shape.label(self.fields)


class Server:
    """Reader of collections that remembers the names behind ids."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.names: dict[str, str] = {}
        self.ids: dict[tuple[str, str, str], str] = {}
        self.whole: dict[str, dict[str, list[Fields]]] = {}
        self.subnets = 0
        self.known: set[str] = set()
        self.rows: list[Fields] | None = None

    def tenants(self) -> list[Stored]:
        shape = shapes_in(TOP)[TENANT]
        return [self.stored(shape, row) for row in self.client.items("/tenants")]

    def definitions(self) -> dict[str | None, list[OptionDef]]:
        """Return option definitions by their tenant's name, None for the default one: they define the form of
        payloads."""
        tenants = {each.id: None if each.row["is_default"] else each.row["name"] for each in self.tenants()}
        found = defaultdict(list)
        for row in self.client.items("/option-definitions"):
            definition = registry.definition_from(row | {"is_array": row["array"]})
            found[tenants.get(row["tenant_id"])].append(definition)
        return found

    def of_tenant(self, shape: Shape, tenant: Fields | None) -> list[Stored]:
        """Return a list of a tenant as such; None: what is of no tenant."""
        family = shape.family.name
        rows = self.client.items(f"/{family}", tenant_id=tenant["id"] if tenant else None)
        if shape.family.alone:  # the list contains objects of subnets too
            rows = (row for row in rows if all(row[each.key] is None for each in shape.family.parents))
        if tenant is None:
            rows = (row for row in rows if row["tenant_id"] is None)
        return [self.stored(shape, row) for row in rows]

    def below(self, shape: Shape, parent: Stored) -> list[Stored]:
        """Return a list below an object."""
        if parent.shape.family.name == TENANT:
            return self.of_tenant(shape, parent.row)
        return [self.stored(shape, row) for row in self.rows_below(shape, parent)]

    def rows_below(self, shape: Shape, parent: Stored) -> list[Fields]:
        key, family = parent.shape.family.key, shape.family.name
        few = parent.shape.family.name == SUBNET and self.subnets <= FEW and family != "options"
        if few or family in STATIC:
            return list(self.client.items(f"/{family}", **{key: parent.id}, **STATIC.get(family, {})))
        if family not in self.whole:
            self.whole[family] = self.read_whole(shape)
        return self.whole[family].get(parent.id, [])

    def read_whole(self, shape: Shape) -> dict[str, list[Fields]]:
        """Read all objects, by the id of their parent."""
        above = shape.family.parents or (FAMILIES[INSIDE[shape.family.name]],)
        found = defaultdict(list)
        for row in self.client.items(f"/{shape.family.name}"):
            for id_ in filter(None, (row[each.key] for each in above)):
                found[id_].append(row)
        if shape.family.name == SUBNET:
            self.subnets = sum(map(len, found.values()))
        return found

    def stored(self, shape: Shape, row: Fields) -> Stored:
        fields = {
            name: self.named(row[field.api_name]) if field.refers else row[field.api_name]
            for name, field in shape.fields.items()
            if not field.hidden
        }
        return Stored(shape, row["id"], fields, row)

    def named(self, ids: Any) -> Any:
        """Return names for ids; of an object that was not read the id."""
        if isinstance(ids, list):
            return [self.named(each) for each in ids]
        return self.names.get(ids, ids)

    def names_known(self, tenant: str | None, family: Family) -> set[str]:
        """Return the names of a tenant's objects of a family to which fields can refer; None: the default tenant."""
        row = self.tenant_row(tenant)
        if row is None:
            return set()
        self.know(row)
        return {name for of, kind, name in self.ids if (of, kind) == (row["id"], family.name)}

    def tenant_row(self, name: str | None) -> Fields | None:
        if self.rows is None:
            self.rows = [each.row for each in self.tenants()]
        return next(
            (row for row in self.rows if (row["is_default"] if name is None else row["name"] == name)), None
        )

    def know(self, tenant: Fields) -> None:
        """Read, once, the objects to which fields of the tenant's objects can refer."""
        if tenant["id"] in self.known:
            return
        self.known.add(tenant["id"])
        for family in REFERRED:
            for row in self.client.items(f"/{family}", tenant_id=tenant["id"]):
                self.names[row["id"]] = row["name"]
                self.ids[tenant["id"], family, row["name"]] = row["id"]
