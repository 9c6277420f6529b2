"""`ipam bench`: how many durable exchanges a second, at what latency, at what cost, and is every one kept?

Each scenario starts each server anew, with an empty database or with the leases that it needs, and drives it
with the storm. CPU time is read from /proc around each step (the generator's from its thread's clock). At the
end the audit compares every ACK with PostgreSQL; the exit code is 1 when it is not clean. With a peer the
same generator drives the peer in the same run.
"""

import json
from datetime import UTC, datetime
from functools import partial
from typing import Any

import msgspec
from rich.console import Console

from dhcp_fast import scheduling
from dhcp_fast.bench.report import plots
from dhcp_fast.bench.report.figures import Figures, ratios
from dhcp_fast.bench.report.machine import in_words, machine
from dhcp_fast.bench.report.tables import print_figures, print_summary
from dhcp_fast.bench.scenarios import SCENARIOS
from dhcp_fast.bench.scenarios.bench_options import BenchOptions
from dhcp_fast.bench.scenarios.scenario import Contestant, Start
from dhcp_fast.bench.servers import peers, servers
from dhcp_fast.bench.servers.databases import FOLDER

#: Columns of a table that goes into a file or a pipe.
FILE_WIDTH = 160


def bench(options: BenchOptions) -> int:
    """Measure, print, write, draw; the exit code."""
    if options.plots:
        plots.require()
    if options.peer:
        peers.require()
    if options.realtime:
        scheduling.require()
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = FILE_WIDTH
    facts = machine(FOLDER)
    console.print(in_words(facts))
    if options.realtime:
        console.print("Server, lease writers' sessions and generator are scheduled in real time.")
    measured = []
    for name in SCENARIOS if options.brief else options.scenarios:
        for contestant in contestants(options, console):
            if contestant.is_peer and not SCENARIOS[name].admits_peers:
                continue
            measured.append(SCENARIOS[name].measure(contestant, options, console))
            print_figures(measured[-1], console)
    if len(measured) > 1:
        print_summary(measured, console)
    found = as_json(options, facts, measured)
    if options.report:
        options.report.write_text(json.dumps(found, indent=1) + "\n")
    if options.plots:
        plots.draw(found, options.plots)
    return 0 if all(figures.clean for figures in measured) else 1


def contestants(options: BenchOptions, console: Console) -> list[Contestant]:
    """Return the servers in the order of driving, ours first."""
    if options.stub:
        return [Contestant("stub", servers.stub)]
    found = [Contestant("ipam", partial(servers.ours, realtime=options.realtime, console=console))]
    if options.peer:
        found.append(Contestant("Kea, PostgreSQL", peers.kea_on_postgresql, is_peer=True))
        found.append(Contestant("Kea, memory file", peers.kea_in_memory, is_peer=True))
    return [each._replace(start=plainly(each.start)) for each in found] if options.plain else found


def plainly(start: Start) -> Start:
    return lambda setup: start(msgspec.structs.replace(setup, plain=True))


def as_json(options: BenchOptions, facts: dict[str, str], measured: list[Figures]) -> dict[str, Any]:
    return {
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": facts,
        "request": msgspec.to_builtins(options, enc_hook=str),
        "results": msgspec.to_builtins(measured),
        "ratios": ratios(measured),
    }
