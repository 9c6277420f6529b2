"""Renewals, one packet each way: each of them written, or early ones that the server answers from memory.

RFC 2131 section 4.4.5 has a client renew at half of its lease; one that was restarted, or whose relay asks for it,
renews earlier. A server may then answer with what is left of the lease instead of writing a new end: ours within
`cache_threshold`, a quarter of the lease; Kea with its lease cache, given the same quarter.
"""

from dhcp_fast.bench.scenarios.steady import Steady

#: So many that each is renewed once before: ours loads many leases in brief and reads the rest with the first renewal.
KNOWN = 50_000

RENEW = Steady("renew", "Clients with leases renew them; each renewal is a write.", "renew")
EARLY = Steady(
    "early",
    "Renewals within the first quarter of the lease, answered from memory (Kea: with its lease cache on).",
    "renew",
    cache_threshold=0.25,
    leases=KNOWN,
    warm_up=KNOWN,
)
