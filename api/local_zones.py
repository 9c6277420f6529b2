"""`ipam zones check` on the host: zones of several tenants, read in the database itself."""

from ipam_core.db.connect import connect
from ipam_core.services import zone_check
from ipam_core.services.zone_check import ZoneFinding


async def find(dsn: str) -> list[ZoneFinding]:
    connection = await connect(dsn)
    try:
        return await zone_check.find(connection)
    finally:
        await connection.close()
