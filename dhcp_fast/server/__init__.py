"""One server process.

server.py         a process from its start to its end, in two stages:
startup.py        sockets, then plan and leases as soon as the database is there
serving.py        all that serves, wired together, and its loops
duties.py         what is done once a host, and by whom; a server that is alone does it itself
drain.py          a server that is taken out of service
relay_ownership.py    relays that are not bound to their tenant
addresses_in_use.py   relays in pools, whose addresses are not given
leasequery.py     who asks which leases there are; leasequery4.py, leasequery6.py: what each family is told
bulk_leasequery.py    the same over TCP, of many leases; bulk_leasequery4.py, bulk_leasequery6.py: what each is told;
                      lease_pages.py: the table, a page at a time; virtual_network.py: whose leases are meant
reconfigure.py    clients that are told to renew
wires.py          the interfaces that are served, bound as they come; link_watch.py: who hears of their changes;
                  held_sockets.py: the sockets that are then replaced
receiver.py       the clients' sockets on the loop; ping_timer.py: the ping check's
http.py           /readyz, /healthz, /metrics, /trace; metrics.py: the page; trace_stream.py: a client's packets
decision_log.py   one line a kind of unusual decision
"""
