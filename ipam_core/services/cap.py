"""The licence cap: reservations and assignments of all tenants together.

The look is after the insertion and under a lock that lasts until the COMMIT, so that of two writers the later
one counts the earlier one's row. It stops counting at the cap: that is all it needs to know.
"""

from ipam_core.db import queries
from ipam_core.errors import LicenseLimit
from ipam_core.services.noun import Change

SQL = queries.load("cap")


async def settle(change: Change) -> None:
    limit = change.actor.managed_ip_cap
    if not limit:
        return
    await SQL.lock_cap(change.connection)
    if await SQL.count_managed(change.connection, at_most=limit + 1) > limit:
        raise LicenseLimit(limit)
