"""DNS servers: where updates go and with which credentials. Those are sealed, and never shown again."""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from ipam_core.db import queries
from ipam_core.errors import Conflict, ValidationError
from ipam_core.model.dns_server import DnsServer, DnsServerFields, NewDnsServer, check_dns_server
from ipam_core.model.families import FAMILIES, in_words
from ipam_core.model.ids import parse_id
from ipam_core.services.entity.entity import Entity, Write, view_text
from ipam_core.services.entity.filters import TENANT, equal, one_of, texts
from ipam_core.services.entity.parents import SQL as PARENTS
from ipam_core.services.entity.rights import refuse_new_values
from ipam_core.services.entity.secret_fields import seal_secret
from ipam_core.services.entity.writers import moves, refuse_host, refuse_url, written_by_tenant

SQL = queries.load("dns_server")

DNS_PORT = 53
ADAPTERS = ("ad_gsstsig", "bind_tsig", "powerdns_http", "embedded")


# Where updates are sent; the KDCs of a realm are part of it.
DESTINATION = ("adapter", "address", "port", "url", "principal", "realm")
# Fields that name the peer of a connection; a port or an adapter does not.
TARGETS = ("address", "url", "principal", "realm")
# Fields that decide where and how the secret is sent, or what it signs.
TARGET = (*DESTINATION, "key_name", "key_algorithm", "server_id")
# A file of the workers' host belongs to no tenant: a tenant that names it could use the keys of another one.
FILES = ("keytab", "ticket_cache")
USED_WITH_FILES = ("adapter", "address", "port", "principal", "realm")


async def validate(write: Write) -> Mapping[str, Any]:
    check_dns_server(write.command, has_secret=will_have_secret(write))
    refuse_new_values(write, *FILES)
    if any(getattr(write.command, name) is not None for name in FILES):
        refuse_new_values(write, *USED_WITH_FILES)
    refuse_other_target(write)
    by_tenant = await written_by_tenant(write, DESTINATION, TARGETS, SQL.stored_by_tenant)
    if moves(write, DESTINATION):
        refuse_destination(write, by_tenant=by_tenant)
    return {
        "secret": await seal_secret(write, "dns_server", SQL.stored_secret),
        "by_tenant": by_tenant,
    }


def refuse_destination(write: Write, *, by_tenant: bool) -> None:
    """Raise ValidationError for a literal that updates and NOTIFY may not be sent to; this host itself is open to an
    operator."""
    wanted: DnsServerFields = write.command
    if wanted.address is not None:
        port = wanted.port or DNS_PORT
        refuse_host(write, "address", wanted.address, port, by_tenant=by_tenant, on_host=not by_tenant)
    if wanted.url is not None:
        refuse_url(write, wanted.url, by_tenant=by_tenant, on_host=not by_tenant)


def will_have_secret(write: Write) -> bool:
    if write.command.secret is UNSET:
        return write.current is not None and bool(write.current["has_secret"])
    return write.command.secret is not None


def refuse_other_target(write: Write) -> None:
    """Raise ValidationError: whoever may change a server but does not know its secret must not have it sent
    elsewhere."""
    if write.current is None or not write.current["has_secret"] or write.command.secret is not UNSET:
        return
    moved = [name for name in TARGET if getattr(write.command, name) != write.current[name]]
    if moved:
        raise ValidationError(
            "secret", f"is required again, because {moved[0]} changes where or how the secret is used"
        )


async def before_delete(write: Write) -> None:
    """Refuse the deletion while zones and subnets use the server: even a cascade does not delete them."""
    users = await SQL.users(write.connection, no=write.no)
    present = {plural: number for plural, number in users.items() if number}
    if present:
        what = ", ".join(f"{number} {in_words(plural)}" for plural, number in present.items())
        raise Conflict(f"{what} use this DNS server", {"children": present})


async def find_server(write: Write, id_: str | None, field: str = "dns_server_id") -> int | None:
    """Return the number of a DNS server of the tenant, held until the COMMIT; None for none. Raises ValidationError on
    the field."""
    if id_ is None:
        return None
    row = await PARENTS.share_dns_server(write.connection, id=parse_id(id_), tenant_no=write.parent.tenant_no)
    if row is None:
        raise ValidationError(field, "this DNS server does not exist in the tenant")
    no: int = row["no"]
    return no


DNS_SERVERS = Entity(
    family=FAMILIES["dns-servers"],
    model=DnsServer,
    create=NewDnsServer,
    patch=DnsServerFields,
    view=view_text(SQL.dns_server_view),
    keys=("tenant_no",),
    columns=(*DnsServerFields.__struct_fields__, "by_tenant"),
    scope="dns_server.tenant_no",
    validate=validate,
    before_delete=before_delete,
    parents=frozenset({"tenant_id"}),
    filters={
        **TENANT,
        "name": equal("dns_server.name"),
        "adapter": equal("dns_server.adapter", one_of(*ADAPTERS)),
        "address": equal("dns_server.address"),
        "q": texts("dns_server.name", "dns_server.description", "dns_server.address", "dns_server.url"),
    },
)
