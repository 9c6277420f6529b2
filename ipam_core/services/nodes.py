"""Nodes: the server processes, and the wish that one of them ends its work, or takes it up again.

They serve all tenants and are none's, so a token of one tenant does not see them.
"""

from ipam_core.db import queries
from ipam_core.errors import Conflict
from ipam_core.model.actor import Actor
from ipam_core.model.families import FAMILIES
from ipam_core.model.node import STATES, Node
from ipam_core.services.entity import crud
from ipam_core.services.entity.entity import Connection, Entity, Row, Write, view_text
from ipam_core.services.entity.filters import equal, one_of, texts
from ipam_core.services.entity.transition import transit

SQL = queries.load("node")

ALIVE = ("starting", "ready", "degraded", "draining")
SERVING = ("starting", "ready", "degraded")
"""Those that serve, or are about to."""
FAMILIES_SERVED = ("dhcp", "dhcp6")
"""Roles of DHCP servers, one a family."""
DRAINED = (*FAMILIES_SERVED, "worker")
"""Roles whose processes can leave their work to others while they run."""


async def drain(connection: Connection, actor: Actor, id_: str, force: bool = False) -> Node:
    """Return the node, draining; asking twice gives the same answer. Raises NotFound, and Conflict where it is stopped
    or down, is an API or DNS server, or is the last ready one of its kind and no admin forces it."""
    async with connection.transaction():
        await SQL.hold_drains(connection)
        _, row = await crud.lock(connection, NODES, actor, id_)
        if row["role"] not in DRAINED:
            raise undrainable(row)
        if row["state"] in SERVING and not may_silence(actor, row, force):
            await refuse_last(connection, row)
        drained = await SQL.is_drained(connection, no=row["no"])
        return await transit(
            connection, NODES, actor, id_, ALIVE + (("stopped",) if drained else ()), SQL.drain
        )


def undrainable(row: Row) -> Conflict:
    reason = f"a node with the role {row['role']} cannot be drained; stop the process instead"
    return Conflict(reason, {"state": row["state"], "role": row["role"]})


def may_silence(actor: Actor, row: Row, force: bool) -> bool:
    """Return whether the actor may drain the last ready node of a kind. What is no DHCP server may have its work
    waiting."""
    return actor.role == "admin" and (force or row["role"] not in FAMILIES_SERVED)


async def refuse_last(connection: Connection, row: Row) -> None:
    if not await SQL.others_ready(connection, no=row["no"]):
        reason = (
            f"{row['name']} is the last ready node with the role {row['role']}, and no other node would "
            "take over. Start or undrain another one first, or let an admin drain it with force=true"
        )
        raise Conflict(reason, {"state": row["state"], "role": row["role"], "last_ready": True})


async def undrain(connection: Connection, actor: Actor, id_: str) -> Node:
    """Return the node, which serves again soon; one that does not drain stays as it is. Raises NotFound, and Conflict
    where no process runs."""
    async with connection.transaction():
        _, row = await crud.lock(connection, NODES, actor, id_)
        drained = await SQL.is_drained(connection, no=row["no"])
        return await transit(
            connection, NODES, actor, id_, ALIVE + (("stopped",) if drained else ()), SQL.undrain
        )


async def before_delete(write: Write) -> None:
    """Refuse to forget a server that is alive. One that was only silent finds its row gone as if another had claimed
    its name."""
    state = write.current["state"] if write.current else ""
    if state in ALIVE or await SQL.is_drained(write.connection, no=write.no):
        raise Conflict(
            f"the node is {state}. Only a node that is stopped or down can be deleted", {"state": state}
        )


NODES = Entity(
    family=FAMILIES["nodes"],
    model=Node,
    view=view_text(SQL.node_view),
    scope="null::integer",
    owner="null::integer",
    before_delete=before_delete,
    filters={
        "name": equal("node.name"),
        "role": equal("node.role"),
        "state": equal("shown.state", one_of(*STATES)),
        "q": texts("node.name", "node.detail"),
    },
)
