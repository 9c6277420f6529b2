"""Excludes: ranges that are never offered. None lies over a reservation, and no reservation inside one."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from ipam_core.db import queries
from ipam_core.errors import Conflict
from ipam_core.model.families import FAMILIES
from ipam_core.model.ranges import Exclude, NewExclude, check_range
from ipam_core.model.values import encode_value
from ipam_core.services.entity.entity import Entity, Write, view_text
from ipam_core.services.entity.filters import SUBNET, equal, range_filters, texts

SQL = queries.load("exclude")


async def validate(write: Write) -> Mapping[str, Any]:
    check_range(write.command, write.parent.cidr)
    await refuse_over_reservations(write)
    return {}


async def refuse_over_reservations(write: Write) -> None:
    wanted = write.command
    found = await SQL.reservations_in_range(
        write.connection, subnet_no=write.parent.subnet_no, start_ip=wanted.start_ip, end_ip=wanted.end_ip
    )
    write.batch.checks_anew(write)
    if found is not None and not write.batch.postpone(
        write, found["id"], partial(refuse_over_reservations, write)
    ):
        details = {"field": "start_ip", "reservations": found["reservations"]}
        first = {"type": "reservation", "id": str(found["id"]), "ip": encode_value(found["ip"])}
        raise Conflict(
            "the range contains reserved addresses; delete those reservations first",
            details | {"conflicts_with": first},
        )


EXCLUDES = Entity(
    family=FAMILIES["excludes"],
    model=Exclude,
    create=NewExclude,
    patch=NewExclude,
    view=view_text(SQL.exclude_view),
    keys=("subnet_no",),
    columns=("start_ip", "end_ip", "description"),
    scope="subnet.tenant_no",
    validate=validate,
    parents=frozenset({"subnet_id", "tenant_id"}),
    filters={
        **range_filters("exclude.start_ip", "exclude.end_ip"),
        **SUBNET,
        "description": equal("exclude.description"),
        "q": texts("exclude.description", "host(exclude.start_ip)", "host(exclude.end_ip)"),
    },
)
