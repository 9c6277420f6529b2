"""Findings of `ipam relays check`, in the database itself."""

from collections.abc import Sequence

from ipam_core.db.connect import connect
from ipam_core.model.values import Network
from ipam_core.services.relay_check import Unbound, find_unbound


async def find(dsn: str, networks: Sequence[Network]) -> list[Unbound]:
    connection = await connect(dsn)
    try:
        return await find_unbound(connection, networks)
    finally:
        await connection.close()
