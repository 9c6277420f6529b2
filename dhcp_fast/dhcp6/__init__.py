"""DHCPv6: the decision on one message. Every function is C without the GIL and names its section of the RFC.

messages.pyx           decisions by message type, as in RFC 8415 section 18.3
associations.pyx       the leases of each association
decision.pyx           a message read, its leases and their operations noted
subnet_selection.pyx   the subnet of a message
client.pyx             the client, and its reservation
classes.pyx            the classes of the client
recall.pyx             options that the client sent before
allocation.pyx         the address or prefix
eligibility.pyx        leases that the plan permits to a client
holders.pyx            other holders of a lease; refresh.pyx: pools that seem exhausted
retry.pyx              decisions after a write
limits.pyx             limits of a client, relay or line
speaker.pyx            the subnet whose settings the answer contains
reply.pyx              the answer; options.pyx, hostname.pyx: its options
reconfigure.pyx        the key for Reconfigure messages
device.pyx             data of the device in a grant
kept_options.pyx       options that a client need not repeat
registration.pyx       addresses that hosts made themselves
watched.pyx            packets of a traced client
protocol.pyx           the interface to the engine
"""
