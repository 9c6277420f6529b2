"""A received DHCPv4 message as pointers into its datagram (RFC 2131 section 2, figure 1).

Nothing is copied but options that were split (RFC 3396), which are joined in `scratch`. A `Packet4` is valid as
long as the datagram's buffer is. An option is present or absent; a malformed one is absent and noted in `ignored`
(decisions: Malformed options).
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.wire.codes cimport OPT_DHCP_SERVER_IDENTIFIER
from dhcp_fast.wire.ignored cimport Ignored, is_ignored, note_ignored

cdef enum:
    HEADER4 = 240               # fixed part (236) and magic cookie (4)
    MIN_DHCP_MESSAGE = 576      # RFC 2131 section 2: every client accepts it, IP and UDP headers included
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
    Field relay_echo            # the part that the reply echoes
    bint relay_port             # RFC 8357: answer to the source port
    bint suspect                # an option may be malformed
    bint cut                    # an option is longer than its field
    Ignored ignored
    uint16_t scratch_used
    uint8_t scratch[SCRATCH]

cdef inline bint has(const Packet4* packet, uint8_t code) noexcept nogil:
    return (packet.present[code >> 6] >> (code & 63)) & 1

cdef inline void forget(Packet4* packet, uint8_t code) noexcept nogil:
    """Forget the option, which counts as not sent from now on."""
    packet.present[code >> 6] &= ~(<uint64_t>1 << (code & 63))

cdef inline void ignore(Packet4* packet, uint8_t code) noexcept nogil:
    forget(packet, code)
    note_ignored(&packet.ignored, code)

cdef inline bint has_unread_server(const Packet4* packet) noexcept nogil:
    """Return whether the message may name a server that cannot be read: its option 54 is malformed or cut off."""
    return packet.ignored.some and not has(packet, OPT_DHCP_SERVER_IDENTIFIER) and (
        packet.cut or is_ignored(&packet.ignored, OPT_DHCP_SERVER_IDENTIFIER))

cdef inline bint may_select_another(const Packet4* packet) noexcept nogil:
    """Return whether a REQUEST may be meant for a server that cannot be read: a NAK would take the client what that
    gives."""
    return not packet.ciaddr and has_unread_server(packet)
