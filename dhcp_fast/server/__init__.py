"""A server process.

server.py             a process from its start to its end, in two stages:
startup.py            sockets, then plan and leases as soon as the database is there
serving.py            all parts of a running server, connected, and its loops
duties.py             duties once per host; a server that is alone does them itself
drain.py              a server that is taken out of service
relay_ownership.py    relays that are not bound to their tenant
addresses_in_use.py   relays in pools, whose addresses are not allocated
leasequery.py         queries for leases; their answers: leasequery4.py, leasequery6.py
bulk_leasequery.py    queries for many leases over TCP; their answers: bulk_leasequery4.py, bulk_leasequery6.py
lease_pages.py        leases of the table, a page at a time
virtual_network.py    the tenant of a bulk query
reconfigure.py        requests to clients to renew
wires.py              interfaces that are served, bound when they appear
link_watch.py         changes of interfaces; held_sockets.py: sockets that are then replaced
receiver.py           the clients' sockets on the loop; ping_timer.py: the socket of the ping check
http.py               /readyz, /healthz, /metrics, /trace; metrics.py: the page
trace_stream.py       the packets of a client
decision_log.py       one line per kind of unusual decision
"""
