"""A server process.

server.py            a process from its start to its end, in two stages
startup.py           sockets, then plan and leases as soon as the database is there
serving.py           all parts of a running server, connected, and its loops
duties.py            duties once per host; a server that is alone does them itself
drain.py             a server that is taken out of service
relay_ownership.py   relays that are not bound to their tenant
addresses_in_use.py  relays in pools, whose addresses are not allocated
reconfigure.py       requests to clients to renew
wires.py             interfaces that are served, bound when they appear
link_watch.py        changes of interfaces
held_sockets.py      sockets that are replaced after such a change
receiver.py          the clients' sockets on the loop
ping_timer.py        the ping check's socket and its time
http.py              /readyz, /healthz, /metrics, /trace
metrics.py           the page of metrics
trace_stream.py      packets of a traced client
decision_log.py      one line for each kind of unusual decision
"""
