"""What processes show that need nothing to be started for it; those of servers stand beside their tests."""

import time

from metric_reference import hold, read

from api.http.metrics import Metrics
from dhcp_fast.workers.metrics import Ledger, Shown
from ipam_core.processes.supervisor import Part, Supervisor

RECEIVED = """\
# HELP ipam_dhcp4_packets_received_total DHCPv4 messages received, by type.
# TYPE ipam_dhcp4_packets_received_total counter
ipam_dhcp4_packets_received_total{type="discover"} 1.0
"""


def test_of_the_api() -> None:
    metrics = Metrics()
    metrics.show_streams(lambda: 0)
    metrics.count("GET", 200, time.perf_counter())
    hold(read(metrics.page()), "API")


def test_of_a_host_with_several_workers() -> None:
    page = Ledger().join({0: RECEIVED}, [Shown(0, True, 0)])
    own = [family for family in read(page) if family.name != "ipam_dhcp4_packets_received"]
    hold(own, "DHCP host with several workers", whole=False)


def test_of_ipam_up() -> None:
    supervisor = Supervisor([Part("api", ["true"], lambda _: {})])
    hold(read(supervisor.own_metrics({})), "Supervisor (ipam up)", whole=False)
