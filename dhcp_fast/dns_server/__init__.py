"""`ipam dns`: the process of the authoritative server, with asyncio, SQL and dnspython around the
answer path.

server.py            a process from its start to its end, and its health pages
metrics.py           numbers of the server
rendering.py         RRsets of the database as octets
zone_loader.py       zones in memory, and their changes
streams.py           queries over TCP
secondaries.py       permissions to copy a zone
secondary_watch.py   the lag of each secondary
transfers.py         AXFR and IXFR
notify.py            NOTIFY to secondaries
tsig.py              signatures
"""
