"""Relays' envelopes opened, and put around a reply (RFC 8415 sections 9, 19.3)."""

from libc.string cimport memcpy, memset

from dhcp_fast.wire.codes6 cimport (
    MSG6_RELAY_FORW,
    MSG6_RELAY_REPL,
    OPT6_CLIENT_LINKLAYER_ADDR,
    OPT6_ERO,
    OPT6_INTERFACE_ID,
    OPT6_RELAY_ID,
    OPT6_RELAY_MSG,
    OPT6_RELAY_PORT,
    OPT6_REMOTE_ID,
    OPT6_RSOO,
    OPT6_SUBSCRIBER_ID,
    OPT6_VIRTUAL_SUBNET_SELECTION,
)
from dhcp_fast.wire.cursor cimport Cursor, cursor, load_u16, remaining, store_u64
from dhcp_fast.wire.duid cimport is_duid
from dhcp_fast.wire.faults6 cimport (
    FAULT6_BAD_RELAY, FAULT6_NONE, FAULT6_REPEATED_OPTION, FAULT6_TOO_LONG, FAULT6_TOO_MANY_RELAYS, FAULT6_TOO_SHORT)
from dhcp_fast.wire.packet6 cimport ADDRESS6, consumed6, cut_code6, next_option6
from dhcp_fast.wire.reply6 cimport begin_reply6, finish_reply6, open_option6, put_field6, put_option6, reserve6

cdef enum:
    MAX_ECHOED = 64     # codes of an Echo Request that are looked at, so that it costs no more than it may


cdef Fault6 open_relays6(Relays6* relays, const uint8_t* data, size_t length, Field* message) noexcept nogil:
    """Return the hops, and in `message` what the innermost envelope holds: a client's message, or none (`parse6`
    judges)."""
    cdef Fault6 fault
    relays.count = 0
    relays.ignored.some = False
    if length == 0:
        return FAULT6_TOO_SHORT
    if length > 0xFFFF:
        return FAULT6_TOO_LONG
    message.data = data
    message.length = <uint16_t>length
    while message.length and message.data[0] == MSG6_RELAY_FORW:
        if relays.count == MAX_HOPS:
            return FAULT6_TOO_MANY_RELAYS
        fault = open_hop(relays, &relays.hops[relays.count], message)
        if fault != FAULT6_NONE:
            return fault
        relays.count += 1
    return FAULT6_NONE


cdef Fault6 open_hop(Relays6* relays, Hop6* hop, Field* message) noexcept nogil:
    """Return one envelope: from `message` into `hop`, and what is in it into `message`."""
    if message.length < RELAY_HEADER6:
        return FAULT6_TOO_SHORT
    memset(hop, 0, sizeof(Hop6))
    hop.hop_count = message.data[1]
    hop.link_address = message.data + 2
    hop.peer_address = message.data + 2 + ADDRESS6
    hop.options.data = message.data + RELAY_HEADER6
    hop.options.length = message.length - RELAY_HEADER6
    message.data = NULL
    return read_options(relays, hop, message)


cdef Fault6 read_options(Relays6* relays, Hop6* hop, Field* message) noexcept nogil:
    """Read the options. An envelope without a message is useless, and one with two messages is ambiguous."""
    cdef Cursor c = cursor(hop.options.data, hop.options.length)
    cdef uint16_t code
    cdef Field value
    while next_option6(&c, &code, &value):
        if code == OPT6_RELAY_MSG:
            if message.data != NULL:
                return FAULT6_REPEATED_OPTION
            message[0] = value
        elif not is_well_formed_hop6(code, value):
            note_ignored(&relays.ignored, <uint8_t>code)
        else:
            keep_option(relays, hop, code, value)
    if remaining(&c):
        note_ignored(&relays.ignored, cut_code6(&c))
    return FAULT6_NONE if message.data != NULL else FAULT6_BAD_RELAY


cdef bint is_well_formed_hop6(uint16_t code, Field value) noexcept nogil:
    """Return whether the hop is well-formed.

    Fields that identify a line may contain any octets, or none: an empty one is no reason to leave
    the relay's clients without an answer.
    """
    if code == OPT6_REMOTE_ID:                          # RFC 4649 section 3
        return value.length >= 4
    elif code == OPT6_RELAY_ID:
        return is_duid(value)
    elif code == OPT6_CLIENT_LINKLAYER_ADDR:            # RFC 6939 section 4: a hardware type and an address, if known
        return value.length >= 2
    elif code == OPT6_ERO:                              # RFC 4994 section 3
        return value.length % 2 == 0
    elif code == OPT6_RELAY_PORT:                       # RFC 8357 section 4.2
        return value.length == 2
    return True


cdef void keep_option(Relays6* relays, Hop6* hop, uint16_t code, Field value) noexcept nogil:
    """Keep the first of a repeated option."""
    if code == OPT6_INTERFACE_ID:
        keep_first(&hop.interface_id, value)
    elif code == OPT6_REMOTE_ID:
        keep_first(&hop.remote_id, value)
    elif code == OPT6_SUBSCRIBER_ID:                    # RFC 4580 section 2
        keep_first(&hop.subscriber_id, value)
    elif code == OPT6_RELAY_ID:
        keep_first(&hop.relay_id, value)
    elif code == OPT6_CLIENT_LINKLAYER_ADDR:
        keep_first(&hop.link_layer, value)
    elif code == OPT6_VIRTUAL_SUBNET_SELECTION:         # RFC 6607 section 3.2: a type octet at least, else nobody's
        keep_first(&hop.network, value)
        if value.length == 0:
            note_ignored(&relays.ignored, OPT6_VIRTUAL_SUBNET_SELECTION)
    elif code == OPT6_RSOO:                             # RFC 6422 section 3: options before a cut one
        keep_first(&hop.supplied, value)
        if not consumed6(value, 0):
            note_ignored(&relays.ignored, OPT6_RSOO)
    elif code == OPT6_ERO:
        keep_first(&hop.echo_request, value)
    elif code == OPT6_RELAY_PORT:
        keep_first(&hop.relay_port, value)


cdef inline void keep_first(Field* kept, Field value) noexcept nogil:
    if kept.data == NULL:
        kept[0] = value


cdef bint put_relays6(Reply6* reply, const Relays6* relays) noexcept nogil:
    """Put the RELAY-REPL of each hop, outermost first (RFC 8415 section 19.3).

    The next options go into the innermost one; without relays nothing is written. False when they
    do not fit: the reply cannot be sent.
    """
    cdef int at
    for at in range(relays.count):
        if not put_hop(reply, &relays.hops[at]):
            return False
    return True


cdef bint put_hop(Reply6* reply, const Hop6* hop) noexcept nogil:
    """Put the hop.

    Hop count and addresses are copied, as are the Interface-Id (section 21.18), the source port
    (RFC 8357 section 5.2) and the options that the relay requests (RFC 4994). The virtual network
    is copied if it was used (RFC 6607 section 7.1).
    """
    cdef uint8_t* p = reserve6(reply, RELAY_HEADER6)
    if p == NULL:
        return False
    p[0] = MSG6_RELAY_REPL
    p[1] = hop.hop_count
    memcpy(p + 2, hop.link_address, ADDRESS6)
    memcpy(p + 2 + ADDRESS6, hop.peer_address, ADDRESS6)
    return (put_field6(reply, OPT6_INTERFACE_ID, hop.interface_id)
            and put_field6(reply, OPT6_RELAY_PORT, hop.relay_port)
            and (not hop.network_used or put_field6(reply, OPT6_VIRTUAL_SUBNET_SELECTION, hop.network))
            and put_echoes(reply, hop) and open_option6(reply, OPT6_RELAY_MSG))


cdef bint put_echoes(Reply6* reply, const Hop6* hop) noexcept nogil:
    """Put the options that the Echo Request names (RFC 4994 section 5), verbatim, unless they are
    there already.
    """
    cdef Cursor c = cursor(hop.options.data, hop.options.length)
    cdef uint16_t code
    cdef Field value
    if hop.echo_request.data == NULL:
        return True
    while remaining(&c) and next_option6(&c, &code, &value):
        if wants_back(hop, code) and not put_option6(reply, code, value.data, value.length):
            return False
    return True


cdef bint wants_back(const Hop6* hop, uint16_t code) noexcept nogil:
    cdef int at
    if (code == OPT6_INTERFACE_ID or code == OPT6_RELAY_PORT or code == OPT6_RELAY_MSG
            or code == OPT6_VIRTUAL_SUBNET_SELECTION):
        return False
    for at in range(0, min(hop.echo_request.length, <uint16_t>(2 * MAX_ECHOED)), 2):
        if load_u16(hop.echo_request.data + at) == code:
            return True
    return False


cdef uint16_t copy_relays6(
        const Relays6* relays, uint64_t peer_hi, uint64_t peer_lo, uint8_t* room, uint16_t size) noexcept nogil:
    """Return the envelopes without the client's message, behind the address of the outermost relay (RFC 5007 section
    4.1.2.4, LQ_RELAY_DATA). The length; 0 without relays, and where they do not fit."""
    cdef Reply6 copy
    cdef uint8_t* peer
    cdef int at
    begin_reply6(&copy, room, size)
    peer = reserve6(&copy, ADDRESS6)
    if relays.count == 0 or peer == NULL:
        return 0
    store_u64(peer, peer_hi)
    store_u64(peer + 8, peer_lo)
    for at in range(relays.count):
        if at and not open_option6(&copy, OPT6_RELAY_MSG) or not copy_hop(&copy, &relays.hops[at]):
            return 0
    return finish_reply6(&copy)


cdef bint copy_hop(Reply6* copy, const Hop6* hop) noexcept nogil:
    """Copy the hop as it came; its message is copied after its own options, or not at all."""
    cdef Cursor c = cursor(hop.options.data, hop.options.length)
    cdef uint16_t code
    cdef Field value
    cdef uint8_t* p = reserve6(copy, RELAY_HEADER6)
    if p == NULL:
        return False
    p[0] = MSG6_RELAY_FORW
    p[1] = hop.hop_count
    memcpy(p + 2, hop.link_address, ADDRESS6)
    memcpy(p + 2 + ADDRESS6, hop.peer_address, ADDRESS6)
    while remaining(&c) and next_option6(&c, &code, &value):
        if code != OPT6_RELAY_MSG and not put_option6(copy, code, value.data, value.length):
            return False
    return True
