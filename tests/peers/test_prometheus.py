"""Prometheus's own tool reads what deploy/ brings for it, and the pages of all processes."""

import subprocess
import time
from contextlib import AsyncExitStack
from pathlib import Path

import asyncpg
import pytest
from answers.serving import add_zone, serving
from engine.serving import Servers
from engine.site import Site
from system import peers

from api.http.metrics import Metrics
from dhcp_fast.dns_server import metrics as of_dns
from dhcp_fast.server import metrics as of_dhcp
from ipam_core.db.connect import connect
from ipam_core.processes import metrics_text
from ipam_core.secrets import Keyring
from ipam_core.workers import metrics as of_worker
from ipam_core.workers.worker import Worker

pytestmark = [pytest.mark.peers, pytest.mark.peer("promtool")]
RULES = Path(__file__).parents[2] / "deploy" / "prometheus"
UNIT = Path(__file__).with_name("alerts.test.yml")


def promtool(*arguments: str | Path, page: str = "") -> None:
    command = [peers.program("promtool"), *arguments]
    ended = subprocess.run(
        command, input=page, capture_output=True, text=True, check=False, env=peers.environment(), timeout=60
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_rules_and_the_example_are_read() -> None:
    promtool("check", "rules", RULES / "ipam.rules.yml")
    promtool("check", "config", RULES / "prometheus.yml")


def test_alerts_are_raised_when_they_should_be() -> None:
    promtool("test", "rules", UNIT)


async def test_pages_break_no_rule_of_naming(
    pool: asyncpg.Pool, database: str, keyring: Keyring, tmp_path: Path
) -> None:
    """Each page by itself, and all as `ipam up` joins them."""
    api = Metrics(1000)
    api.count("GET", 200, time.perf_counter())
    pages = {"api": api.page(), "worker": await of_worker.page(Worker(pool, database, keyring))}
    await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"))
    async with serving(database, tmp_path) as served:
        pages["dns"] = of_dns.text(served.server)
    pages["dhcp"] = await page_of_dhcp(database)
    for page in (*pages.values(), metrics_text.join(pages)):
        promtool("check", "metrics", page=page)


async def page_of_dhcp(database: str) -> str:
    session = await connect(database)
    try:
        subnet = await (await Site.create(session)).subnet(5)
        await subnet.pool(100, 199)
        async with AsyncExitStack() as stack:
            return of_dhcp.text(await Servers(database, stack).start())
    finally:
        await session.close()
