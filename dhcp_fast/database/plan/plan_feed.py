"""Feed of operators' changes: the reader of `change` (engine rule 15).

A change is served as soon as it is visible. The window only sets where the next reading begins:
rows of transactions that began after one that is still running are remembered by number, so that
each is taken once.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from asyncpg import Connection

from ipam_core.db import queries

# A change of one of these may concern every subnet.
WIDE = {"tenant", "client_class", "dhcp_option", "option", "option_definition", "reservation"}

# These fields change no subnet: they are read with any subnets.
OVERALL = {"trusted_relay", "server_duid"}

# Not a change of the plan, but a message to clients (server/reconfigure.py).
RECONFIGURATION = "reconfiguration"


class Changes(NamedTuple):
    """Changes that a reading of the log found: `overall` outside of subnets, `everything` for all of them.

    The next reading begins at `bound` and `above`.
    """

    subnets: set[int]
    overall: bool
    everything: bool
    reconfigurations: list[Mapping[str, Any]]
    bound: str
    above: set[int]


class PlanFeed:
    """Feed of which subnets changed, and whether something changed that concerns all: `begin`, then `read` and
    `served`. A reading that is not followed by `served` is repeated by the next one."""

    def __init__(self) -> None:
        self.queries = queries.load("dhcp_plan")
        self.cursor = "0"
        self.above: set[int] = set()

    async def read(self, connection: Connection) -> Changes:
        """Return what was committed since the last reading that was `served`."""
        bound = (await self.queries.read_plan_position(connection))["xmin"]
        rows = [row async for row in self.queries.read_changes(connection, cursor=self.cursor, bound=bound)]
        fresh = [row for row in rows if row["no"] not in self.above]
        subnets = {row["subnet_no"] for row in fresh if row["subnet_no"] is not None}
        others = {row["object_type"] for row in fresh if row["subnet_no"] is None}
        above = {row["no"] for row in rows if row["is_above"]}
        told = [row for row in fresh if row["object_type"] == RECONFIGURATION]
        return Changes(subnets, bool(others & OVERALL), bool(others & WIDE), told, bound, above)

    def begin(self, position: str) -> None:
        """Begin: all that was committed below the position is in the engine."""
        self.cursor, self.above = position, set()

    def served(self, changes: Changes) -> None:
        """Note that changes are in the engine now; not before, because the database may go away between the two."""
        self.cursor, self.above = changes.bound, changes.above
