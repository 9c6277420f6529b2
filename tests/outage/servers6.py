"""A DHCPv6 server with the benchmark's plan, and the storm for it."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from outage.processes import Role
from ports import free_endpoint

from dhcp_fast.bench.generator import server_id
from dhcp_fast.bench.generator.storm import Storm
from dhcp_fast.bench.generator.storm6 import Storm6
from dhcp_fast.bench.servers import bench_plan6

Place = tuple[str, int]


@contextmanager
def serving(
    dsn: str, folder: Path, *, workers: int = 1, kind: Callable[..., Storm] | None = None
) -> Iterator[tuple[Role, Place, Callable[..., Storm]]]:
    """A server on ::1, its address, and the storm for it: clients name their server. `kind`: the storm for another one
    on the same database, which bears the same name."""
    if kind is None:
        asyncio.run(bench_plan6.insert(dsn, cache_threshold=0))
    listen = free_endpoint("::1")
    told = {"dhcp6_listen": f"[::1]:{listen.port}", "dhcp4_listen": "", "dhcp_workers": str(workers)}
    with Role(folder, "dhcp", "--family", "6", database_url=dsn, **told) as server:
        server.ready()
        place = (listen.host, listen.port)
        yield server, place, kind or storm_for(place)


def storm_for(place: Place) -> Callable[..., Storm]:
    named = server_id.ask(place, bench_plan6.LINK)
    return partial(Storm6, features=bench_plan6.features(named, delegation=True))
