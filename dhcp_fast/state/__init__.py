"""State: what one server knows while it serves; every decision gets a pointer to it.

state.pxd             the whole of it: plan, leases, clocks, counters; clock.pyx: the database's, read from here
protocol.pxd          what the engine asks of DHCPv4 and of DHCPv6
slot.pxd              one packet on its way; queue.pyx: those that wait for the database
lease_cache.pyx       rows of leases, from wherever they come, taken into memory
occupancy.pyx         which addresses are taken, by leases and offers; occupancy6.pyx: which indices of IPv6 pools
declines.pyx          who put addresses out of service; decline_table.pxd: within the last hour
recalled.pyx          what a client sent with its grant, for a later packet; remembered.pxd: with its DISCOVER
tenure.pxd            who holds a reserved lease; shared_identity.pxd: clients that use one identity at once
plan_doubt.pxd        refusals for which the configuration is looked at first
holds.pyx             addresses that clients select from other servers just now
early_renewal.pyx     what memory may answer by itself; superseding.pyx: leases whose client has another
naming.pyx            what a client is called; class_notes.pyx: what its classes are called, and what it brings to
                      templates
unknown_relays.pyx    relays that are not trusted; withheld_relays.pyx: trusted ones whose address lies in a pool
                      (seen_relays.pxd)
expiry.pyx            leases whose time is over; token_bucket.pyx: rates; circuit_limit.pyx: leases a circuit
pool_trial.pyx        IPv6 pools with leases and offers, for their model test
lease_ownership.pyx   what a worker knows of the leases of its host's other workers
foreign_doubts.pyx    which of these may be lost, after a promotion or a restore, and until when
reasons.pxd           why a packet got no answer, and what is unusual; generated from ipam_core/dhcp/reasons.py
undecided.pxd         packets that are dropped undecided: at a start, when drained, without room
samples.pxd           one packet for each kind of log line; ping_table.pxd: echo requests that are out
own_addresses.pyx     addresses of this host's interfaces, as the kernel has them now
rendezvous.pyx        which DHCPv6 servers share the messages, and which relays send to us alone
trace_ring.pyx        copies of a watched client's packets; trace_entry.pxd: their shape
"""
