"""Writing DHCPv4 replies: header from the request, options in the caller's order, option 82 and END last.

After the protocol's own options, room for the echoed relay information is set aside, so that any
other option either fits whole or is left out; only the protocol's own ones can displace the echo.
The size limit is the client's (option 57) where it names one, else 576 octets (RFC 2131 section 2),
both counted with 28 octets of IP and UDP header.

Options without room among the others go into the header's file and sname where those are free (RFC 2132 section 9.3).
An option is never cut to fit: clients must join pieces of long options only (RFC 3396). Codes of options without room
anywhere are kept in `left_out`.
"""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

from dhcp_fast.wire.codes cimport (
    OPT_BOOT_FILE_NAME, OPT_DHCP_AGENT_OPTIONS, OPT_DHCP_MAX_MESSAGE_SIZE, OPT_DHCP_MESSAGE_TYPE,
    OPT_DHCP_OPTION_OVERLOAD, OPT_END, OPT_PAD)
from dhcp_fast.wire.cursor cimport load_u16, store_u16, store_u32
from dhcp_fast.wire.packet4 cimport BOOTP, HEADER4, MIN_DHCP_MESSAGE, has

cdef enum:
    OP_REPLY = 2
    IP_UDP_HEADERS = 28
    SNAME = 44              # where the header's fields begin
    FILE = 108
    OVERLOAD_OPTION = 3     # octets of option 52


cdef uint16_t size_limit(const Packet4* request) noexcept nogil:
    """Return octets of DHCP message that the client takes (RFC 2132 section 9.10: at least 576 with its headers)."""
    cdef uint16_t size = MIN_DHCP_MESSAGE
    if has(request, OPT_DHCP_MAX_MESSAGE_SIZE):
        size = max(load_u16(request.options[OPT_DHCP_MAX_MESSAGE_SIZE].data), <uint16_t>MIN_DHCP_MESSAGE)
    return min(<uint16_t>(size - IP_UDP_HEADERS), <uint16_t>REPLY_BUFFER)


cdef void begin_reply(Reply4* reply, uint8_t* data, const Packet4* request, uint8_t message_type) noexcept nogil:
    """Begin with a header copied from the request (RFC 2131 table 3): htype, hlen, xid, flags, giaddr, chaddr; type
    first."""
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
    reply.overload = 0
    reply.room[<int>OVERLOAD_FILE] = reply.room[<int>OVERLOAD_SNAME] = 0
    reply.incomplete = False
    if message_type != BOOTP:
        put_option(reply, OPT_DHCP_MESSAGE_TYPE, &message_type, 1)


cdef void reserve_relay_information(Reply4* reply, const Packet4* request) noexcept nogil:
    """Reserve room for the echo behind the present options; without that room the reply goes without it, as RFC 3046
    section 2.2 requires."""
    if request.relay_echo.data == NULL:
        return
    if reply.used + wire_length(request.relay_echo.length) <= reply.limit:
        reply.relay_information = request.relay_echo
        reply.limit -= <uint16_t>wire_length(reply.relay_information.length)
    else:
        leave_out(reply, OPT_DHCP_AGENT_OPTIONS)


cdef void allow_overload(Reply4* reply, bint file_is_free, bint sname_is_free) noexcept nogil:
    """Allow options without room to go into these fields from now on, of which each ends with END; room for option 52
    is set aside."""
    if not (file_is_free or sname_is_free) or reply.used + OVERLOAD_OPTION > reply.limit:
        return
    reply.limit -= OVERLOAD_OPTION
    reply.is_free[<int>OVERLOAD_FILE] = file_is_free
    reply.is_free[<int>OVERLOAD_SNAME] = sname_is_free
    reply.room[<int>OVERLOAD_FILE] = LONGEST_FILE if file_is_free else 0
    reply.room[<int>OVERLOAD_SNAME] = LONGEST_SNAME if sname_is_free else 0


cdef void rewind(Reply4* reply, uint16_t used) noexcept nogil:
    """Take back the options put since `used` octets were, which was after `allow_overload`."""
    cdef int field
    reply.used = used
    reply.incomplete = False
    if reply.overload:
        reply.overload = 0
        reply.limit -= OVERLOAD_OPTION
        for field in range(<int>OVERLOAD_FIELDS):
            if reply.is_free[field]:
                reply.room[field] = room_of(field)
                memset(reply.data + start_of(field), 0, room_of(field) + 1)


cdef inline uint16_t start_of(int field) noexcept nogil:
    return FILE if field == OVERLOAD_FILE else SNAME


cdef inline uint16_t room_of(int field) noexcept nogil:
    """Return octets in front of the field's last, which is END."""
    return LONGEST_FILE if field == OVERLOAD_FILE else LONGEST_SNAME


cdef inline uint32_t wire_length(uint32_t length) noexcept nogil:
    """Return octets with the code and length of each piece of at most 255 (RFC 3396 section 7)."""
    return length + 2 * max(<uint32_t>1, (length + 254) // 255)


cdef bint put_elsewhere(Reply4* reply, uint8_t code, const uint8_t* value, uint16_t length) noexcept nogil:
    """Return an option that is cut in pieces or padded, or that has no room among the others."""
    cdef uint32_t needed = wire_length(length) + (code == OPT_BOOT_FILE_NAME)
    if reply.used + needed > reply.limit:
        if put_in_fields(reply, code, value, length, needed):
            return True
        leave_out(reply, code)
        return False
    reply.used = <uint16_t>(write_pieces(reply.data + reply.used, code, value, length) - reply.data)
    return True


cdef uint8_t* write_pieces(uint8_t* p, uint8_t code, const uint8_t* value, uint16_t length) noexcept nogil:
    """Return the end of what was written. A pad octet follows option 67: ROMs take the octet behind the name for its
    end."""
    cdef uint16_t piece
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
    if code == OPT_BOOT_FILE_NAME:
        p[0] = OPT_PAD
        p += 1
    return p


cdef bint put_in_fields(Reply4* reply, uint8_t code, const uint8_t* value, uint16_t length,
                        uint32_t needed) noexcept nogil:
    """Put (RFC 2131 section 4.1) into file, else into sname, which options then fill from the start."""
    cdef int field
    cdef uint8_t* p
    for field in range(<int>OVERLOAD_FIELDS):
        if needed <= reply.room[field]:
            note_overload(reply, field)
            p = reply.data + start_of(field) + room_of(field) - reply.room[field]
            write_pieces(p, code, value, length)[0] = OPT_END
            reply.room[field] -= <uint16_t>needed
            return True
    return False


cdef void note_overload(Reply4* reply, int field) noexcept nogil:
    """Note the overload in option 52: 1 file, 2 sname, 3 both."""
    cdef uint8_t* p
    if not reply.overload:
        reply.overload = reply.used
        reply.limit += OVERLOAD_OPTION
        p = reply.data + reply.used
        p[0] = OPT_DHCP_OPTION_OVERLOAD
        p[1] = 1
        p[2] = 0
        reply.used += OVERLOAD_OPTION
    reply.data[reply.overload + 2] |= <uint8_t>(1 << field)


cdef void leave_out(Reply4* reply, uint8_t code) noexcept nogil:
    if not reply.incomplete:
        reply.incomplete = True
        memset(reply.left_out, 0, sizeof(reply.left_out))
    reply.left_out[code >> 6] |= <uint64_t>1 << (code & 63)


cdef void set_addresses(Reply4* reply, uint32_t ciaddr, uint32_t yiaddr, uint32_t siaddr) noexcept nogil:
    store_u32(reply.data + 12, ciaddr)
    store_u32(reply.data + 16, yiaddr)
    store_u32(reply.data + 20, siaddr)


cdef bint set_server_name(Reply4* reply, const uint8_t* name, uint16_t length) noexcept nogil:
    """Return the header's `sname`; False for a name over 63 octets, which it does not hold."""
    if length > LONGEST_SNAME:
        return False
    memcpy(reply.data + SNAME, name, length)
    return True


cdef bint set_boot_file(Reply4* reply, const uint8_t* name, uint16_t length) noexcept nogil:
    """Return the header's `file`; False for a name over 127 octets, which it does not hold."""
    if length > LONGEST_FILE:
        return False
    memcpy(reply.data + FILE, name, length)
    return True


cdef uint16_t finish_reply(Reply4* reply) noexcept nogil:
    """Finish: echo option 82, end, pad to the shortest length that every relay accepts; the whole length."""
    if reply.relay_information.data != NULL:
        reply.used = <uint16_t>(write_pieces(
            reply.data + reply.used, OPT_DHCP_AGENT_OPTIONS, reply.relay_information.data,
            reply.relay_information.length) - reply.data)
    reply.data[reply.used] = OPT_END
    reply.used += 1
    if reply.used < MIN_REPLY:
        memset(reply.data + reply.used, 0, MIN_REPLY - reply.used)
        reply.used = MIN_REPLY
    return reply.used
