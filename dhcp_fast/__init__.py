"""The packet services: DHCP servers, and what rehearses, explains and measures them. Nothing here imports `api`.

    commands.py     what the `ipam` command brings from here, with probe_command.py; arguments.py reads what is typed;
                    run.py starts a server as those want it; scheduling.py: in real time
    explain.py      what a given client would get, decided by the engine itself; explain6.py: over
                    DHCPv6; explained_options.py: the notes on options
    trace.py        a client watched live; watching.py: how that is read from a server
    structures/     memory: bitmaps, hashes, huge pages; knows no DHCP
    wire/           octets to structs and back; knows no policy
    packets/        the readable codec in Python for probe, trace, replay and tests; shares nothing with wire
    leases/         the lease table in memory, offers, pools, circuits
    net/            sockets, datagrams in batches; no protocol
    pg/             PostgreSQL's own format: binding arrays, reading COPY
    plan/           the address plan as a packet needs it
    state/          what one server knows while it serves: slots, queue, clocks, limits
    dhcp4/          DHCPv4: one packet's decision; dhcp6/: DHCPv6's
    dns/            DNS: what a question gets, from zones in memory
    engine/         packets in batches, the plan replaced under them, leases loaded and fed
    database/       asyncio and SQL around the engine: plan/, leases/, heartbeat; no packets
    server/         one server process: sockets on the loop, health, metrics, the log
    dns_server/     the DNS server's process: zones loaded and followed, transfers, NOTIFY
    workers/        several processes a host; replay/: a capture decided anew
    bench/          the load generator: `ipam bench`, its servers, scenarios and reports
    probe/          a client for people: `ipam probe`

The law (tests/test_import_law.py), lower never imports higher: structures, wire, packets <- leases, net <- pg, dns <-
plan <- state <- dhcp4, dhcp6 <- engine <- database <- explain6 <- server, dns_server, explain <- workers, replay, trace
<- run <- arguments <- probe_command <- commands. `dns` sees structures, wire and net only. `engine` knows no SQL,
nothing below `database` knows asyncio; `bench` and `probe` see packets and watching, and `probe` the rooms of `bench`.

A packet's walk, one direction and one wait: recvmmsg (net/udp) -> parse (wire/packet4) -> whose subnet, which client
(dhcp4/subnet_selection, client) -> what it asks (dhcp4/messages). A DISCOVER is answered from memory (leases/offers). A
REQUEST becomes an operation with its reply written already (dhcp4/decision, reply) and waits (state/queue) until
database/leases/lease_writers has taken it, with all that arrived meanwhile, into one statement (engine/batch, pg/bind).
After COMMIT the replies of the rows that won leave together (net/udp); rows that lost are decided again (dhcp4/retry).
In DHCPv6 (dhcp6/, the same names) a message may be several operations, and its answer waits for all of them.
"""
