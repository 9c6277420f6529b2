"""A worker's numbers, without its loops: each stands in the reference, and those of the whole service are true."""

import asyncpg
from metric_reference import hold

from ipam_core.secrets import Keyring
from ipam_core.workers import metrics
from ipam_core.workers.worker import Worker

NODES = """
insert into node (id, name, role, version, state, heartbeat_at) values
  (gen_random_uuid(), 'one', 'dns', '1.0', 'ready', now()),
  (gen_random_uuid(), 'two', 'dns', '1.0', 'ready', now() - interval '1 min'),
  (gen_random_uuid(), 'three', 'dns', '1.0', 'stopped', now() - interval '1 min')"""


async def test_each_family_stands_in_the_reference(
    pool: asyncpg.Pool, database: str, keyring: Keyring
) -> None:
    worker = Worker(pool, database, keyring)
    hold(await metrics.families(worker), "Worker")


async def test_nodes_and_addresses_of_the_whole_service(
    pool: asyncpg.Pool, database: str, keyring: Keyring
) -> None:
    await pool.execute(NODES)
    page = await metrics.page(Worker(pool, database, keyring))
    for line in (
        'ipam_nodes{role="dns",state="ready"} 1.0',
        'ipam_nodes{role="dns",state="down"} 1.0',
        'ipam_nodes{role="dns",state="stopped"} 1.0',
        "ipam_managed_addresses 0.0",
    ):
        assert line in page
