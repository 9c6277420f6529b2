"""Leases: what the DHCP servers granted; read here, and released on request.

A list goes by tenant and address, the key of the table, and its cursor is a lease's id. What an active row
says beyond its end is shown as expired: expiry is derived, and the servers write it later.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from ipam_core.db import queries
from ipam_core.errors import Conflict, NotFound
from ipam_core.model.actor import Actor
from ipam_core.model.device import architecture, parameter_list, user_class, vendor_class
from ipam_core.model.ids import new_id
from ipam_core.model.lease import (
    STATES,
    Lease,
    Reconfiguration,
    ReconfigureLease,
    ReserveLease,
    lease_id,
    parse_lease_id,
    relayed,
)
from ipam_core.model.page import Page, read_limit, unknown_cursor
from ipam_core.model.reservation import NewReservation, Reservation
from ipam_core.model.values import (
    Address,
    colons,
    encode_value,
    parse_address,
    parse_hostname,
    parse_instant,
    parse_mac,
    parse_network,
    parse_octets,
    rfc3339,
)
from ipam_core.services.entity import change_log, crud
from ipam_core.services.entity.change_log import Recorded
from ipam_core.services.entity.entity import Connection, Filter, Row, view_text
from ipam_core.services.entity.filters import TENANT, equal, host_filters, id_text, one_of, sought_text
from ipam_core.services.entity.lists import PAGING, Conditions, find_rows, read_filter
from ipam_core.services.entity.scans import Keyset
from ipam_core.services.reservations import RESERVATIONS

SQL = queries.load("lease")
RECONFIGURE = queries.load("reconfigure")
VIEW = view_text(SQL.lease_view)

# The kind of key and RFC 1700's number of Ethernet.
BY_ETHERNET = b"\x01\x01"


def mac_octets(text: str) -> bytes:
    return bytes.fromhex(parse_mac(text).replace(":", ""))


def starts(text: str) -> str:
    """Return the pattern of what begins with the text; LIKE's own characters stand for themselves."""
    plain = text.lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return plain + "%"


KEYS = Keyset("lease", (("tenant_no", "integer"), ("address", "inet")))

# No index holds the subnet of a lease; its addresses lie together in the key.
IN_SUBNET = """(lease.subnet_no = (select no from subnet where id = {})
  and lease.tenant_no = (select tenant_no from subnet where id = {})
  and lease.address >= (select host(network(cidr))::inet from subnet where id = {})
  and lease.address <= (select host(broadcast(cidr))::inet from subnet where id = {}))"""

# By its ends: a condition of networks is one of the key's order only while the planner sees the network itself.
WITHIN = """(lease.address >= host(network({}::cidr))::inet and lease.address <= host(broadcast({}::cidr))::inet)"""

# Leases with the name are found before the list is sorted. Without the subquery the planner reads the list in its order
# until it has met enough of them, which may be at the end. chr(1114111) sorts behind every continuation of a name.
NAMED = """lease.ctid = any(array(select named.ctid from lease named
  where lower(named.hostname) ~>=~ {}::text and lower(named.hostname) ~<~ ({}::text || chr(1114111))))"""

FEW = 10_000
"""Leases that are found by an index and put in order in a tenth of a second."""
NARROW = 1 << 16
"""Addresses, whose leases are read as quickly."""

# The leases that contain a text, as far as the follower of the search is: found first where they are few, else looked
# for along the list.
FEW_SOUGHT = Filter(
    "(lease.tenant_no, lease.address) in (select tenant_no, address from found_leases({}::jsonb, null, 2147483647))",
    sought_text,
    indexed=True,
)
MANY_SOUGHT = Filter(
    """exists (select from search_lease sought where sought.tenant_no = lease.tenant_no
  and sought.address = lease.address
  and search_place(sought.texts, {}::jsonb ->> 'text', {}::jsonb ->> 'digits') is not null)""",
    sought_text,
)

FILTERS = {
    **host_filters("lease.address"),
    "within": Filter(WITHIN, parse_network),
    **TENANT,
    "subnet_id": Filter(IN_SUBNET, id_text, indexed=True),
    "mac": Filter(queries.fragment("of_hardware", octets="{}"), mac_octets, indexed=True),
    "duid": equal("lease.duid", parse_octets, indexed=True),
    "client_id": equal("lease.client_id", parse_octets),
    "relay": equal("lease.relay", parse_address),
    "state": equal("shown.state", one_of(*STATES.values())),
    "hostname": Filter("lower(lease.hostname) like {}", starts),
    "expires_before": Filter("lease.expires_at < {}", parse_instant),
    "expires_after": Filter("lease.expires_at > {}", parse_instant),
    "q": MANY_SOUGHT,
}

FEW_NAMED = Filter(NAMED, str.lower, indexed=True)


def present(row: Row) -> Lease:
    shown = {name: encode_value(value) for name, value in row.items()}
    shown["id"] = lease_id(row["tenant_no"], row["ip"])
    del shown["tenant_no"]
    family = row["ip"].version
    shown["vendor_class"] = vendor_class(row["vendor_class"], family)
    shown["parameter_list"] = parameter_list(row["parameter_list"], family)
    del shown["client_options"]
    shown["user_class"] = user_class(row["client_options"], family)
    shown["architecture"] = architecture(row["client_options"], family)
    return Lease(**shown | relayed(row))


def key_of(actor: Actor, id_: str) -> tuple[int, Address]:
    key = parse_lease_id(id_)
    if key is None or actor.tenant_no not in (None, key[0]):
        raise NotFound("lease", id_)
    return key


async def read(connection: Connection, actor: Actor, id_: str) -> Lease:
    """Return the lease of an id, which is tenant and address; raises NotFound."""
    tenant_no, address = key_of(actor, id_)
    row = await connection.fetchrow(
        VIEW + " where lease.tenant_no = $1 and lease.address = $2", tenant_no, address
    )
    if row is None:
        raise NotFound("lease", id_)
    return present(row)


async def release(connection: Connection, actor: Actor, id_: str) -> Lease:
    """Return the lease after its end: its client is refused at its next renewal and others may have the address. A
    quarantine ends likewise. Raises NotFound, and Conflict where it is neither active nor in quarantine."""
    tenant_no, address = key_of(actor, id_)
    async with connection.transaction():
        before = await read(connection, actor, id_)
        if not await SQL.release_lease(connection, tenant_no=tenant_no, address=address):
            raise not_active(await read(connection, actor, id_))
        lease = await read_ended(connection, actor, id_, before)
        await change_log.record(connection, actor, [Recorded("lease", before, lease)], tenant_no, None)
    return lease


async def read_ended(connection: Connection, actor: Actor, id_: str, before: Lease) -> Lease:
    """Return ended leases. An address in quarantine because it answered a ping was nobody's lease, and is none now."""
    try:
        return await read(connection, actor, id_)
    except NotFound:
        return msgspec.structs.replace(before, state="released")


def not_active(lease: Lease) -> Conflict:
    return Conflict(f"the lease is {lease.state}, not active", {"state": lease.state})


async def reserve(connection: Connection, actor: Actor, id_: str, wanted: ReserveLease) -> Reservation:
    """Return a reservation of what the client has, under the identity by which it got it. Raises NotFound, and Conflict
    where the lease is not active, its subnet is gone, or the client has no identity that a reservation could name."""
    tenant_no, address = key_of(actor, id_)
    lease = await read(connection, actor, id_)
    if lease.state != "active":
        raise not_active(lease)
    if lease.subnet_id is None:
        raise Conflict("the subnet of the lease is deleted")
    row = await SQL.lease_identity(connection, tenant_no=tenant_no, address=address)
    command = NewReservation(
        **identity_of(row),
        **what_of(lease, address),
        hostname=wanted.hostname or sound_hostname(lease.hostname),
        description=wanted.description,
    )
    return await crud.create(connection, RESERVATIONS, actor, {"subnet_id": lease.subnet_id}, command)


async def reconfigure(
    connection: Connection, actor: Actor, id_: str, wanted: ReconfigureLease
) -> Reconfiguration:
    """Return the servers hear of it by the change row, whose transaction this is. Raises NotFound, and Conflict where
    the lease is not active or its client did not say that it accepts such messages."""
    tenant_no, _ = key_of(actor, id_)
    async with connection.transaction():
        lease = await read(connection, actor, id_)
        if lease.state != "active":
            raise not_active(lease)
        if not lease.accepts_reconfigure or lease.duid is None:
            raise Conflict("the client does not accept Reconfigure messages")
        told = await asked_of(connection, lease, wanted)
        await change_log.record(connection, actor, [Recorded("reconfiguration", None, told)], tenant_no, None)
    return told


async def asked_of(connection: Connection, lease: Lease, wanted: ReconfigureLease) -> Reconfiguration:
    row = await RECONFIGURE.replay_value(connection)
    now = rfc3339(row["now"])
    return Reconfiguration(
        id=str(new_id()),
        created_at=now,
        updated_at=now,
        lease_id=lease.id,
        ip=lease.ip,
        duid=lease.duid or "",
        message=wanted.message,
        replay=row["replay"],
    )


def identity_of(row: Row) -> dict[str, Any]:
    """Return the identity in the client's key: a MAC (Ethernet), a client id or a DUID."""
    if row["duid"] is not None:
        return {"duid": row["duid"]}
    if row["client_key"][:2] == BY_ETHERNET:
        return {"mac": colons(row["hw_address"])}
    if row["client_id"] is not None:
        return {"client_id": row["client_id"]}
    raise Conflict("the client has no identity that a reservation could contain")


def what_of(lease: Lease, address: Address) -> dict[str, Any]:
    if address.version == 6 and lease.prefix_length < address.max_prefixlen:
        return {"prefix": parse_network(f"{address}/{lease.prefix_length}")}
    return {"ip": address}


def sound_hostname(name: str | None) -> str | None:
    """Return clients send what they like; a reservation's name goes into DNS."""
    try:
        return None if name is None else parse_hostname(name)
    except ValueError:
        return None


async def find(connection: Connection, actor: Actor, query: Mapping[str, str]) -> Page[Lease]:
    """Return a page of leases in the order of tenant and address. Raises ValidationError for a parameter that is
    unknown or cannot be read."""
    limit = read_limit(query.get("limit"))
    conditions = Conditions()
    if actor.tenant_no is not None:
        conditions.add("lease.tenant_no = {}", actor.tenant_no)
    sought = "q" in query and await few_sought(connection, actor, query["q"])
    named = "hostname" in query and await few_named(connection, query["hostname"])
    chosen = ({"q": FEW_SOUGHT} if sought else {}) | ({"hostname": FEW_NAMED} if named else {})
    conditions.add_filters(FILTERS | chosen, query)
    conditions.indexed = conditions.indexed or named or sought or is_stretch(query)
    start = read_key(query["cursor"]) if "cursor" in query else None
    found = await find_rows(connection, VIEW, KEYS, conditions, start, limit, ("tenant_no", "ip"))
    return Page([present(row) for row in found.rows], lease_id(*found.after) if found.after else None)


async def few_named(connection: Connection, text: str) -> bool:
    begin = read_filter("hostname", FEW_NAMED, text)
    return bool(await SQL.count_named(connection, begin=begin, at_most=FEW + 1) <= FEW)


async def few_sought(connection: Connection, actor: Actor, text: str) -> bool:
    wanted = read_filter("q", FEW_SOUGHT, text)
    found = await SQL.count_sought(connection, question=wanted, tenant_no=actor.tenant_no, at_most=FEW + 1)
    return bool(found <= FEW)


def is_stretch(query: Mapping[str, str]) -> bool:
    """Return whether the key leads to what is asked for: a network that is small, or all leases of one."""
    if "within" not in query:
        return False
    alone = set(query) <= {"within", *PAGING}
    return alone or read_filter("within", FILTERS["within"], query["within"]).num_addresses <= NARROW


def read_key(cursor: str) -> tuple[int, Address]:
    key = parse_lease_id(cursor)
    if key is None:
        raise unknown_cursor()
    return key
