"""A network at work: four in five clients renew, each renewal a write, and the fifth is new."""

from dhcp_fast.bench.scenarios.steady import Steady

MIXED = Steady("mixed", "80 % renewals, each a write, and 20 % new clients.", "mixed")
