"""A database with the benchmark's plan for each test, on the run's server or on one that the test may kill."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from harness import prepared_folder
from outage.clusters import Cluster, cluster, make_template
from outage.databases import Database, planned

from dhcp_fast.bench.servers import bench_plan


@pytest.fixture
async def plan_database(database: str) -> AsyncIterator[str]:
    """The DSN of a migrated database with the plan; every renewal is written."""
    await bench_plan.insert(database, cache_threshold=0)
    return database


@pytest.fixture
def own_database(prepared_dir: Path) -> Iterator[Database]:
    with planned(prepared_dir) as database:
        yield database


@pytest.fixture(scope="session")
def cluster_template(run_folder: Path) -> Path:
    return prepared_folder.once(run_folder, "cluster", make_template)


@pytest.fixture
def oldest(cluster_template: Path, data_dir: Path) -> Iterator[Cluster]:
    """PostgreSQL 15 with the schema and the plan."""
    with cluster(cluster_template, data_dir.parent) as made:
        yield made
