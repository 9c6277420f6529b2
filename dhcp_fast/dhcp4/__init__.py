"""DHCPv4: what one packet gets. Every function is C without the GIL and names its section of the RFC.

messages.pyx           by message type, as RFC 2131 section 4.3 has them; decision.pxd: how a decision ends
subnet_selection.pyx   whose subnet; client.pyx: which client, its reservation;
                       classes.pyx: the classes that it is in; recall.pyx: what it and its relay sent before
reply_address.pyx      where the answer goes; server_id.pyx: and from which address of ours
limits.pyx             what a relay, circuit or client may ask for
allocation.pyx         which address; ping_check.pyx: is it in use? retry.pyx: what follows a write
rapid_commit.pyx       an address at once; options.pyx, hostname.pyx, reply.pyx: what the answer says
own_address.pyx        which address a client means that names none
holders.pxd            whose lease an entry is; reserved.pyx: the client's reserved address under another key
lost_leases.pxd        what the database has lost, and is kept for its client
device.pyx             what a grant tells of the device; kept_options.pyx: which options a client need not repeat
prefetch.pyx           asking for the memory that a batch will need; watched.pyx: packets of a client that is traced
protocol.pyx           all of that as the engine calls it
"""
