"""A plan as the entries of a site file, so that both are compared with the server in the same way.

An import only makes: an object that is there already stays as it is, and where it differs that is said.
"""

from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any

from api.cli.site.comparing import Comparison
from api.cli.site.reading import Reader, SiteFile
from api.cli.site.shapes import TENANT, TOP, shape
from api.cli.site.steps import Step
from api.cli.site.stored import Server
from api.client import Client
from api.importers.plan import Plan, Planned
from ipam_core.model.families import CUTOVER
from ipam_core.untrusted_yaml import Entry

Network = IPv4Network | IPv6Network


def steps_of(server: Server, plan: Plan, file: str, tenant: str | None) -> list[Step]:
    """Return the objects that the server lacks, in the order of a cutover, and those that differ there, as updates that
    nobody performs. Subnets of the server that only contain planned objects (line 0) are not compared. Raises
    SiteError, which names file and line."""
    document = document_of(plan, prefixes_there(server, tenant))
    reader = Reader(server.definitions(), file)
    top = below_tenant(document, tenant) if tenant else document
    below = reader.lists(top, TOP, "", reader.around(None, document))
    reader.faults.refuse()
    steps = Comparison(server, SiteFile(file, None, below), prune=False).steps()
    told = [each for each in steps if each.change == "create" or (each.change == "update" and each.line)]
    return sorted(told, key=rank)


def rank(step: Step) -> int:
    name = step.shape.family.name.removeprefix("global-")
    return CUTOVER.index(name) if name in CUTOVER else -1


def below_tenant(document: Entry, tenant: str) -> Entry:
    top, entry = Entry(), Entry()
    entry["name"] = tenant
    entry.update(document)
    top[TENANT] = [entry]
    return top


def document_of(plan: Plan, there: list[Network]) -> Entry:
    """Return each object in the list of what it stands in."""
    top = Entry()
    entries: dict[str, Entry] = {}
    prefixes: dict[str, Entry] = {}
    for planned in (*(plan.there or ()), *plan.objects):
        parent = entries[planned.inside] if planned.inside else top
        entry = entry_of(planned, parent)
        if planned.family == "prefixes":
            entry["cidr"] = around(planned.fields["cidr"], there)
            entry = entries[planned.ref] = prefixes.setdefault(entry["cidr"], entry)
            if any(each is entry for each in parent.get("prefixes", ())):
                continue
        entries[planned.ref] = entry
        parent.setdefault(list_of(planned), []).append(entry)
    return top


def list_of(planned: Planned) -> str:
    """Return options that stand in nothing are global."""
    family = "global-options" if planned.family == "options" and not planned.inside else planned.family
    return shape(family).name


def entry_of(planned: Planned, parent: Entry) -> Entry:
    """Return the entry of an object; one from another file is in the source where its parent is."""
    entry = Entry()
    entry.line = parent.line if planned.file else planned.line
    entry.update(planned.fields)
    return entry


def prefixes_there(server: Server, tenant: str | None) -> list[Network]:
    """Return the prefixes of the tenant."""
    return [ip_network(row["cidr"]) for row in rows_of(server, tenant, "prefixes")]


def subnets_there(client: Client, tenant: str | None) -> list[Network]:
    """Return the subnets of the tenant; None: of the default one."""
    return [ip_network(row["cidr"]) for row in rows_of(Server(client), tenant, "subnets")]


def rows_of(server: Server, tenant: str | None, family: str) -> Iterator[dict[str, Any]]:
    """Yield a tenant's objects of a family; none of a tenant that does not exist yet."""
    row = server.tenant_row(tenant)
    if row is not None:
        yield from server.client.items(f"/{family}", tenant_id=row["id"])


def around(cidr: str, there: list[Network]) -> str:
    """Return the prefix in which a subnet is made: one that is there already holds it as well."""
    wanted = ip_network(cidr)
    for each in there:
        if each.version == wanted.version and wanted.subnet_of(each):  # type: ignore[arg-type]  # of one family
            return str(each)
    return cidr
