"""Databases of versions before 0.2.0, which had 68 steps instead of the baseline.

One that has all of them is taken over as it is, because the baseline creates what they had led to. Every other one is
refused before anything changes.
"""

import psycopg

from ipam_core.db.schema import Records
from ipam_core.errors import UnfitDatabase

LAST = "0070.hardware"
STEPS = 68
COMMIT = "9bd9baa2"
"""A version that has all of these steps, and brings older databases to them."""

ROWS = "select count(*), max(migration_id) from _yoyo_migration"

# Remove what only servers of earlier versions used. Two constraints were added without a check of the existing rows,
# which meet them. The row in the old list of steps makes earlier versions refuse the database.
TAKE_OVER = """
drop function if exists delegable;
drop type if exists lease_operation, lease_write, lease_change, lease_device;
drop table if exists ddns_name;
alter table dns_record validate constraint dns_record_source_check;
alter table webhook_delivery validate constraint webhook_delivery_of_one;
insert into _yoyo_migration (migration_hash, migration_id, applied_at_utc)
values ('0071.baseline', '0071.baseline', now() at time zone 'UTC') on conflict do nothing;
"""


def check(connection: psycopg.Connection, records: Records) -> bool:
    """Return whether the database is to be taken over. Raises UnfitDatabase for one that lacks steps."""
    there = connection.execute("select to_regclass('_yoyo_migration') is not null").fetchone()
    if records or not there or not there[0]:
        return False
    count, last = connection.execute(ROWS).fetchone() or (0, None)
    if (count, last) != (STEPS, LAST):
        raise UnfitDatabase(
            f"its schema is {last}, of a version before 0.2.0: first run `ipam migrate` of commit {COMMIT}, "
            "or use an empty database"
        )
    return True
