"""Writing DHCPv4 replies: header from the request, options in the caller's order, option 82 and END last.

Once the protocol's own options stand, room for the echoed relay information is set aside, so that any other option
either fits whole or is left out; only those that stand already can push the echo out. The size limit is the client's
(option 57) where it names one, else 576 octets (RFC 2131 section 2), both counted with 28 octets of IP and UDP header.
"""

from libc.string cimport memcpy, memset

from dhcp_fast.wire.codes cimport (
    OPT_DHCP_AGENT_OPTIONS, OPT_DHCP_MAX_MESSAGE_SIZE, OPT_DHCP_MESSAGE_TYPE, OPT_END)
from dhcp_fast.wire.cursor cimport load_u16, store_u16, store_u32
from dhcp_fast.wire.packet4 cimport BOOTP, HEADER4, MIN_DHCP_MESSAGE, has

cdef enum:
    OP_REPLY = 2
    IP_UDP_HEADERS = 28


cdef uint16_t size_limit(const Packet4* request) noexcept nogil:
    """Octets of DHCP message that the client takes (RFC 2132 section 9.10: at least 576 with its headers)."""
    cdef uint16_t size = MIN_DHCP_MESSAGE
    if has(request, OPT_DHCP_MAX_MESSAGE_SIZE):
        size = max(load_u16(request.options[OPT_DHCP_MAX_MESSAGE_SIZE].data), <uint16_t>MIN_DHCP_MESSAGE)
    return min(<uint16_t>(size - IP_UDP_HEADERS), <uint16_t>REPLY_BUFFER)


cdef void begin_reply(Reply4* reply, uint8_t* data, const Packet4* request, uint8_t message_type) noexcept nogil:
    """Header copied from the request (RFC 2131 table 3): htype, hlen, xid, flags, giaddr, chaddr; type first."""
    memset(data, 0, MIN_REPLY)
    data[0] = OP_REPLY
    data[1] = request.htype
    data[2] = request.hlen
    store_u32(data + 4, request.xid)
    store_u16(data + 10, request.flags)
    store_u32(data + 24, request.giaddr)
    memcpy(data + 28, request.raw + 28, 16)
    store_u32(data + 236, 0x63825363)
    reply.data = data
    reply.used = HEADER4
    reply.limit = (size_limit(request) if message_type != BOOTP else <uint16_t>MIN_REPLY) - 1     # RFC 1542 section 2.1
    reply.relay_information.data = NULL
    if message_type != BOOTP:
        put_option(reply, OPT_DHCP_MESSAGE_TYPE, &message_type, 1)


cdef void reserve_relay_information(Reply4* reply, const Packet4* request) noexcept nogil:
    """Room for the echo behind what stands already; without that room the reply goes without it, as RFC 3046 section
    2.2 wants."""
    if request.relay_echo.data == NULL:
        return
    if reply.used + wire_length(request.relay_echo.length) <= reply.limit:
        reply.relay_information = request.relay_echo
        reply.limit -= <uint16_t>wire_length(reply.relay_information.length)


cdef inline uint32_t wire_length(uint32_t length) noexcept nogil:
    """Octets with the code and length of each piece of at most 255 (RFC 3396 section 7)."""
    return length + 2 * max(<uint32_t>1, (length + 254) // 255)


cdef bint put_option(Reply4* reply, uint8_t code, const uint8_t* value, uint16_t length) noexcept nogil:
    """Append the option, cut in pieces when over 255 octets; False when it does not fit."""
    if reply.used + wire_length(length) > reply.limit:
        return False
    write_pieces(reply, code, value, length)
    return True


cdef void write_pieces(Reply4* reply, uint8_t code, const uint8_t* value, uint16_t length) noexcept nogil:
    cdef uint16_t piece
    cdef uint8_t* p = reply.data + reply.used
    while True:
        piece = min(length, <uint16_t>255)
        p[0] = code
        p[1] = <uint8_t>piece
        if piece:
            memcpy(p + 2, value, piece)
        p += 2 + piece
        value += piece
        length -= piece
        if length == 0:
            break
    reply.used = <uint16_t>(p - reply.data)


cdef bint put_u32(Reply4* reply, uint8_t code, uint32_t value) noexcept nogil:
    cdef uint8_t octets[4]
    store_u32(octets, value)
    return put_option(reply, code, octets, 4)


cdef void set_addresses(Reply4* reply, uint32_t ciaddr, uint32_t yiaddr, uint32_t siaddr) noexcept nogil:
    store_u32(reply.data + 12, ciaddr)
    store_u32(reply.data + 16, yiaddr)
    store_u32(reply.data + 20, siaddr)


cdef bint set_server_name(Reply4* reply, const uint8_t* name, uint16_t length) noexcept nogil:
    """The header's `sname`; False for a name over 63 octets, which it does not hold."""
    if length > 63:
        return False
    memcpy(reply.data + 44, name, length)
    return True


cdef bint set_boot_file(Reply4* reply, const uint8_t* name, uint16_t length) noexcept nogil:
    """The header's `file`; False for a name over 127 octets, which it does not hold."""
    if length > 127:
        return False
    memcpy(reply.data + 108, name, length)
    return True


cdef uint16_t finish_reply(Reply4* reply) noexcept nogil:
    """Echo option 82, end, pad to the shortest length that every relay accepts; the whole length."""
    if reply.relay_information.data != NULL:
        write_pieces(reply, OPT_DHCP_AGENT_OPTIONS, reply.relay_information.data, reply.relay_information.length)
    reply.data[reply.used] = OPT_END
    reply.used += 1
    if reply.used < MIN_REPLY:
        memset(reply.data + reply.used, 0, MIN_REPLY - reply.used)
        reply.used = MIN_REPLY
    return reply.used
