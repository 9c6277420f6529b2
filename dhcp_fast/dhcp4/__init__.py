"""DHCPv4: the decision on one packet. Every function is C without the GIL and names its section of the RFC.

protocol.pyx          the interface to the engine
messages.pyx          decisions by message type, as in RFC 2131 section 4.3
decision.pxd          beginnings and ends of a decision
subnet_selection.pyx  the subnet of a packet
client.pyx            the client, and its reservation
classes.pyx           the classes of the client
recall.pyx            options that the client and its relay sent before
limits.pyx            limits of a relay, circuit or client
allocation.pyx        the address to offer
own_address.pyx       the address of a client that names none
reserved.pyx          the client of an entry; the client's reserved address under another key
lost_leases.pxd       leases that the database has lost and that are kept for their clients
ping_check.pyx        pings before an offer
rapid_commit.pyx      an address at once (RFC 4039)
retry.pyx             decisions after a write
reply.pyx             the reply, written
options.pyx           its options
hostname.pyx          its host name
reply_address.pyx     its destination
server_id.pyx         its source and server identifier
device.pyx            data of the device in a grant
kept_options.pyx      options that a client need not repeat
prefetch.pyx          prefetches of the memory that a batch will need
watched.pyx           packets of a traced client
"""
