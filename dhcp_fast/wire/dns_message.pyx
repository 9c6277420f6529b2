"""DNS queries: octets -> DnsQuery, or the response code of an invalid one.

Every record is walked to its end, because OPT and TSIG come last and a message with octets left
over is malformed. Names of the records are skipped and not read, except those of a TSIG record: its
key is looked up by its name.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memset

from dhcp_fast.wire.cursor cimport Cursor, cursor, load_u16, load_u32, remaining, take, take_u8

cdef enum:
    RECORD_HEAD = 10            # type, class, TTL, length of the data
    QUESTION_TAIL = 4
    LONGEST_LABEL = 63
    LONGEST_COOKIE = 40
    TSIG_TIMES = 8              # time signed, fudge
    TSIG_TAIL = 4               # original ID, error
    LEAST_FULL_COOKIE = 16


cdef int parse_query(DnsQuery* query, const uint8_t* data, size_t length) noexcept nogil:
    """Return NOERROR, DNS_DROP, or the code to answer with: FORMERR, NOTIMP, BADVERS. `data` must outlive `query`."""
    cdef Cursor c = cursor(data, length)
    cdef int fault
    query.data = data
    query.length = <uint16_t>length
    query.end = DNS_HEADER
    query.has_question = query.has_opt = query.wants_dnssec = False
    query.cookie = NULL
    query.cookie_length = 0
    query.signed_at = 0
    if take(&c, DNS_HEADER) == NULL:
        return DNS_DROP
    query.flags = load_u16(data + 2)
    if query.flags & FLAG_QR:
        return DNS_DROP
    if query.flags & FLAG_OPCODE:
        return NOTIMP
    fault = read_question(query, &c)
    return fault if fault else read_records(query, &c)


cdef int read_question(DnsQuery* query, Cursor* c) noexcept nogil:
    cdef uint16_t count = load_u16(query.data + 4)
    cdef const uint8_t* tail
    if count == 0:
        return NOERROR
    if count != 1 or not read_name(&query.name, c.p, remaining(c)):
        return FORMERR
    c.p += query.name.length
    tail = take(c, QUESTION_TAIL)
    if tail == NULL:
        return FORMERR
    query.kind = load_u16(tail)
    query.klass = load_u16(tail + 2)
    query.end = <uint16_t>(c.p - query.data)
    query.has_question = True
    return NOERROR


cdef bint read_name(DnsName* name, const uint8_t* data, size_t length) noexcept nogil:
    """Return a name without pointers at the beginning of the octets; in a question there is nothing to point at."""
    cdef size_t at = 0
    cdef size_t end
    cdef uint8_t octet
    name.labels = 0
    while at < length and at < LONGEST_NAME:
        if data[at] == 0:
            name.octets[at] = 0
            name.starts[name.labels] = <uint8_t>at
            name.length = <uint8_t>(at + 1)
            return True
        end = at + 1 + data[at]
        if data[at] > LONGEST_LABEL or end >= length or end >= LONGEST_NAME:
            return False
        name.starts[name.labels] = <uint8_t>at
        name.labels += 1
        name.octets[at] = data[at]
        at += 1
        while at < end:
            octet = data[at]
            name.octets[at] = octet | 0x20 if 0x41 <= octet <= 0x5A else octet
            at += 1
    return False


cdef int read_records(DnsQuery* query, Cursor* c) noexcept nogil:
    """Return the first fault; a version of EDNS that is not known hides all that is wrong behind it."""
    cdef uint32_t early = <uint32_t>load_u16(query.data + 6) + load_u16(query.data + 8)
    cdef uint32_t count = early + load_u16(query.data + 10)
    cdef uint32_t i
    cdef int fault
    for i in range(count):
        if query.signed_at:         # must be last
            return FORMERR
        fault = read_record(query, c, i >= early)
        if fault:
            return fault
    if remaining(c) or not (query.has_question or query.cookie != NULL):
        return FORMERR
    return NOERROR


cdef int read_record(DnsQuery* query, Cursor* c, bint additional) noexcept nogil:
    cdef const uint8_t* start = c.p
    cdef const uint8_t* head
    cdef const uint8_t* data
    cdef uint16_t kind, size
    if not skip_name(c):
        return FORMERR
    head = take(c, RECORD_HEAD)
    if head == NULL:
        return FORMERR
    kind = load_u16(head)
    size = load_u16(head + 8)
    data = take(c, size)
    if data == NULL:
        return FORMERR
    if kind == TYPE_OPT:
        return read_opt(query, head, data, size) if additional and head == start + 1 else FORMERR
    if kind == TYPE_TSIG:
        if not additional or not is_tsig(query, start, head, data, size):
            return FORMERR
        query.signed_at = <uint16_t>(start - query.data)
    return NOERROR


cdef bint is_tsig(
        DnsQuery* query, const uint8_t* start, const uint8_t* head, const uint8_t* data, uint16_t size) noexcept nogil:
    """Return whether a TSIG record has the form of RFC 8945 section 4.2: class ANY, TTL 0, an
    algorithm's name without pointers, and lengths that add up. The signature and its key are
    checked elsewhere.
    """
    cdef Cursor c = cursor(data, size)
    cdef DnsName algorithm
    if load_u16(head + 2) != CLASS_ANY or load_u32(head + 4) or not is_readable_name(query, start):
        return False
    if not read_name(&algorithm, data, size):
        return False
    c.p += algorithm.length
    return (
        take(&c, TSIG_TIMES) != NULL and skip_counted(&c) and take(&c, TSIG_TAIL) != NULL and skip_counted(&c)
        and remaining(&c) == 0)


cdef bint skip_counted(Cursor* c) noexcept nogil:
    """Return octets behind their number in two octets."""
    cdef const uint8_t* length = take(c, 2)
    return length != NULL and take(c, load_u16(length)) != NULL


cdef bint is_readable_name(DnsQuery* query, const uint8_t* start) noexcept nogil:
    """Return whether a name ends within 255 octets. Each pointer leads to before the piece that it ends, so that there
    is no loop."""
    cdef size_t at = start - query.data
    cdef size_t earliest = at
    cdef size_t octets = 1
    cdef uint8_t length
    while at < query.length:
        length = query.data[at]
        if length == 0:
            return octets <= LONGEST_NAME
        if length >= 0xC0:
            if at + 1 >= query.length:
                return False
            at = load_u16(query.data + at) & FARTHEST_POINTER
            if at >= earliest:
                return False
            earliest = at
        else:
            octets += 1 + length
            at += 1 + length
            if length > LONGEST_LABEL or octets > LONGEST_NAME:
                return False
    return False


cdef bint skip_name(Cursor* c) noexcept nogil:
    cdef uint8_t length
    while take_u8(c, &length):
        if length == 0:
            return True
        if length >= 0xC0:
            return take(c, 1) != NULL
        if length > LONGEST_LABEL or take(c, length) == NULL:
            return False
    return False


cdef int read_opt(DnsQuery* query, const uint8_t* head, const uint8_t* data, uint16_t size) noexcept nogil:
    """Read the record of RFC 6891 section 6.1: the sender's payload size in the class, version and flags in the TTL."""
    if query.has_opt:
        return FORMERR
    query.has_opt = True
    query.payload = max(load_u16(head + 2), <uint16_t>LEAST_PAYLOAD)
    query.version = <uint8_t>(load_u32(head + 4) >> 16)
    query.wants_dnssec = (load_u16(head + 6) & FLAG_DO) != 0
    return BADVERS if query.version else read_options(query, data, size)


cdef int read_options(DnsQuery* query, const uint8_t* data, uint16_t size) noexcept nogil:
    """Read the options: of the options the first cookie counts (RFC 7873 section 5.2)."""
    cdef Cursor c = cursor(data, size)
    cdef const uint8_t* head
    cdef const uint8_t* value
    cdef uint16_t length
    while remaining(&c):
        head = take(&c, 4)
        if head == NULL:
            return FORMERR
        length = load_u16(head + 2)
        value = take(&c, length)
        if value == NULL:
            return FORMERR
        if load_u16(head) == OPTION_COOKIE and query.cookie == NULL:
            if length != CLIENT_COOKIE and not LEAST_FULL_COOKIE <= length <= LONGEST_COOKIE:
                return FORMERR
            query.cookie = value
            query.cookie_length = <uint8_t>length
    return NOERROR


def look(bytes data not None):
    """Return (response code, type, class, where the TSIG record begins, where the question ends) of a query. The code
    is -1 for a message that gets no response; the record's place is 0 in a message without a signature."""
    cdef DnsQuery query
    cdef const uint8_t* octets = data
    cdef int code
    memset(&query, 0, sizeof(query))
    code = parse_query(&query, octets, min(len(data), 65535))
    return code, query.kind, query.klass, query.signed_at, query.end
