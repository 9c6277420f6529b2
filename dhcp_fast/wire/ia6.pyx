"""Identity associations in a client's message, with their addresses and prefixes (RFC 8415 sections 21.4 to 21.6, 21.21
and 21.22). A malformed one counts as absent (decisions: Malformed options)."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

from dhcp_fast.wire.codes6 cimport OPT6_IAADDR, OPT6_IAPREFIX, OPT6_IA_PD, OPT6_IA_TA, OPT6_PD_EXCLUDE
from dhcp_fast.wire.cursor cimport Cursor, cursor, load_u32, remaining, take
from dhcp_fast.wire.faults6 cimport FAULT6_NONE, FAULT6_TOO_MANY_ADDRESSES, FAULT6_TOO_MANY_IAS
from dhcp_fast.wire.view6 cimport (
    MAX_IAS, MAX_IA_ADDRESSES, Ia6, consumed6, has6, ignore6, keep6, next_option6, note_ignored)


cdef Fault6 read_ia6(Packet6* packet, uint8_t kind, Field value) noexcept nogil:
    """Read IA_NA, IA_TA and IA_PD (RFC 8415 sections 21.4, 21.5, 21.21); an IA_TA has no T1 and T2. Of two of one kind
    and IAID (section 12: it is unique among the client's) the first counts."""
    cdef Cursor c = cursor(value.data, value.length)
    cdef const uint8_t* fixed = take(&c, 4 if kind == OPT6_IA_TA else 12)
    cdef Ia6* ia
    if fixed == NULL or is_known_ia(packet, kind, load_u32(fixed)):
        return ignore6(packet, kind)
    if packet.ia_count == MAX_IAS:
        return FAULT6_TOO_MANY_IAS
    if not has6(packet, kind):
        keep6(packet, kind, value)
    ia = &packet.ias[packet.ia_count]
    packet.ia_count += 1
    ia.kind = kind
    ia.iaid = load_u32(fixed)
    ia.t1 = 0 if kind == OPT6_IA_TA else load_u32(fixed + 4)
    ia.t2 = 0 if kind == OPT6_IA_TA else load_u32(fixed + 8)
    ia.first = packet.address_count
    ia.count = 0
    return read_ia_options(packet, ia, c)


cdef bint is_known_ia(const Packet6* packet, uint8_t kind, uint32_t iaid) noexcept nogil:
    cdef int at
    for at in range(packet.ia_count):
        if packet.ias[at].iaid == iaid and packet.ias[at].kind == kind:
            return True
    return False


cdef Fault6 read_ia_options(Packet6* packet, Ia6* ia, Cursor c) noexcept nogil:
    """Read the addresses of an IA_NA or IA_TA, or the prefixes of an IA_PD; a server ignores the
    other options there.
    """
    cdef uint16_t code, wanted = OPT6_IAPREFIX if ia.kind == OPT6_IA_PD else OPT6_IAADDR
    cdef Field value
    cdef IaAddress6 item
    while next_option6(&c, &code, &value):
        if code != wanted or not (
                read_prefix(packet, &item, value) if code == OPT6_IAPREFIX else read_address6(packet, &item, value)):
            continue
        if packet.address_count == MAX_IA_ADDRESSES:
            return FAULT6_TOO_MANY_ADDRESSES
        packet.addresses[packet.address_count] = item
        packet.address_count += 1
        ia.count += 1
    return ignore6(packet, <uint8_t>ia.kind) if remaining(&c) else FAULT6_NONE


cdef bint read_address6(Packet6* packet, IaAddress6* item, Field value) noexcept nogil:
    """Read IAADDR (RFC 8415 section 21.6). False when it is malformed; one that is cut in its options is not."""
    if not consumed6(value, 24):
        note_ignored(&packet.ignored, OPT6_IAADDR)
    if value.length < 24:
        return False
    item.address = value.data
    item.preferred = load_u32(value.data + 16)
    item.valid = load_u32(value.data + 20)
    item.length = 128
    item.excluded.data = NULL
    return True


cdef bint read_prefix(Packet6* packet, IaAddress6* item, Field value) noexcept nogil:
    """Read IAPREFIX (RFC 8415 section 21.22), likewise."""
    if value.length < 25 or value.data[8] > 128:
        note_ignored(&packet.ignored, OPT6_IAPREFIX)
        return False
    item.preferred = load_u32(value.data)
    item.valid = load_u32(value.data + 4)
    item.length = value.data[8]
    item.address = value.data + 9
    item.excluded.data = NULL
    read_excluded(packet, item, cursor(value.data + 25, value.length - 25))
    return True


cdef void read_excluded(Packet6* packet, IaAddress6* item, Cursor c) noexcept nogil:
    """Read the first well-formed excluded prefix among the options of a prefix."""
    cdef uint16_t code
    cdef Field value
    while next_option6(&c, &code, &value):
        if code != OPT6_PD_EXCLUDE:
            continue
        if not is_excluded(value, item.length):
            note_ignored(&packet.ignored, OPT6_PD_EXCLUDE)
        elif item.excluded.data == NULL:
            item.excluded = value
    if remaining(&c):
        note_ignored(&packet.ignored, OPT6_IAPREFIX)


cdef bint is_excluded(Field value, uint8_t delegated) noexcept nogil:
    """Return whether the prefix is excluded (RFC 6603 section 4.2): longer than the delegated prefix, and the octets
    that its own bits take."""
    if value.length < 2 or value.data[0] <= delegated or value.data[0] > 128:
        return False
    return value.length == 2 + (value.data[0] - delegated - 1) // 8
