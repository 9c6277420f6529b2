"""Alerts for pools that run full. There is an event when a pool passes its high-water mark, when
clients find no address in it, and when clients decline so many addresses that these stay in
service.

A client may find no address at any server, so every server reports it; the database stores it once.
Only the elected server watches the high-water mark, because servers count their own offers and
would not agree. It clears the alert when the pool is five points below the mark, so that a pool
near the mark is reported once.

Packets have their turn between the parts of a large plan.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from ipaddress import IPv4Address, IPv6Address

import asyncpg
from prometheus_client.core import GaugeMetricFamily

from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.pool_usage import (
    addresses,
    exhausted_pools,
    fullest_pools,
    pools_from,
    subnet_numbers,
)
from dhcp_fast.plan.compile import PoolUse
from ipam_core.services import pool_alerts
from ipam_core.services.pool_alerts import EXHAUSTED, HIGH, PoolLevel

HYSTERESIS = 5
SUBNETS_AT_ONCE = 1000  # looked at; a tenth of a millisecond
AT_ONCE = 200  # pools reported in one transaction; the others have their turn at the next look
SHOWN = 1000  # pools in /metrics, the fullest: a plan may have many times as many


async def look(engine: Engine, pool: asyncpg.Pool, high_percent: int, elected: bool) -> None:
    """Report new alerts; the elected server reports more kinds.

    Without any, no query is sent. After an error they are reported again, and the database stores
    each alert once.
    """
    exhausted = await in_parts(engine, partial(exhausted_pools, engine))
    declined = declined_addresses(engine)
    if exhausted or declined or elected:
        async with pool.acquire() as connection:
            await pool_alerts.raise_alerts(connection, EXHAUSTED, levels(exhausted))
            await pool_alerts.raise_storms(connection, declined)
            if elected:
                await compare(engine, connection, high_percent)


def declined_addresses(engine: Engine) -> dict[int, IPv4Address | IPv6Address]:
    """Return by the subnet's number an address that stayed in service although its client declined it."""
    address = IPv4Address if engine.family == 4 else IPv6Address
    return {no: address(number) for no, number in engine.decline_storms()}


async def compare(engine: Engine, connection: asyncpg.Connection, high_percent: int) -> None:
    """Compare the pools as they are with the present alerts."""
    alerts = await pool_alerts.read_alerts(connection, engine.family)
    least = max(1, (high_percent or 100) - HYSTERESIS) if alerts else high_percent
    crowded = await in_parts(engine, partial(pools_from, engine, least)) if least else []
    if high_percent:
        high = [use for use in crowded if is_high(use, high_percent) and (use.no, HIGH) not in alerts]
        await pool_alerts.raise_alerts(connection, HIGH, levels(high))
    if alerts:
        await pool_alerts.clear_alerts(connection, {no for no, _ in alerts} - {use.no for use in crowded})


async def in_parts(engine: Engine, find: Callable[[list[int]], list[PoolUse]]) -> list[PoolUse]:
    """Return what is found in all subnets. One that goes meanwhile is left out, one that comes has its turn the next
    time."""
    numbers, found = subnet_numbers(engine), []
    for at in range(0, len(numbers), SUBNETS_AT_ONCE):
        found += find(numbers[at : at + SUBNETS_AT_ONCE])
        await asyncio.sleep(0)
    return found


def is_high(use: PoolUse, percent: int) -> bool:
    return use.used * 100 >= use.usable * percent


def levels(uses: Iterable[PoolUse]) -> dict[int, PoolLevel]:
    told = {use.no: PoolLevel(use.used, use.usable) for use in uses}
    return dict(list(told.items())[:AT_ONCE])


def families(engine: Engine, tenants: Mapping[int, str]) -> Iterator[GaugeMetricFamily]:
    """Yield for /metrics all pools together, and of the fullest each by itself."""
    usable, used = addresses(engine)
    yield GaugeMetricFamily("ipam_dhcp4_pool_addresses", "Addresses of pools, without excluded ones.", usable)
    yield GaugeMetricFamily(
        "ipam_dhcp4_pool_addresses_used", "Addresses that are leased, quarantined or offered.", used
    )
    labels = ["tenant", "subnet", "pool"]
    address = IPv4Address if engine.family == 4 else IPv6Address
    text = f"Use of the {SHOWN} fullest pools, as a share."
    ratios = GaugeMetricFamily("ipam_dhcp4_pool_used_ratio", text, labels=labels)
    for use in fullest_pools(engine, SHOWN):
        subnet = f"{address(use.network)}/{use.prefix_length}"
        ends = f"{address(use.first)}-{address(use.last)}"
        tenant = tenants.get(use.tenant_no, str(use.tenant_no))
        ratios.add_metric([tenant, subnet, ends], use.used / use.usable if use.usable else 0.0)
    yield ratios
