"""DHCPv4 parsing: datagram -> Packet4, or the reason why it is not one.

The walk visits the options field, then `file` and `sname` where option 52 says that they hold options too (RFC 2131
section 4.1). An option that appears more than once is one value cut in pieces and is joined in that order (RFC 3396
section 7); the joining walk runs only for messages that need it. Cheapest test first; nothing is allocated.
"""

from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memcpy, memset

from dhcp_fast.wire.cursor cimport Cursor, cursor, load_u16, load_u32, remaining, take, take_u8

from dhcp_fast.wire.codes cimport (
    DHCPDECLINE,
    DHCPDISCOVER,
    DHCPINFORM,
    DHCPLEASEQUERY,
    DHCPRELEASE,
    DHCPREQUEST,
    OPT_AUTO_CONFIG,
    OPT_CLIENT_NDI,
    OPT_CLIENT_SYSTEM,
    OPT_DHCP_AGENT_OPTIONS,
    OPT_DHCP_CLIENT_IDENTIFIER,
    OPT_DHCP_LEASE_TIME,
    OPT_DHCP_MAX_MESSAGE_SIZE,
    OPT_DHCP_MESSAGE_TYPE,
    OPT_DHCP_OPTION_OVERLOAD,
    OPT_DHCP_PARAMETER_REQUEST_LIST,
    OPT_DHCP_REQUESTED_ADDRESS,
    OPT_DHCP_SERVER_IDENTIFIER,
    OPT_END,
    OPT_PAD,
    OPT_RAPID_COMMIT,
    OPT_SUBNET_SELECTION,
    OPT_UUID_GUID,
    OPT_VIRTUAL_SUBNET_SELECTION,
    RAI_CIRCUIT_ID,
    RAI_LINK_SELECTION,
    RAI_RELAY_FLAGS,
    RAI_RELAY_ID,
    RAI_SUBSCRIBER_ID,
    RAI_RELAY_PORT,
    RAI_REMOTE_ID,
    RAI_SERVER_ID_OVERRIDE,
    RAI_VIRTUAL_SUBNET_SELECT,
    RAI_VIRTUAL_SUBNET_SELECT_CTRL,
)
from dhcp_fast.wire.faults cimport (
    FAULT_BAD_HARDWARE_LENGTH, FAULT_BAD_MESSAGE_TYPE, FAULT_BAD_OVERLOAD, FAULT_BAD_RELAY_INFORMATION,
    FAULT_LEASEQUERY, FAULT_NONE,
    FAULT_NOT_A_REQUEST, FAULT_NO_COOKIE, FAULT_NO_MESSAGE_TYPE, FAULT_OPTION_LENGTH, FAULT_OPTION_OVERRUN,
    FAULT_TOO_LONG, FAULT_TOO_SHORT)

cdef enum:
    OP_REQUEST = 1
    IN_FILE = 1
    IN_SNAME = 2
    FILE_AT = 108
    SNAME_AT = 44

cdef uint64_t OF_BOOT_CLIENTS = <uint64_t>1 << 29 | <uint64_t>1 << 30 | <uint64_t>1 << 33    # 93, 94, 97


cdef uint32_t option_u32(const Packet4* packet, uint8_t code) noexcept nogil:
    """The option's four octets as a number; 0 when absent. Lengths were checked by `parse4`."""
    if not has(packet, code):
        return 0
    return load_u32(packet.options[code].data)


cdef Fault parse4(Packet4* packet, const uint8_t* data, size_t length) noexcept nogil:
    """Fill `packet` from one datagram's payload; the first fault found ends the work."""
    cdef uint64_t repeated[4]
    cdef Fault fault
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
    fault = walk_fields(packet, length, repeated)
    if fault != FAULT_NONE:
        return fault
    if repeated[0] | repeated[1] | repeated[2] | repeated[3]:
        fault = join_repeated(packet, length, repeated)
        if fault != FAULT_NONE:
            return fault
    return check_values(packet)


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
    packet.ignored = 0
    memset(packet.present, 0, sizeof(packet.present))


cdef Fault walk_fields(Packet4* packet, size_t length, uint64_t* repeated) noexcept nogil:
    """Options field, then `file`, then `sname` (RFC 3396 section 5 gives the order of joining)."""
    cdef uint8_t overload
    cdef Fault fault = walk(packet, cursor(packet.raw + HEADER4, length - HEADER4), repeated, False)
    if fault != FAULT_NONE or not has(packet, OPT_DHCP_OPTION_OVERLOAD):
        return fault
    if (repeated[0] >> OPT_DHCP_OPTION_OVERLOAD) & 1:
        repeated[0] &= ~(<uint64_t>1 << OPT_DHCP_OPTION_OVERLOAD)
        join(packet, OPT_DHCP_OPTION_OVERLOAD, length, 0)
    if packet.options[OPT_DHCP_OPTION_OVERLOAD].length != 1:
        return FAULT_BAD_OVERLOAD
    overload = packet.options[OPT_DHCP_OPTION_OVERLOAD].data[0]
    if overload < 1 or overload > 3:
        return FAULT_BAD_OVERLOAD
    if overload & IN_FILE:
        fault = walk(packet, cursor(packet.raw + FILE_AT, 128), repeated, True)
    if fault == FAULT_NONE and overload & IN_SNAME:
        fault = walk(packet, cursor(packet.raw + SNAME_AT, 64), repeated, True)
    return fault


cdef inline Fault next_option(Cursor* c, uint8_t* code, Field* value) noexcept nogil:
    """One option, pads skipped. `code` is END when the field ends; a missing END is tolerated, as clients omit it."""
    cdef uint8_t length
    while take_u8(c, code):
        if code[0] == OPT_PAD:
            continue
        if code[0] == OPT_END:
            return FAULT_NONE
        if not take_u8(c, &length):
            return FAULT_OPTION_OVERRUN
        value.length = length
        value.data = take(c, length)
        return FAULT_NONE if value.data != NULL else FAULT_OPTION_OVERRUN
    code[0] = OPT_END
    return FAULT_NONE


cdef Fault walk(Packet4* packet, Cursor c, uint64_t* repeated, bint overloaded) noexcept nogil:
    """Note each option of one field; in an overloaded field option 52 means nothing."""
    cdef uint8_t code
    cdef uint64_t bit
    cdef Field value
    cdef Fault fault
    while True:
        fault = next_option(&c, &code, &value)
        if fault != FAULT_NONE or code == OPT_END:
            return fault
        if overloaded and code == OPT_DHCP_OPTION_OVERLOAD:
            continue
        bit = <uint64_t>1 << (code & 63)
        if packet.present[code >> 6] & bit:
            repeated[code >> 6] |= bit
        else:
            packet.present[code >> 6] |= bit
            packet.options[code] = value


cdef Fault join_repeated(Packet4* packet, size_t length, const uint64_t* repeated) noexcept nogil:
    cdef int code
    cdef Fault fault
    cdef uint8_t overload = 0
    if has(packet, OPT_DHCP_OPTION_OVERLOAD):
        overload = packet.options[OPT_DHCP_OPTION_OVERLOAD].data[0]
    for code in range(1, 255):
        if (repeated[code >> 6] >> (code & 63)) & 1:
            fault = join(packet, <uint8_t>code, length, overload)
            if fault != FAULT_NONE:
                return fault
    return FAULT_NONE


cdef Fault join(Packet4* packet, uint8_t code, size_t length, uint8_t overload) noexcept nogil:
    cdef Field whole
    cdef Fault fault
    whole.data = packet.scratch + packet.scratch_used
    whole.length = 0
    fault = append_pieces(packet, cursor(packet.raw + HEADER4, length - HEADER4), code, &whole)
    if fault == FAULT_NONE and overload & IN_FILE:
        fault = append_pieces(packet, cursor(packet.raw + FILE_AT, 128), code, &whole)
    if fault == FAULT_NONE and overload & IN_SNAME:
        fault = append_pieces(packet, cursor(packet.raw + SNAME_AT, 64), code, &whole)
    packet.options[code] = whole
    return fault


cdef Fault append_pieces(Packet4* packet, Cursor c, uint8_t wanted, Field* whole) noexcept nogil:
    cdef uint8_t code
    cdef Field piece
    cdef Fault fault
    while True:
        fault = next_option(&c, &code, &piece)
        if fault != FAULT_NONE or code == OPT_END:
            return fault
        if code != wanted:
            continue
        if packet.scratch_used + piece.length > SCRATCH:
            return FAULT_TOO_LONG
        memcpy(packet.scratch + packet.scratch_used, piece.data, piece.length)
        packet.scratch_used += piece.length
        whole.length += piece.length


cdef inline bint exactly(const Packet4* packet, uint8_t code, uint16_t length) noexcept nogil:
    return not has(packet, code) or packet.options[code].length == length


cdef inline bint at_least(const Packet4* packet, uint8_t code, uint16_t length) noexcept nogil:
    return not has(packet, code) or packet.options[code].length >= length


cdef Fault parse_bootp(Packet4* packet, Fault fault) noexcept nogil:
    """What `parse4` refused for want of a cookie or a message type, taken as a BOOTREQUEST (RFC 951, RFC 1497).

    Without the cookie the vendor field is not ours to read; with it the options count as DHCP's do (RFC 1534).
    """
    if fault == FAULT_NO_COOKIE:
        clear_relay_information(packet)
    elif fault == FAULT_NO_MESSAGE_TYPE:
        fault = check_lengths(packet)
        if fault != FAULT_NONE:
            return fault
    else:
        return fault
    packet.message_type = BOOTP
    return FAULT_NONE


cdef Fault check_values(Packet4* packet) noexcept nogil:
    """The message type, then the lengths of the options that the server reads."""
    cdef uint8_t kind
    if not has(packet, OPT_DHCP_MESSAGE_TYPE):
        return FAULT_NO_MESSAGE_TYPE
    if packet.options[OPT_DHCP_MESSAGE_TYPE].length != 1:
        return FAULT_BAD_MESSAGE_TYPE
    kind = packet.options[OPT_DHCP_MESSAGE_TYPE].data[0]
    packet.message_type = kind
    if not (kind == DHCPDISCOVER or kind == DHCPREQUEST or kind == DHCPDECLINE or kind == DHCPRELEASE
            or kind == DHCPINFORM):
        return FAULT_LEASEQUERY if kind == DHCPLEASEQUERY else FAULT_BAD_MESSAGE_TYPE
    return check_lengths(packet)


cdef Fault check_lengths(Packet4* packet) noexcept nogil:
    """As RFC 2132 and the RFC of each later option have them."""
    if not (exactly(packet, OPT_DHCP_REQUESTED_ADDRESS, 4) and exactly(packet, OPT_DHCP_SERVER_IDENTIFIER, 4)
            and exactly(packet, OPT_DHCP_LEASE_TIME, 4) and exactly(packet, OPT_DHCP_MAX_MESSAGE_SIZE, 2)
            and at_least(packet, OPT_DHCP_PARAMETER_REQUEST_LIST, 1)
            and at_least(packet, OPT_DHCP_CLIENT_IDENTIFIER, 2)
            and exactly(packet, OPT_RAPID_COMMIT, 0) and exactly(packet, OPT_SUBNET_SELECTION, 4)
            and exactly(packet, OPT_AUTO_CONFIG, 1) and at_least(packet, OPT_VIRTUAL_SUBNET_SELECTION, 1)):
        return FAULT_OPTION_LENGTH
    if packet.present[1] & OF_BOOT_CLIENTS:
        ignore_malformed(packet)
    return read_relay_information(packet)


cdef void ignore_malformed(Packet4* packet) noexcept nogil:
    """RFC 4578 sections 2.1 to 2.3, where firmware errs: an option that only tells what boots there counts as not sent
    when it is malformed; the client needs its address all the same (engine rule 30)."""
    cdef const Field* system = &packet.options[OPT_CLIENT_SYSTEM]
    if has(packet, OPT_CLIENT_SYSTEM) and (system.length < 2 or system.length % 2):
        ignore(packet, OPT_CLIENT_SYSTEM, IGNORED_SYSTEM)
    if not exactly(packet, OPT_CLIENT_NDI, 3):
        ignore(packet, OPT_CLIENT_NDI, IGNORED_NDI)
    if not exactly(packet, OPT_UUID_GUID, 17) or has(packet, OPT_UUID_GUID) and packet.options[OPT_UUID_GUID].data[0]:
        ignore(packet, OPT_UUID_GUID, IGNORED_GUID)


cdef void ignore(Packet4* packet, uint8_t code, uint8_t bit) noexcept nogil:
    forget(packet, code)
    packet.ignored |= bit


cdef void clear_relay_information(Packet4* packet) noexcept nogil:
    packet.circuit_id.data = NULL
    packet.remote_id.data = NULL
    packet.relay_id.data = NULL
    packet.subscriber_id.data = NULL
    packet.link_selection.data = NULL
    packet.server_override.data = NULL
    packet.network.data = NULL
    packet.used_network.data = NULL
    packet.relay_said.data = NULL
    packet.relay_echo.data = NULL
    packet.relay_port = False
    packet.relay_flags.data = NULL


cdef Fault read_relay_information(Packet4* packet) noexcept nogil:
    """Sub-options of option 82 (RFC 3046 section 2.0); the region must be consumed exactly."""
    cdef Cursor c
    cdef uint8_t code, length
    cdef Field value
    clear_relay_information(packet)
    if not has(packet, OPT_DHCP_AGENT_OPTIONS):
        return FAULT_NONE
    packet.relay_said = packet.relay_echo = packet.options[OPT_DHCP_AGENT_OPTIONS]
    if packet.options[OPT_DHCP_AGENT_OPTIONS].length < 2:
        return FAULT_BAD_RELAY_INFORMATION
    c = cursor(packet.options[OPT_DHCP_AGENT_OPTIONS].data, packet.options[OPT_DHCP_AGENT_OPTIONS].length)
    while remaining(&c):
        take_u8(&c, &code)
        if not take_u8(&c, &length):
            return FAULT_BAD_RELAY_INFORMATION
        value.length = length
        value.data = take(&c, length)
        if value.data == NULL or not keep_relay_value(packet, code, value):
            return FAULT_BAD_RELAY_INFORMATION
    return FAULT_NONE


cdef bint keep_relay_value(Packet4* packet, uint8_t code, Field value) noexcept nogil:
    """Of a sub-option that is repeated the first counts; every instance must have its length."""
    if code == RAI_CIRCUIT_ID:
        keep_first(&packet.circuit_id, value)
    elif code == RAI_REMOTE_ID:
        keep_first(&packet.remote_id, value)
    elif code == RAI_SUBSCRIBER_ID:             # RFC 3993 section 2
        keep_first(&packet.subscriber_id, value)
    elif code == RAI_RELAY_ID:            # RFC 6925 section 4: a DUID
        keep_first(&packet.relay_id, value)
    elif code == RAI_LINK_SELECTION:      # RFC 3527 section 3
        keep_first(&packet.link_selection, value)
        return value.length == 4
    elif code == RAI_RELAY_FLAGS:               # RFC 5010 section 2
        keep_first(&packet.relay_flags, value)
        return value.length == 1
    elif code == RAI_SERVER_ID_OVERRIDE:     # RFC 5107 section 4
        keep_first(&packet.server_override, value)
        return value.length == 4
    elif code == RAI_RELAY_PORT:         # RFC 8357 section 4.1: no data
        packet.relay_port = True
        return value.length == 0
    elif code == RAI_VIRTUAL_SUBNET_SELECT:         # RFC 6607 section 3.3: a type octet at least
        keep_first(&packet.network, value)
        return value.length >= 1
    elif code == RAI_VIRTUAL_SUBNET_SELECT_CTRL:    # section 3.4: no data
        return value.length == 0
    return True


cdef void use_network(Packet4* packet, Field network) noexcept nogil:
    """The tenant was chosen by `network`: the reply says so by leaving out the control sub-option of the echo (RFC 6607
    section 7.2). Without room for a copy the echo stays as it came, and the relay takes the network for unknown."""
    cdef Cursor c = cursor(packet.relay_echo.data, packet.relay_echo.length)
    cdef Field copy
    cdef const uint8_t* start
    packet.used_network = network
    if packet.network.data == NULL or packet.scratch_used + packet.relay_echo.length > SCRATCH:
        return
    copy.data = packet.scratch + packet.scratch_used
    copy.length = 0
    while remaining(&c):
        start = c.p
        take(&c, 2)
        take(&c, start[1])
        if start[0] != RAI_VIRTUAL_SUBNET_SELECT_CTRL:
            memcpy(packet.scratch + packet.scratch_used, start, c.p - start)
            packet.scratch_used += <uint16_t>(c.p - start)
            copy.length += <uint16_t>(c.p - start)
    packet.relay_echo = copy


cdef inline void keep_first(Field* kept, Field value) noexcept nogil:
    if kept.data == NULL:
        kept[0] = value
