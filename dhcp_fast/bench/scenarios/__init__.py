"""Scenarios that `ipam bench` can measure, a module each; `SCENARIOS` is the order of "all" and of --help."""

from dhcp_fast.bench.scenarios.avalanche import AVALANCHE
from dhcp_fast.bench.scenarios.churn import CHURN
from dhcp_fast.bench.scenarios.dora import DISCOVER, DORA
from dhcp_fast.bench.scenarios.fill import FILL
from dhcp_fast.bench.scenarios.mixed import MIXED
from dhcp_fast.bench.scenarios.renew import EARLY, RENEW
from dhcp_fast.bench.scenarios.sarr import RENEW6, SARR, SARR_PD
from dhcp_fast.bench.scenarios.scale import SCALE
from dhcp_fast.bench.scenarios.scenario import Scenario
from dhcp_fast.bench.scenarios.soak import SOAK
from dhcp_fast.bench.scenarios.workers import WORKERS

IN_ORDER: tuple[Scenario, ...] = (
    DORA,
    DISCOVER,
    RENEW,
    EARLY,
    MIXED,
    CHURN,
    AVALANCHE,
    FILL,
    SOAK,
    SCALE,
    WORKERS,
    SARR,
    SARR_PD,
    RENEW6,
)
SCENARIOS: dict[str, Scenario] = {scenario.name: scenario for scenario in IN_ORDER}
