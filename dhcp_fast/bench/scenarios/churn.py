"""Clients that come and go: each gives its address back and asks at once for one again."""

from dhcp_fast.bench.scenarios.steady import Steady

CHURN = Steady(
    "churn",
    "Clients with leases release them and request new ones at once: RELEASE, DISCOVER, OFFER, REQUEST, ACK.",
    "churn",
)
