"""The requests that the API processes of one database have taken of each client, told to one another."""

from collections.abc import Mapping
from typing import NamedTuple
from uuid import UUID

from ipam_core.db import queries
from ipam_core.services.entity.entity import Connection

SQL = queries.load("rate")


class Asker(NamedTuple):
    """Caller that is counted, and its policy."""

    policy: str
    client: str


class Elsewhere(NamedTuple):
    """Requests of other processes in the last minute; for how many seconds the oldest of it counts."""

    requests: int
    seconds: float


async def exchange(
    connection: Connection, process: UUID, taken: Mapping[Asker, int]
) -> dict[Asker, Elsewhere]:
    """Report what this process has taken since the last time, and answers what the others have of the same clients."""
    policies, clients = [asker.policy for asker in taken], [asker.client for asker in taken]
    await SQL.note_requests(
        connection, process=process, policies=policies, clients=clients, requests=list(taken.values())
    )
    found = SQL.requests_elsewhere(connection, process=process, policies=policies, clients=clients)
    return {
        Asker(row["policy"], row["client"]): Elsewhere(row["requests"], row["seconds"]) async for row in found
    }


async def forget(connection: Connection) -> None:
    await SQL.forget_requests(connection)
