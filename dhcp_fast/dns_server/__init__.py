"""`ipam dns`: the authoritative server's process, with asyncio, SQL and dnspython around the answer path.

server.py        a process from its start to its end; http.py: its health, metrics.py: its numbers
rendering.py     RRsets of the database as octets; zone_loader.py: zones into memory, and every change after
streams.py       queries over TCP
secondaries.py   who copies which zone; transfers.py: AXFR and IXFR, notify.py: who is told of new serials,
                 secondary_watch.py: how far behind each is, tsig.py: signatures
"""
