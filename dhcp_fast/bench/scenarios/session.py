"""A server under one scenario: its storm, its steps, and the audit of all of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console

from dhcp_fast.bench.generator import server_id
from dhcp_fast.bench.generator.following import drive
from dhcp_fast.bench.generator.result import RECORD, Result
from dhcp_fast.bench.generator.storm import Storm
from dhcp_fast.bench.generator.storm6 import Storm6
from dhcp_fast.bench.report.figures import Fact, Figures, Step, step_of
from dhcp_fast.bench.servers import bench_plan6
from dhcp_fast.bench.servers.processes import Theft, cpu_seconds, lost_datagrams
from dhcp_fast.bench.servers.servers import SEED, Server, ServerStartError

WARM_UP_WINDOW = 256
WARM_UP_SECONDS = 15.0


class Session:
    """Session that drives a server step by step; `log` contains the leases of the beginning and the
    ACKs of every step.
    """

    def __init__(self, server: Server, storm: Storm, console: Console) -> None:
        self.server = server
        self.storm = storm
        self.console = console
        self.log = [server.held]
        self.steps: list[Step] = []

    def warm_up(self, exchanges: int, *, mix: str = "dora", window: int = WARM_UP_WINDOW) -> Result:
        """Fill caches and prepared statements; the result counts for the audit only."""
        result = self.drive(
            "warming up", mix=mix, exchanges=exchanges, seconds=WARM_UP_SECONDS, window=window
        )
        if result.acks == 0:
            raise ServerStartError(self.server.name, "it answers no client of the warm-up")
        return result

    def step(self, label: str, *, facts: dict[str, Fact] | None = None, rate: int = 0, **run: Any) -> Step:
        """Drive one load (`Storm.run`) and keep its figures."""
        roots = self.server.processes()
        before = {name: cpu_seconds(pids) for name, pids in roots.items()}
        lost = lost_datagrams(self.server.address[1])
        theft = Theft()
        result = self.drive(label, rate=rate, **run)
        stolen = theft.share()
        spent = {name: cpu_seconds(pids) - before[name] for name, pids in roots.items()}
        step = step_of(
            label,
            result,
            rate=rate,
            lost=lost_datagrams(self.server.address[1]) - lost,
            spent=spent | {"generator": result.cpu},
            stolen=stolen,
            facts=facts or {},
        )
        self.steps.append(step)
        return step

    def drive(self, title: str, **run: Any) -> Result:
        title = f"{self.server.name}: {title}"
        result = drive(self.storm, self.console, title, realtime=self.server.realtime, **run)
        self.log.append(result.log)
        return result

    def figures(self, scenario: str, **more: Any) -> Figures:
        """Return all steps, and the verdict on what was acknowledged in them; to be called while its data is there."""
        found = self.server.verdict(b"".join(self.log), SEED)
        verdict, clean = (str(found), found.clean) if found else (None, True)
        return Figures(scenario, self.server.name, self.steps, verdict, clean, **more)


def storm_of(server: Server, **told: Any) -> Storm:
    """Return a storm of the server's family; DHCPv6 clients name their server, so one of them asks it for its name
    before."""
    if server.setup.family == 4:
        return Storm(server.address, **told)
    named = server_id.ask(server.address, bench_plan6.LINK)
    features = bench_plan6.features(named, delegation=server.setup.delegation)
    return Storm6(server.address, features=features, **told)


@contextmanager
def session(server: Server, console: Console, *, holders: int = 0, **storm: Any) -> Iterator[Session]:
    """Provide a session with a storm of its own. The ledger contains the server's leases; new
    clients are numbered after them, or after `holders` where the ledger does not contain all.

    Several workers are sent datagrams one by one: on the loopback interface, unlike on a network
    card, a message that the kernel is to cut would reach one worker whole. So are all servers with
    a plain setup.
    """
    held, plain = len(server.held) // RECORD.size, server.setup.plain
    told: dict[str, Any] = {"seed": SEED, "first_client": max(held, holders)}
    told |= {"segments": server.workers == 1 and not plain, "merged": not plain}
    made = storm_of(server, **(told | storm))
    try:
        made.ledger.hold(server.held)
        yield Session(server, made, console)
    finally:
        made.close()
