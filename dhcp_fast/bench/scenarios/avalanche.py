"""Scenario after a power cut: all clients that held leases come back at once, with the patience of real clients.

Each begins as soon as the generator can send for it and waits 4, 8, 16 seconds and more for an
answer, each one second more or less (RFC 2131 section 4.1). A packet that the server's socket
cannot hold costs its client such a wait, so the longest wait shows more than the rate. The leases
are half over: every answer is a write.
"""

from typing import Any

from rich.console import Console

from dhcp_fast.bench.report.figures import Figures
from dhcp_fast.bench.scenarios.bench_options import BenchOptions
from dhcp_fast.bench.scenarios.scenario import Contestant
from dhcp_fast.bench.scenarios.session import session
from dhcp_fast.bench.servers.servers import LEASE_SECONDS, Setup

# A REQUEST without an answer is tried four times, then the client is back in INIT (RFC 2131 section 4.4.1).
TRIES = 4
# Longer than the longest delay, so that a client that is still waiting is not given up.
PATIENCE = 90.0


class Avalanche:
    name = "avalanche"
    summary = (
        "100,000 clients with leases return at once, as after a power cut, with the retry times of real clients: "
        "time until all are served, and longest wait. --init-reboot: clients verify their addresses instead."
    )
    admits_peers = True

    def measure(self, contestant: Contestant, options: BenchOptions, console: Console) -> Figures:
        setup = Setup(
            leases=options.clients,
            age_seconds=LEASE_SECONDS / 2,
            cache_threshold=0.0,
            workers=options.workers,
        )
        storm: dict[str, Any] = {"backoff": True, "tries": TRIES, "patience": PATIENCE}
        with contestant.start(setup) as server, session(server, console, **storm) as run:
            label = f"{options.clients:,} clients at once"
            mix = "reboot" if options.reboot else "return"
            step = run.step(label, mix=mix, exchanges=options.clients, window=options.clients)
            facts = {
                "all_served_s": round(step.exchanges / max(step.per_second, 1e-9), 2),
                "worst_wait_s": round(step.latency_ms["max"] / 1000, 2),
                "unserved": options.clients - step.exchanges,
                "retransmits": step.retransmits,
                "lost_at_server": step.lost_at_server,
            }
            return run.figures(self.name, facts=facts)


AVALANCHE = Avalanche()
