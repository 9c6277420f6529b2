"""A received DHCPv4 message as pointers into its datagram (RFC 2131 section 2, figure 1).

Nothing is copied but options that were split (RFC 3396), which are joined in `scratch`. A `Packet4` is valid as
long as the datagram's buffer is. Three outcomes for an option: present (`data` set), absent (`data` NULL), or the
whole message is malformed and `parse4` says why.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.wire.faults cimport Fault

cdef enum:
    HEADER4 = 240               # fixed part (236) and magic cookie (4)
    MIN_DHCP_MESSAGE = 576      # RFC 2131 section 2: what every client accepts, IP and UDP headers included
    SCRATCH = 4096
    BOOTP = 0                   # in place of a message type: there is none (RFC 951)

cdef struct Field:
    const uint8_t* data
    uint16_t length

cdef struct Packet4:
    const uint8_t* raw
    uint32_t xid, ciaddr, yiaddr, giaddr
    uint16_t secs, flags
    uint8_t op, htype, hlen, hops
    uint8_t message_type
    uint64_t present[4]
    Field options[256]
    # relay agent information (RFC 3046), NULL where absent
    Field circuit_id, remote_id, relay_id, subscriber_id, link_selection, server_override, relay_flags
    Field network               # RFC 6607: the virtual network that the relay names
    Field used_network          # the one by which the tenant was chosen, if it was
    Field relay_said            # all of it as it came; cleared where any client could have said it
    Field relay_echo            # what comes back of it all
    bint relay_port             # RFC 8357: answer to the source port
    uint8_t ignored             # options that count as not sent, being malformed: bits of IGNORED
    uint16_t scratch_used
    uint8_t scratch[SCRATCH]

# What tells the client's kind and nothing that its lease rests on (engine rule 30), by the bits of `ignored`.
cdef enum:
    IGNORED = 3
    IGNORED_SYSTEM = 1          # 93
    IGNORED_NDI = 2             # 94
    IGNORED_GUID = 4            # 97

cdef inline bint has(const Packet4* packet, uint8_t code) noexcept nogil:
    return (packet.present[code >> 6] >> (code & 63)) & 1

cdef inline void forget(Packet4* packet, uint8_t code) noexcept nogil:
    """The option counts as not sent from now on."""
    packet.present[code >> 6] &= ~(<uint64_t>1 << (code & 63))

cdef Fault parse4(Packet4* packet, const uint8_t* data, size_t length) noexcept nogil
cdef Fault parse_bootp(Packet4* packet, Fault fault) noexcept nogil
cdef uint32_t option_u32(const Packet4* packet, uint8_t code) noexcept nogil
cdef void use_network(Packet4* packet, Field network) noexcept nogil
