"""DHCPv6 parsing: a client's message -> Packet6, or the reason why it is not one.

One walk over the options notes the first of each code below 256 and reads the identity associations
on its way. A malformed option counts as absent (decisions: Malformed options). A repeated option
that may appear only once is not joined (RFC 8415 section 21.1: "MUST NOT be concatenated"). The
first one counts, except for identifiers: two different ones make the message ambiguous. Cheapest
test first; nothing is allocated.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memset

from dhcp_fast.wire.codes6 cimport (
    MSG6_ADDR_REG_INFORM,
    MSG6_CONFIRM,
    MSG6_DECLINE,
    MSG6_INFORMATION_REQUEST,
    MSG6_LEASEQUERY,
    MSG6_REBIND,
    MSG6_RELEASE,
    MSG6_RENEW,
    MSG6_REQUEST,
    MSG6_SOLICIT,
    OPT6_CLIENT_ARCH_TYPE,
    OPT6_CLIENT_FQDN,
    OPT6_CLIENTID,
    OPT6_ELAPSED_TIME,
    OPT6_IA_NA,
    OPT6_IA_PD,
    OPT6_IA_TA,
    OPT6_IAADDR,
    OPT6_NII,
    OPT6_ORO,
    OPT6_RAPID_COMMIT,
    OPT6_RECONF_ACCEPT,
    OPT6_SERVERID,
    OPT6_USER_CLASS,
    OPT6_VENDOR_CLASS,
    OPT6_VENDOR_OPTS,
    OPT6_VIRTUAL_SUBNET_SELECTION,
)
from dhcp_fast.wire.client_options cimport has_code
from dhcp_fast.wire.cursor cimport Cursor, cursor, load_u16, load_u32, remaining, take
from dhcp_fast.wire.duid cimport is_duid
from dhcp_fast.wire.faults6 cimport (
    FAULT6_BAD_MESSAGE_TYPE, FAULT6_LEASEQUERY, FAULT6_NONE, FAULT6_NO_ADDRESS, FAULT6_NO_CLIENT_ID,
    FAULT6_NO_SERVER_ID, FAULT6_REPEATED_OPTION, FAULT6_TOO_LONG, FAULT6_TOO_SHORT, FAULT6_UNEXPECTED_OPTION,
    FAULT6_UNEXPECTED_SERVER_ID)
from dhcp_fast.wire.ia6 cimport read_address6, read_ia6
from dhcp_fast.wire.names cimport are_labels


cdef Fault6 parse6(Packet6* packet, const uint8_t* data, size_t length) noexcept nogil:
    """Fill `packet` from a client's message, relays' envelopes taken off; the first fault found ends the work."""
    cdef Fault6 fault
    if length < HEADER6:
        return FAULT6_TOO_SHORT
    if length > 0xFFFF:
        return FAULT6_TOO_LONG
    if not is_of_a_client(data[0]):
        return FAULT6_LEASEQUERY if data[0] == MSG6_LEASEQUERY else FAULT6_BAD_MESSAGE_TYPE
    read_header(packet, data, length)
    fault = walk(packet)
    if fault != FAULT6_NONE:
        return fault
    if has6(packet, OPT6_ORO):
        note_asked(packet, packet.options[<int>OPT6_ORO])
    return FAULT6_NONE


cdef inline bint is_of_a_client(uint8_t kind) noexcept nogil:
    """Return whether clients send it to servers (RFC 8415 section 7.3, RFC 9686).

    Servers discard the rest (sections 16.3, 16.10, 16.11, 16.14); a RELAY-FORW is opened before
    (relay6).
    """
    return (kind == MSG6_SOLICIT or kind == MSG6_REQUEST or kind == MSG6_CONFIRM or kind == MSG6_RENEW
            or kind == MSG6_REBIND or kind == MSG6_RELEASE or kind == MSG6_DECLINE
            or kind == MSG6_INFORMATION_REQUEST or kind == MSG6_ADDR_REG_INFORM)


cdef void read_header(Packet6* packet, const uint8_t* data, size_t length) noexcept nogil:
    packet.raw = data
    packet.length = <uint16_t>length
    packet.message_type = data[0]
    packet.transaction_id = load_u32(data) & 0xFFFFFF
    packet.ia_count = 0
    packet.address_count = 0
    packet.ignored.some = False
    packet.registered.address = NULL
    packet.recalled = Field(NULL, 0)
    memset(&packet.recalled_codes, 0, sizeof(packet.recalled_codes))
    memset(packet.present, 0, sizeof(packet.present))
    memset(packet.asked, 0, sizeof(packet.asked))


cdef inline Cursor options_of(const Packet6* packet) noexcept nogil:
    return cursor(packet.raw + HEADER6, packet.length - HEADER6)


cdef Fault6 walk(Packet6* packet) noexcept nogil:
    cdef Cursor c = options_of(packet)
    cdef uint16_t code
    cdef Field value
    cdef Fault6 fault
    while next_option6(&c, &code, &value):
        if code > 255:
            continue
        fault = note(packet, <uint8_t>code, value)
        if fault != FAULT6_NONE:
            return fault
    return ignore6(packet, cut_code6(&c)) if remaining(&c) else FAULT6_NONE


cdef Fault6 note(Packet6* packet, uint8_t code, Field value) noexcept nogil:
    """Note the first well-formed instance."""
    if code == OPT6_IA_NA or code == OPT6_IA_TA or code == OPT6_IA_PD:
        return read_ia6(packet, code, value)
    if is_registration(packet, code):
        return read_registered(packet, value)
    if not is_well_formed6(code, value):
        return ignore6(packet, code)
    if not has6(packet, code):
        keep6(packet, code, value)
        if code == OPT6_VIRTUAL_SUBNET_SELECTION and value.length == 0:     # names a network that no tenant has
            note_ignored(&packet.ignored, code)
    elif code == OPT6_CLIENTID or code == OPT6_SERVERID:
        return note_again(packet, code, value)
    return FAULT6_NONE


cdef Fault6 note_again(Packet6* packet, uint8_t code, Field value) noexcept nogil:
    """Return a second identifier that is the first one again counts as absent; by another one the message would be
    somebody else's."""
    cdef const Field* first = &packet.options[code]
    note_ignored(&packet.ignored, code)
    if value.length == first.length and memcmp(value.data, first.data, value.length) == 0:
        return FAULT6_NONE
    return FAULT6_REPEATED_OPTION


cdef inline bint is_registration(const Packet6* packet, uint8_t code) noexcept nogil:
    """Return whether it is a registration: only this message has an address outside of any identity
    association (RFC 9686).
    """
    return code == OPT6_IAADDR and packet.message_type == MSG6_ADDR_REG_INFORM


cdef Fault6 read_registered(Packet6* packet, Field value) noexcept nogil:
    cdef IaAddress6 item
    if not read_address6(packet, &item, value):
        return FAULT6_NONE
    if has6(packet, OPT6_IAADDR):
        return note_again(packet, OPT6_IAADDR, value)
    keep6(packet, OPT6_IAADDR, value)
    packet.registered = item
    return FAULT6_NONE


cdef bint is_well_formed6(uint8_t code, Field value) noexcept nogil:
    """Return the layouts of RFC 8415 sections 21.2 to 21.20 as far as the server reads them, but for associations;
    other options may hold anything."""
    if code == OPT6_CLIENTID or code == OPT6_SERVERID:
        return is_duid(value)
    elif code == OPT6_ORO:
        return value.length % 2 == 0
    elif code == OPT6_ELAPSED_TIME:
        return value.length == 2
    elif code == OPT6_RAPID_COMMIT or code == OPT6_RECONF_ACCEPT:
        return value.length == 0
    elif code == OPT6_USER_CLASS:
        return value.length and has_pieces(value, 0)
    elif code == OPT6_VENDOR_CLASS:
        return has_pieces(value, 4)
    elif code == OPT6_VENDOR_OPTS:
        return consumed6(value, 4)
    elif code == OPT6_CLIENT_FQDN:             # RFC 4704 section 4: flags and a name
        return value.length and are_labels(value.data + 1, value.length - 1)
    elif code == OPT6_CLIENT_ARCH_TYPE:        # RFC 5970 section 3.3: one type at least
        return value.length and value.length % 2 == 0
    elif code == OPT6_NII:                     # RFC 5970 section 3.4
        return value.length == 3
    return True


cdef bint has_pieces(Field value, size_t fixed) noexcept nogil:
    """Return whether behind `fixed` octets nothing but pieces, to the last octet."""
    cdef Cursor c = cursor(value.data, value.length)
    cdef Field piece
    if take(&c, fixed) == NULL:
        return False
    while remaining(&c):
        if not next_piece6(&c, &piece):
            return False
    return True


cdef Field find_option(Cursor c, uint16_t wanted) noexcept nogil:
    """Return the first of the code; its data NULL when there is none."""
    cdef uint16_t code
    cdef Field value
    while remaining(&c) and next_option6(&c, &code, &value):
        if code == wanted:
            return value
    value.data = NULL
    value.length = 0
    return value


cdef void note_asked(Packet6* packet, Field oro) noexcept nogil:
    cdef int at
    cdef uint16_t code
    for at in range(0, oro.length, 2):
        code = load_u16(oro.data + at)
        if code < 256:
            packet.asked[code >> 6] |= <uint64_t>1 << (code & 63)


cdef bint asks6(const Packet6* packet, uint16_t code) noexcept nogil:
    """Return whether the Option Request option (RFC 8415 section 21.7) names the code."""
    cdef int at
    cdef Field oro
    if code < 256:
        return (packet.asked[code >> 6] >> (code & 63)) & 1
    if not has6(packet, OPT6_ORO):
        return False
    oro = packet.options[<int>OPT6_ORO]
    for at in range(0, oro.length, 2):
        if load_u16(oro.data + at) == code:
            return True
    return False


cdef Field option6(const Packet6* packet, uint16_t code) noexcept nogil:
    """Return the first of the code, which may be any; its data NULL when it is absent."""
    cdef Field absent
    if code > 255:
        return find_option(options_of(packet), code)
    if has6(packet, <uint8_t>code):
        return packet.options[code]
    absent.data = NULL
    absent.length = 0
    return absent


cdef Cursor instances6(const Packet6* packet, uint8_t code) noexcept nogil:
    """Return where all options of the code are to be looked for: in the message, or among what was recalled in its
    place."""
    if not has6(packet, code):
        return cursor(packet.raw, 0)
    if has_code(&packet.recalled_codes, code):
        return cursor(packet.recalled.data, packet.recalled.length)
    return options_of(packet)


cdef bint next_instance6(Cursor* c, uint8_t code, Field* value) noexcept nogil:
    """Return the next well-formed one; False: there is no other."""
    cdef uint16_t found
    while remaining(c) and next_option6(c, &found, value):
        if found == code and is_well_formed6(code, value[0]):
            return True
    return False


cdef Field vendor_part6(const Packet6* packet, uint8_t code, uint32_t enterprise) noexcept nogil:
    """Return, of option 16 or 17, which a client sends once for each enterprise (RFC 8415 sections 21.16, 21.17), what
    follows this enterprise's number."""
    cdef Cursor c = instances6(packet, code)
    cdef Field value
    while next_instance6(&c, code, &value):
        if load_u32(value.data) == enterprise:
            return Field(value.data + 4, value.length - 4)
    return Field(NULL, 0)


cdef uint16_t elapsed6(const Packet6* packet) noexcept nogil:
    """Return for how long the client has tried, in hundredths of a second (RFC 8415 section 21.9); 0 without the
    option."""
    if not has6(packet, OPT6_ELAPSED_TIME):
        return 0
    return load_u16(packet.options[<int>OPT6_ELAPSED_TIME].data)


cdef Fault6 check6(const Packet6* packet) noexcept nogil:
    """Check by RFC 8415 sections 16.2 to 16.12 and RFC 9686 section 4.2.1: a message without the identifiers that its
    type must have, or with what it must not have, is discarded. Whether the server identifier is ours is another
    question."""
    cdef uint8_t kind = packet.message_type
    if kind == MSG6_INFORMATION_REQUEST:
        return FAULT6_UNEXPECTED_OPTION if packet.ia_count else FAULT6_NONE
    if not has6(packet, OPT6_CLIENTID):
        return FAULT6_NO_CLIENT_ID
    if kind == MSG6_SOLICIT or kind == MSG6_CONFIRM or kind == MSG6_REBIND or kind == MSG6_ADDR_REG_INFORM:
        if has6(packet, OPT6_SERVERID):
            return FAULT6_UNEXPECTED_SERVER_ID
    elif not has6(packet, OPT6_SERVERID):
        return FAULT6_NO_SERVER_ID
    if kind == MSG6_ADDR_REG_INFORM:
        return check_registration(packet)
    return FAULT6_NONE


cdef Fault6 check_registration(const Packet6* packet) noexcept nogil:
    """Check by RFC 9686 section 4.2.1. Whether the address is the one it was sent from, who knows the sender must
    see."""
    if packet.registered.address == NULL:
        return FAULT6_NO_ADDRESS
    return FAULT6_UNEXPECTED_OPTION if has6(packet, OPT6_ORO) else FAULT6_NONE


cdef bint names_another_server(const Packet6* packet, Field server_id) noexcept nogil:
    """Return whether the message is discarded (RFC 8415 sections 16.4 to 16.12), its server identifier being
    another's."""
    cdef const Field* named = &packet.options[<int>OPT6_SERVERID]
    if not has6(packet, OPT6_SERVERID):
        return False
    return named.length != server_id.length or memcmp(named.data, server_id.data, named.length) != 0


cdef Field option_in(Field options, uint16_t wanted) noexcept nogil:
    """Return the first option of that code among these, as far as they can be walked; its data NULL when there is
    none."""
    return find_option(cursor(options.data, options.length), wanted)
