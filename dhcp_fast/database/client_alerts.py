"""Clients of which two use one identity at once (state/shared_identity.pxd): an event, at most one an hour."""

from ipaddress import IPv4Address, IPv6Address

import asyncpg

from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.notices import shared_identities
from ipam_core.services.client_alerts import Sharing, raise_shared


async def look(engine: Engine, pool: asyncpg.Pool) -> None:
    """Report what was seen since the last look. After an error it is seen again, at the next renewal."""
    address = IPv4Address if engine.family == 4 else IPv6Address
    found = [
        Sharing(no, address(number), card, identity)
        for no, number, card, identity in shared_identities(engine)
    ]
    if found:
        async with pool.acquire() as connection:
            await raise_shared(connection, found)
