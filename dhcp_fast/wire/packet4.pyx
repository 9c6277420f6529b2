"""DHCPv4 parsing: datagram -> Packet4, or the reason why it is not one.

The walk visits the options field, then `file` and `sname` if option 52 names them (RFC 2131 section
4.1). An option that appears more than once is one value cut in pieces and is joined in that order
(RFC 3396 section 7); the joining walk runs only for messages that need it. A malformed option
counts as absent (decisions: Malformed options). Cheapest test first; nothing is allocated.
"""

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from dhcp_fast.wire.codes cimport (
    DHCPDECLINE, DHCPDISCOVER, DHCPINFORM, DHCPLEASEQUERY, DHCPRELEASE, DHCPREQUEST, OPT_AUTO_CONFIG, OPT_CLIENT_NDI,
    OPT_CLIENT_SYSTEM, OPT_DHCP_CLIENT_IDENTIFIER, OPT_DHCP_LEASE_TIME, OPT_DHCP_MAX_MESSAGE_SIZE,
    OPT_DHCP_MESSAGE_TYPE, OPT_DHCP_OPTION_OVERLOAD, OPT_DHCP_PARAMETER_REQUEST_LIST, OPT_DHCP_REQUESTED_ADDRESS,
    OPT_DHCP_SERVER_IDENTIFIER, OPT_END, OPT_FQDN, OPT_HOST_NAME, OPT_PAD, OPT_RAPID_COMMIT, OPT_SUBNET_SELECTION,
    OPT_USER_CLASS, OPT_UUID_GUID, OPT_VENDOR_CLASS_IDENTIFIER, OPT_VIRTUAL_SUBNET_SELECTION, OPT_VIVCO_SUBOPTIONS,
    OPT_VIVSO_SUBOPTIONS)
from dhcp_fast.wire.cursor cimport Cursor, cursor, load_u16, load_u32, remaining, take, take_u8
from dhcp_fast.wire.faults cimport (
    FAULT_BAD_HARDWARE_LENGTH, FAULT_BAD_MESSAGE_TYPE, FAULT_LEASEQUERY, FAULT_NONE, FAULT_NOT_A_REQUEST,
    FAULT_NO_COOKIE, FAULT_NO_MESSAGE_TYPE, FAULT_OPTION_OVERRUN, FAULT_TOO_LONG, FAULT_TOO_SHORT)
from dhcp_fast.wire.names cimport are_labels, is_dotted, trimmed
from dhcp_fast.wire.relay4 cimport clear_relay_information, read_relay_information

cdef enum:
    OP_REQUEST = 1
    IN_FILE = 1
    IN_SNAME = 2
    FILE_AT = 108
    SNAME_AT = 44
    FQDN_HEADING = 3        # flags and two response codes (RFC 4702 section 2)
    FQDN_LABELS = 4         # flag E
    BLOCK_HEADING = 5       # enterprise number and length (RFC 3925)

# The lengths of the options that the server reads: `LEAST` octets and at most `MORE` further ones.
cdef uint8_t LEAST[256]
cdef uint8_t MORE[256]
# Options of which one value may be sent again as it is; pieces of it would not be joined to one of lawful length.
cdef uint64_t COUNTED_ONCE[4]
# Options whose content has a form, as bits of `present[1]`.
cdef uint64_t OF_FORM = (
    <uint64_t>1 << (OPT_FQDN - 64) | <uint64_t>1 << (OPT_CLIENT_SYSTEM - 64) | <uint64_t>1 << (OPT_UUID_GUID - 64)
    | <uint64_t>1 << (OPT_VIVCO_SUBOPTIONS - 64) | <uint64_t>1 << (OPT_VIVSO_SUBOPTIONS - 64))


cdef void allow_lengths() noexcept:
    """Allow lengths as RFC 2132 and the RFC of each later option have them (decisions: Malformed options)."""
    cdef int code
    for code in range(256):
        LEAST[code] = 0
        MORE[code] = 255
    for code in (OPT_HOST_NAME, OPT_DHCP_PARAMETER_REQUEST_LIST, OPT_VENDOR_CLASS_IDENTIFIER,
                 OPT_DHCP_CLIENT_IDENTIFIER, OPT_USER_CLASS, OPT_VIRTUAL_SUBNET_SELECTION):
        LEAST[code] = 1
        MORE[code] = 254        # so that one octet less than LEAST is 255, and too many
    allow_one(OPT_DHCP_REQUESTED_ADDRESS, 4)
    allow_one(OPT_DHCP_LEASE_TIME, 4)
    allow_one(OPT_DHCP_OPTION_OVERLOAD, 1)
    allow_one(OPT_DHCP_MESSAGE_TYPE, 1)
    allow_one(OPT_DHCP_SERVER_IDENTIFIER, 4)
    allow_one(OPT_DHCP_MAX_MESSAGE_SIZE, 2)
    allow_one(OPT_RAPID_COMMIT, 0)
    allow_one(OPT_CLIENT_NDI, 3)                # RFC 4578 section 2.2
    allow_one(OPT_UUID_GUID, 17)                # section 2.3
    allow_one(OPT_AUTO_CONFIG, 1)
    allow_one(OPT_SUBNET_SELECTION, 4)


cdef void allow_one(uint8_t code, uint8_t length) noexcept:
    LEAST[code] = length
    MORE[code] = 0
    if length:
        COUNTED_ONCE[code >> 6] |= <uint64_t>1 << (code & 63)


allow_lengths()


cdef uint32_t option_u32(const Packet4* packet, uint8_t code) noexcept nogil:
    """Return the option's four octets as a number; 0 when absent. Lengths were checked by `parse4`."""
    if not has(packet, code):
        return 0
    return load_u32(packet.options[code].data)


cdef Fault parse4(Packet4* packet, const uint8_t* data, size_t length) noexcept nogil:
    """Fill `packet` from one datagram's payload; the first fault found ends the work."""
    cdef uint64_t repeated[4]
    cdef Fault fault
    cdef uint8_t overload
    if length < HEADER4:
        return FAULT_TOO_SHORT
    if length > SCRATCH:
        return FAULT_TOO_LONG
    if data[0] != OP_REQUEST:
        return FAULT_NOT_A_REQUEST
    if data[2] > 16:
        return FAULT_BAD_HARDWARE_LENGTH
    read_header(packet, data)
    if load_u32(data + 236) != 0x63825363:
        return FAULT_NO_COOKIE
    memset(repeated, 0, sizeof(repeated))
    overload = walk_fields(packet, length, repeated)
    if repeated[0] | repeated[1] | repeated[2] | repeated[3]:
        join_repeated(packet, length, repeated, overload)
    fault = read_message_type(packet)
    if fault == FAULT_NONE:
        judge_options(packet)
    return fault


cdef void read_header(Packet4* packet, const uint8_t* data) noexcept nogil:
    packet.raw = data
    packet.op = data[0]
    packet.htype = data[1]
    packet.hlen = data[2]
    packet.hops = data[3]
    packet.xid = load_u32(data + 4)
    packet.secs = load_u16(data + 8)
    packet.flags = load_u16(data + 10)
    packet.ciaddr = load_u32(data + 12)
    packet.yiaddr = load_u32(data + 16)
    packet.giaddr = load_u32(data + 24)
    packet.scratch_used = 0
    packet.suspect = False
    packet.cut = False
    packet.ignored.some = False
    memset(packet.present, 0, sizeof(packet.present))


cdef uint8_t walk_fields(Packet4* packet, size_t length, uint64_t* repeated) noexcept nogil:
    """Return options field, then `file`, then `sname` (RFC 3396 section 5 gives the order of joining), which of them by
    the value of option 52 that is returned."""
    cdef uint8_t overload
    walk(packet, cursor(packet.raw + HEADER4, length - HEADER4), repeated, False)
    if not has(packet, OPT_DHCP_OPTION_OVERLOAD):
        return 0
    overload = read_overload(packet, length, repeated)
    if overload & IN_FILE:
        walk(packet, cursor(packet.raw + FILE_AT, 128), repeated, True)
    if overload & IN_SNAME:
        walk(packet, cursor(packet.raw + SNAME_AT, 64), repeated, True)
    return overload


cdef uint8_t read_overload(Packet4* packet, size_t length, uint64_t* repeated) noexcept nogil:
    """Return the option's value, which counts as absent if there is no such value."""
    cdef const Field* value = &packet.options[OPT_DHCP_OPTION_OVERLOAD]
    if (repeated[0] >> OPT_DHCP_OPTION_OVERLOAD) & 1:
        repeated[0] &= ~(<uint64_t>1 << OPT_DHCP_OPTION_OVERLOAD)
        join(packet, OPT_DHCP_OPTION_OVERLOAD, length, 0)
    if value.length == 1 and 1 <= value.data[0] <= IN_FILE | IN_SNAME:
        return value.data[0]
    ignore(packet, OPT_DHCP_OPTION_OVERLOAD)
    return 0


cdef inline bint next_option(Cursor* c, uint8_t* code, Field* value) noexcept nogil:
    """Return one option, pads skipped. False at the field's end: with END, which clients may omit, as `code`, or with
    that of an option that is cut there."""
    cdef uint8_t length
    while take_u8(c, code):
        if code[0] == OPT_PAD:
            continue
        if code[0] == OPT_END or not take_u8(c, &length):
            return False
        value.length = length
        value.data = take(c, length)
        return value.data != NULL
    code[0] = OPT_END
    return False


cdef void walk(Packet4* packet, Cursor c, uint64_t* repeated, bint overloaded) noexcept nogil:
    """Note each option of one field; in an overloaded field option 52 means nothing."""
    cdef uint8_t code
    cdef uint64_t bit
    cdef Field value
    while next_option(&c, &code, &value):
        if overloaded and code == OPT_DHCP_OPTION_OVERLOAD:
            continue
        bit = <uint64_t>1 << (code & 63)
        if packet.present[code >> 6] & bit:
            repeated[code >> 6] |= bit
        else:
            packet.present[code >> 6] |= bit
            packet.options[code] = value
            packet.suspect |= <uint8_t>(value.length - LEAST[code]) > MORE[code]
    if code != OPT_END:
        packet.cut = True
        note_ignored(&packet.ignored, code)


cdef inline bint is_lawful(uint8_t code, uint16_t length) noexcept nogil:
    """Return whether the option may have that length; one over 255, which was joined, is too long only for a fixed
    one."""
    return length >= LEAST[code] and (MORE[code] != 0 or length == LEAST[code])


cdef void join_repeated(
        Packet4* packet, size_t length, const uint64_t* repeated, uint8_t overload) noexcept nogil:
    cdef int code
    packet.suspect = True
    for code in range(1, 255):
        if (repeated[code >> 6] >> (code & 63)) & 1:
            join(packet, <uint8_t>code, length, overload)


cdef void join(Packet4* packet, uint8_t code, size_t length, uint8_t overload) noexcept nogil:
    """Join the pieces in the order of the fields; equal pieces that make no lawful value are one value sent again."""
    cdef Field whole
    cdef uint16_t before = packet.scratch_used
    cdef bint equal
    whole.data = packet.scratch + before
    whole.length = 0
    equal = append_pieces(packet, cursor(packet.raw + HEADER4, length - HEADER4), code, &whole)
    if overload & IN_FILE:
        equal &= append_pieces(packet, cursor(packet.raw + FILE_AT, 128), code, &whole)
    if overload & IN_SNAME:
        equal &= append_pieces(packet, cursor(packet.raw + SNAME_AT, 64), code, &whole)
    if equal and (COUNTED_ONCE[code >> 6] >> (code & 63)) & 1 and not is_lawful(code, whole.length):
        packet.scratch_used = before
        note_ignored(&packet.ignored, code)
    else:
        packet.options[code] = whole


cdef bint append_pieces(Packet4* packet, Cursor c, uint8_t wanted, Field* whole) noexcept nogil:
    """Append the pieces of one field; the packet is never longer than `scratch`. Whether each is equal to the first one
    of the packet."""
    cdef uint8_t code
    cdef Field piece
    cdef bint equal = True
    cdef const Field* first = &packet.options[wanted]
    while next_option(&c, &code, &piece):
        if code != wanted:
            continue
        equal &= piece.length == first.length and memcmp(piece.data, first.data, piece.length) == 0
        memcpy(packet.scratch + packet.scratch_used, piece.data, piece.length)
        packet.scratch_used += piece.length
        whole.length += piece.length
    return equal


cdef Fault parse_bootp(Packet4* packet, Fault fault) noexcept nogil:
    """Return what `parse4` refused for want of a cookie or a message type, taken as a BOOTREQUEST (RFC 951, RFC 1497).

    Without the cookie the vendor field is not ours to read; with it the options count as DHCP's do (RFC 1534).
    """
    if fault == FAULT_NO_COOKIE:
        clear_relay_information(packet)
    elif fault == FAULT_NO_MESSAGE_TYPE:
        judge_options(packet)
    else:
        return fault
    packet.message_type = BOOTP
    return FAULT_NONE


cdef Fault read_message_type(Packet4* packet) noexcept nogil:
    """Read the message type; a cut option may have been it."""
    cdef uint8_t kind
    if not has(packet, OPT_DHCP_MESSAGE_TYPE):
        return FAULT_OPTION_OVERRUN if packet.cut else FAULT_NO_MESSAGE_TYPE
    if packet.options[OPT_DHCP_MESSAGE_TYPE].length != 1:
        return FAULT_BAD_MESSAGE_TYPE
    kind = packet.options[OPT_DHCP_MESSAGE_TYPE].data[0]
    packet.message_type = kind
    if not (kind == DHCPDISCOVER or kind == DHCPREQUEST or kind == DHCPDECLINE or kind == DHCPRELEASE
            or kind == DHCPINFORM):
        return FAULT_LEASEQUERY if kind == DHCPLEASEQUERY else FAULT_BAD_MESSAGE_TYPE
    return FAULT_NONE


# --- malformed options (decisions: Malformed options)

cdef inline void judge_options(Packet4* packet) noexcept nogil:
    """Forget the malformed options, then read those of the relay."""
    if packet.suspect:
        forget_unlawful(packet)
    if packet.present[1] & OF_FORM:
        forget_formless(packet)
    read_relay_information(packet)


cdef void forget_unlawful(Packet4* packet) noexcept nogil:
    """Forget unlawful options. A virtual network without a name stays: it is one that no tenant has."""
    cdef int code
    for code in range(1, 255):
        if has(packet, <uint8_t>code) and not is_lawful(<uint8_t>code, packet.options[code].length):
            if code == OPT_VIRTUAL_SUBNET_SELECTION:
                note_ignored(&packet.ignored, <uint8_t>code)
            else:
                ignore(packet, <uint8_t>code)


cdef void forget_formless(Packet4* packet) noexcept nogil:
    """Forget options of lawful length whose content cannot be read."""
    cdef const Field* options = packet.options
    if has(packet, OPT_FQDN) and not is_fqdn(&options[OPT_FQDN]):
        ignore(packet, OPT_FQDN)
    if has(packet, OPT_CLIENT_SYSTEM) and (
            options[OPT_CLIENT_SYSTEM].length == 0 or options[OPT_CLIENT_SYSTEM].length % 2):   # RFC 4578 section 2.1
        ignore(packet, OPT_CLIENT_SYSTEM)
    if has(packet, OPT_UUID_GUID) and options[OPT_UUID_GUID].data[0]:                           # section 2.3
        ignore(packet, OPT_UUID_GUID)
    if has(packet, OPT_VIVCO_SUBOPTIONS) and not are_blocks(&options[OPT_VIVCO_SUBOPTIONS]):
        ignore(packet, OPT_VIVCO_SUBOPTIONS)
    if has(packet, OPT_VIVSO_SUBOPTIONS) and not are_blocks(&options[OPT_VIVSO_SUBOPTIONS]):
        ignore(packet, OPT_VIVSO_SUBOPTIONS)


cdef bint is_fqdn(const Field* value) noexcept nogil:
    """Return whether it is an FQDN (RFC 4702 section 2): flags, response codes, and a name in the
    encoding of the flags.
    """
    cdef const uint8_t* name = value.data + FQDN_HEADING
    if value.length < FQDN_HEADING:
        return False
    if value.data[0] & FQDN_LABELS:
        return are_labels(name, <uint16_t>(value.length - FQDN_HEADING))
    return is_dotted(name, trimmed(name, <uint16_t>(value.length - FQDN_HEADING)))


cdef bint are_blocks(const Field* value) noexcept nogil:
    """Return whether they are blocks (RFC 3925 sections 3 and 4): enterprise number, length and data, repeated to the
    last octet."""
    cdef Cursor c = cursor(value.data, value.length)
    cdef const uint8_t* heading
    if value.length == 0:
        return False
    while remaining(&c):
        heading = take(&c, BLOCK_HEADING)
        if heading == NULL or take(&c, heading[4]) == NULL:
            return False
    return True
