"""DHCPv4: what one packet gets. Every function is C without the GIL and names its section of the RFC.

protocol.pyx          all of this as the engine calls it
messages.pyx          by message type, as RFC 2131 section 4.3 has them
decision.pxd          how a decision begins and ends
subnet_selection.pyx  whose subnet
client.pyx            which client, and its reservation
classes.pyx           the classes that it is in
recall.pyx            what it and its relay sent before
limits.pyx            what a relay, circuit or client may ask for
allocation.pyx        which address
own_address.pyx       which address a client means that names none
reserved.pyx          whose lease an entry is; the client's reserved address under another key
lost_leases.pxd       what the database has lost, and is kept for its client
ping_check.pyx        whether an address is in use
rapid_commit.pyx      an address at once (RFC 4039)
retry.pyx             what follows a write
reply.pyx             the reply, written
options.pyx           its options
hostname.pyx          the name that it tells
reply_address.pyx     where it goes
server_id.pyx         and from which address of ours
device.pyx            what a grant tells of the device
kept_options.pyx      which options a client need not repeat
prefetch.pyx          asking for the memory that a batch will need
watched.pyx           packets of a client that is traced
"""
