"""The packet services: DHCP and DNS servers, with tools that rehearse, explain and measure them.
Nothing here imports `api`.

commands.py     subcommands of `ipam`, with probe_command.py; arguments.py: their arguments
run.py          the start of a server; scheduling.py: in real time
explain.py      the engine's own decision for a given client; explain6.py: over DHCPv6
explained_options.py   notes on options
trace.py        a client watched live; watching.py: how that is read from a server
structures/     memory: bitmaps, hashes, huge pages; without DHCP
wire/           octets to structs and back; without policy
packets/        the readable codec in Python for probe, trace, replay and tests; shares nothing with wire
leases/         the lease table in memory, offers, pools, circuits
net/            sockets, datagrams in batches; without the protocol
pg/             PostgreSQL's own format: binding arrays, reading COPY
plan/           the address plan as a packet needs it
state/          state of a running server: slots, queue, clocks, limits
clients/        knowledge of a client besides its leases
sharing/        leases that several workers and servers write, as one worker sees them
dhcp4/          DHCPv4: one packet's decision; dhcp6/: DHCPv6's
dns/            DNS: the answer to a question, from zones in memory
engine/         packets in batches, the plan replaced under them, leases loaded and fed
database/       asyncio and SQL around the engine: plan/, leases/, heartbeat; no packets
leasequery/     answers to relays that ask about leases
server/         one server process: sockets on the loop, health, metrics, the log
dns_server/     the DNS server's process: zones loaded and followed, transfers, NOTIFY
workers/        several processes per host; replay/: a capture decided again
bench/          the load generator: `ipam bench`, its servers, scenarios and reports
probe/          a test client for operators: `ipam probe`

Lower rooms never import higher ones; FLOORS in tests/test_import_law.py has their order. `dns`
imports structures, wire and net only. `engine` contains no SQL, and nothing below `database` uses
asyncio. `bench` and `probe` import packets and watching, and `probe` the rooms of `bench`.

The path of a packet has one direction and one wait: recvmmsg (net/udp) -> parse (wire/packet4) ->
subnet and client (dhcp4/subnet_selection, client) -> message (dhcp4/messages). A DISCOVER is
answered from memory (leases/offers). A REQUEST becomes an operation with its reply already written
(dhcp4/decision, reply). It waits (state/queue) until database/leases/lease_writers puts it, with
all others that are ready, into one statement (engine/batch, pg/bind). After COMMIT the replies of
the rows that won are sent together (net/udp); rows that lost are decided again (dhcp4/retry). In
DHCPv6 (dhcp6/, the same names) a message may be several operations, and its answer waits for all of
them.
"""
