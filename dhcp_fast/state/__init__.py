"""State of a running server; every decision gets a pointer to it.

state.pxd            the whole of it: plan, leases, clocks, counters
clock.pyx            the time of the database, read from here
protocol.pxd         the interface of DHCPv4 and of DHCPv6 to the engine
slot.pxd             one packet on its way
queue.pyx            slots that wait for the database
occupancy.pyx        which addresses are taken, by leases and offers
occupancy6.pyx       which indices of IPv6 pools are taken
token_bucket.pyx     rates
reasons.pxd          why a packet got no answer, and what is unusual; generated from ipam_core/dhcp/reasons.py
undecided.pxd        packets that are dropped undecided: at a start, when drained, without room
plan_doubt.pxd       refusals before which the configuration is looked at in the database
decline_table.pxd    declines within the last hour
shared_identity.pxd  clients that use one identity at once
samples.pxd          one packet for each kind of log line
ping_table.pxd       echo requests that are out
own_addresses.pyx    addresses of this host's interfaces, as the kernel has them now
seen_relays.pxd      addresses that relays use
unknown_relays.pyx   relays that are not trusted
withheld_relays.pyx  trusted relays whose address lies in a pool
rendezvous.pyx       which DHCPv6 servers share the messages, and which relays send to us alone
trace_entry.pxd      the shape of a copied packet
trace_ring.pyx       copies of a watched client's packets
"""
