"""A DNS response, written front to back into a buffer: header and question, RRsets, the OPT record.

Owners are pointers to where the message has the name already (RFC 1035 section 4.1.4), which there always is; only
beyond the farthest place that a pointer reaches they are written in full. An RRset is there whole or not at all (RFC
2181 section 9).
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy, memset

from dhcp_fast.dns.zone_image cimport RRset, records_of
from dhcp_fast.wire.cursor cimport load_u16, store_u16, store_u32
from dhcp_fast.wire.dns_message cimport (
    CLIENT_COOKIE, FARTHEST_POINTER, FLAG_DO, FLAG_OPCODE, FLAG_QR, FLAG_RD, FLAG_TC, OPTION_COOKIE,
    POINTER, SERVER_COOKIE, TYPE_CNAME, TYPE_OPT, DnsName, DnsQuery)

cdef enum:
    OPT_SIZE = 11
    OPTION_HEAD = 4
    COOKIE_SIZE = OPTION_HEAD + CLIENT_COOKIE + SERVER_COOKIE
    RECORD_HEAD = 10


cdef void begin_reply(Reply* reply, const DnsQuery* query, uint8_t* out, uint32_t limit) noexcept nogil:
    """Begin with header and question of the query as they came, so that the spelling of its name is kept; `out` has
    room for `limit` octets."""
    reply.out = out
    memcpy(out, query.data, query.end)
    reply.length = query.end
    reply.limit = limit
    reply.flags = 0
    reply.has_cookie = False
    memset(reply.counts, 0, sizeof(reply.counts))
    if query.has_opt:
        reply.limit -= OPT_SIZE + (COOKIE_SIZE if query.cookie != NULL else 0)


cdef bint put_set(Reply* reply, int section, const Owner* owner, const RRset* rrset) noexcept nogil:
    """Return False where it has no room; then nothing was written."""
    cdef bint near = owner.offset <= FARTHEST_POINTER
    cdef uint32_t owner_size = 2 if near else owner.length
    cdef const uint8_t* record = records_of(rrset)
    cdef const uint8_t* end = record + rrset.size
    cdef uint8_t* to = reply.out + reply.length
    cdef uint32_t size
    if reply.length + rrset.size + rrset.count * owner_size > reply.limit:
        return False
    while record < end:
        if near:
            store_u16(to, <uint16_t>(POINTER | owner.offset))
        else:
            memcpy(to, owner.name, owner.length)
        to += owner_size
        size = RECORD_HEAD + load_u16(record + 8)
        memcpy(to, record, size)
        to += size
        record += size
    reply.length = <uint32_t>(to - reply.out)
    reply.counts[section] += rrset.count
    return True


cdef bint put_alias(Reply* reply, const Owner* owner, const RRset* source, const DnsName* target) noexcept nogil:
    """Put a CNAME record with class and TTL of the DNAME that it is made from (RFC 6672 section 3.1), among the
    answers; False where it has no room."""
    cdef bint near = owner.offset <= FARTHEST_POINTER
    cdef uint32_t owner_size = 2 if near else owner.length
    cdef uint8_t* to = reply.out + reply.length
    if reply.length + owner_size + RECORD_HEAD + target.length > reply.limit:
        return False
    if near:
        store_u16(to, <uint16_t>(POINTER | owner.offset))
    else:
        memcpy(to, owner.name, owner.length)
    to += owner_size
    memcpy(to, records_of(source), RECORD_HEAD)
    store_u16(to, TYPE_CNAME)
    store_u16(to + 8, target.length)
    memcpy(to + RECORD_HEAD, target.octets, target.length)
    reply.length += owner_size + RECORD_HEAD + target.length
    reply.counts[ANSWER] += 1
    return True


cdef uint32_t record_place(const Owner* owner, uint32_t start, uint32_t at, uint32_t index) noexcept nogil:
    """Return where the message has octet `at` of an RRset that was put at `start`, in its record of that index."""
    return start + at + (index + 1) * (2 if owner.offset <= FARTHEST_POINTER else owner.length)


cdef void cut_reply(Reply* reply, const DnsQuery* query) noexcept nogil:
    """Leave nothing but the question, and a mark that there would be more."""
    reply.length = query.end
    reply.flags |= FLAG_TC
    memset(reply.counts, 0, sizeof(reply.counts))


cdef uint32_t finish_reply(Reply* reply, const DnsQuery* query, int code) noexcept nogil:
    """Return the message's length. Of the query's flags RD is repeated (RFC 1035 section 4.1.1), and its opcode."""
    cdef uint16_t kept = query.flags & <uint16_t>(FLAG_OPCODE | FLAG_RD)
    store_u16(reply.out + 2, <uint16_t>(FLAG_QR | kept | reply.flags | (code & 0xF)))
    store_u16(reply.out + 4, query.has_question)
    store_u16(reply.out + 6, reply.counts[0])
    store_u16(reply.out + 8, reply.counts[1])
    store_u16(reply.out + 10, <uint16_t>(reply.counts[2] + query.has_opt))
    if query.has_opt:
        put_opt(reply, query, code)
    return reply.length


cdef void put_opt(Reply* reply, const DnsQuery* query, int code) noexcept nogil:
    """Put the OPT record (RFC 6891 section 6.1); DO is repeated (RFC 3225 section 3)."""
    cdef uint8_t* to = reply.out + reply.length
    to[0] = 0
    store_u16(to + 1, TYPE_OPT)
    store_u16(to + 3, SENT_PAYLOAD)
    store_u32(to + 5, (<uint32_t>(code >> 4) << 24) | (<uint32_t>FLAG_DO if query.wants_dnssec else 0))
    store_u16(to + 9, 0)
    reply.length += OPT_SIZE
    if reply.has_cookie:
        store_u16(to + 9, COOKIE_SIZE)
        put_cookie(reply, query)


cdef void put_cookie(Reply* reply, const DnsQuery* query) noexcept nogil:
    cdef uint8_t* to = reply.out + reply.length
    store_u16(to, OPTION_COOKIE)
    store_u16(to + 2, CLIENT_COOKIE + SERVER_COOKIE)
    memcpy(to + OPTION_HEAD, query.cookie, CLIENT_COOKIE)
    memcpy(to + OPTION_HEAD + CLIENT_COOKIE, reply.server_cookie, SERVER_COOKIE)
    reply.length += COOKIE_SIZE
