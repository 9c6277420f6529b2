"""Packets in flight, in C: storm.pyx keeps a window of exchanges (exchanges.pyx), ledger.pyx knows who holds what.

storm6.pyx is the storm of DHCPv6 clients; server_id.py asks beforehand whom they will name. stub.pyx and stub6.pyx
answer without deciding anything, which shows a generator's own ceiling; messages6.pxd is what both ends read of
DHCPv6. template.py and template6.py say what a client sends, clients.pxd patches it. datagrams.pyx moves packets in
batches by the calls of linux.pxd; histogram.pyx keeps latencies. filling.py grants leases beforehand, following.py
tells how far a storm is; result.py is what it leaves.
"""
