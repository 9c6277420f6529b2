"""Slot of a packet from its arrival until its reply has left: buffers, its write, its place in the queues.

Datagrams are received straight into a slot. A packet that needs the database keeps its slot until the COMMIT; the
operation's octets point into the slot's own buffers.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.leases.lease_operation cimport LeaseOp
from dhcp_fast.net.datagram cimport RECEIVE_BUFFER, Datagram
from dhcp_fast.wire.codes cimport OPT_DHCP_MESSAGE_TYPE
from dhcp_fast.wire.packet4 cimport BOOTP, HEADER4

cdef enum:
    SLOTS = 16384
    NO_SLOT = 0             # slot 0 is never used
    SPILL = 1024
    HOST_NAME = 256
    REPLY_ROOM = 1536
    NO_STATUS = -1
    MAX_PARTS = 24          # leases of one message: 16 that it names, and what associations without any get

# The conversation behind an operation decides what a refused write means.
cdef enum Exchange:
    EXCHANGE_NONE           # nobody waits for an answer
    EXCHANGE_SELECTING
    EXCHANGE_INIT_REBOOT
    EXCHANGE_RENEWING
    EXCHANGE_REBINDING
    EXCHANGE_WITHDRAWN      # a NAK leaves after the row was revoked
    EXCHANGE_AT_ONCE        # no OFFER came before it: another address will do as well
    EXCHANGE_REGISTERING    # a host registers its own address
    EXCHANGE_ENDING         # a release or decline in DHCPv6, which is answered

# State of reading the lease's row: for the relay options of a client that renews by unicast
# (dhcp4/recall.pyx), or for the holder of a lease that the client has reserved
# (clients/tenure.pxd).
cdef enum Recall:
    RECALL_NONE
    RECALL_WANTED
    RECALL_DONE

cdef struct KeyNode:
    uint64_t key
    uint32_t bucket_next
    uint32_t next_waiter, last_waiter

cdef enum PartOutcome:
    PART_IDLE               # nothing is written of it
    PART_OPEN               # its operation is under way
    PART_WON
    PART_REFUSED

# One lease of a DHCPv6 message, which may ask for several, each written by an operation of its own.
cdef struct Part:
    uint64_t hi, lo         # the address, or the first one of the prefix
    uint32_t iaid
    uint32_t subnet_no      # the lease's; 0: none, or not known
    uint32_t preferred, valid   # lifetimes in the reply; 0: the lease is no longer the client's
    uint16_t ia_type
    uint16_t status         # of its association where it has no lease, or 0
    uint8_t ia              # which of the message's associations
    uint8_t prefix_length
    uint8_t outcome
    bint shown              # the answer has it
    bint lost               # it was the association's, or is of another link: another lease may take its place

# The operation of a packet's first lease is in the packet's own slot; each further one has a slot without a datagram.
cdef struct Slot:
    Datagram rx, tx
    LeaseOp op
    Exchange exchange
    uint8_t decided         # how often; a stale configuration lets it be decided again
    uint8_t asked           # addresses that were checked for it
    uint8_t recall          # a Recall
    uint8_t counted         # the values that it brings to templates were
    uint16_t recalled       # octets behind the request: the relay's address and what option 82 said with the grant
    uint8_t tenure          # a Recall
    uint8_t tenure_type     # of the lease, as LeaseOp has it
    bint tenure_same        # the row's client has the reservation's identity
    uint64_t tenure_version     # of that row
    bint unasked            # the last of them could not be
    uint8_t waits           # keys that an earlier operation holds
    uint32_t xid
    uint32_t circuit        # that its grant counts for while it is under way; 0: none
    int batch_index         # its place in its batch
    uint32_t next           # free list, ready list or batch
    KeyNode keys[2]         # the address and the client
    uint32_t packet         # the slot of the packet: most often this one
    uint32_t sibling        # the packet's next further slot; NO_SLOT: the last
    uint8_t part            # which of the packet's leases the operation is for
    uint8_t part_count
    uint8_t parts_open      # operations under way of a packet that may have several; 0 in DHCPv4
    bint abandoned          # one of them was dropped: the packet gets no answer, its client asks again
    bint unread             # nor where it names another's lease whose row may have become its own (rule 26)
    int status              # of the answer as a whole, or NO_STATUS
    uint32_t named_in       # the subnet of IPv6 by whose settings the operation's host name was made
    uint8_t said            # the type of the answer that is written
    Part parts[MAX_PARTS]
    uint16_t spill_used
    uint8_t request[RECEIVE_BUFFER]
    uint8_t reply[REPLY_ROOM]
    uint8_t host_name[HOST_NAME]
    uint8_t spill[SPILL]    # option values that were joined from pieces

cdef inline bint is_part(const Slot* slot, uint32_t index) noexcept nogil:
    """Return whether the operation in the slot is one of several of its packet, or may be."""
    return slot.packet != index or slot.sibling != NO_SLOT or slot.parts_open

cdef inline uint8_t reply_type(const Slot* slot) noexcept nogil:
    """Return the written reply's message type, its first option; a BOOTREPLY has none."""
    return slot.reply[HEADER4 + 2] if slot.reply[HEADER4] == OPT_DHCP_MESSAGE_TYPE else BOOTP
