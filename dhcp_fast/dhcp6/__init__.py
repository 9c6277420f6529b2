"""DHCPv6: what one message gets. Every function is C without the GIL and names its section of the RFC.

messages.pyx           by message type, as RFC 8415 section 18.3 has them; associations.pyx: what each association gets
decision.pyx           a message read, its leases and their operations noted
subnet_selection.pyx   whose subnet; client.pyx: which client, its reservation;
                       classes.pyx: the classes that it is in; recall.pyx: what it sent before
allocation.pyx         which address or prefix; eligibility.pyx: what the plan lets a client have;
                       holders.pyx: who else has it; refresh.pyx: pools that seem exhausted
retry.pyx              what follows a write; limits.pyx: what one may ask for
speaker.pyx            the subnet whose settings the answer contains
options.pyx, hostname.pyx, reply.pyx: what the answer says; reconfigure.pyx: the key for Reconfigure messages
device.pyx             what a grant tells of the device; kept_options.pyx: which options a client need not repeat
registration.pyx       addresses that hosts made themselves; watched.pyx: packets of a client that is traced
protocol.pyx           all of that as the engine calls it
"""
