"""What `ipam bench` can measure, a module each; `SCENARIOS` is the order of "all" and of --help."""

from dhcp_fast.load.scenarios.avalanche import AVALANCHE
from dhcp_fast.load.scenarios.churn import CHURN
from dhcp_fast.load.scenarios.dora import DISCOVER, DORA
from dhcp_fast.load.scenarios.fill import FILL
from dhcp_fast.load.scenarios.mixed import MIXED
from dhcp_fast.load.scenarios.renew import EARLY, RENEW
from dhcp_fast.load.scenarios.sarr import RENEW6, SARR, SARR_PD
from dhcp_fast.load.scenarios.scale import SCALE
from dhcp_fast.load.scenarios.scenario import Scenario
from dhcp_fast.load.scenarios.soak import SOAK
from dhcp_fast.load.scenarios.workers import WORKERS

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
