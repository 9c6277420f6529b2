"""Packets in flight, in C.

storm.pyx        a storm of DHCPv4 clients; storm6.pyx: of DHCPv6 clients
exchanges.pyx    the window of exchanges in flight
ledger.pyx       the leases that the clients hold
server_id.py     the DUID of the server, which DHCPv6 clients name
stub.pyx         a server that answers without deciding anything: the generator's own ceiling; stub6.pyx
messages6.pxd    fields of DHCPv6 messages, for both ends
template.py      the packets that a client sends, template6.py; clients.pxd patches them
datagrams.pyx    packets in batches, by the calls of linux.pxd
histogram.pyx    latencies
filling.py       leases granted before a run
following.py     progress of a storm
result.py        the result of a storm
"""
