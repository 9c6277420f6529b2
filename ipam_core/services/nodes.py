"""Nodes: the server processes, and the wish that one of them ends its work.

They serve all tenants and are none's, so a token of one tenant does not see them.
"""

from ipam_core.db import queries
from ipam_core.errors import Conflict
from ipam_core.model.actor import Actor
from ipam_core.model.families import FAMILIES
from ipam_core.model.node import STATES, Node
from ipam_core.services.entity.entity import Connection, Entity, Write, view_text
from ipam_core.services.entity.filters import equal, one_of, texts
from ipam_core.services.entity.transition import transit

SQL = queries.load("node")

ALIVE = ("starting", "ready", "degraded", "draining")


async def drain(connection: Connection, actor: Actor, id_: str) -> Node:
    """The node, draining; asking twice gives the same answer. Raises NotFound, and Conflict where it is stopped or
    down."""
    return await transit(connection, NODES, actor, id_, ALIVE, SQL.drain)


async def before_delete(write: Write) -> None:
    """A server that is alive is not forgotten. One that was only silent finds its row gone as if another had claimed
    its name."""
    state = write.current["state"] if write.current else ""
    if state in ALIVE:
        raise Conflict(
            f"the node is {state}; only one that is stopped or down can be deleted", {"state": state}
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
