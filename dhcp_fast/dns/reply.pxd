from libc.stdint cimport uint8_t, uint16_t, uint32_t

from dhcp_fast.dns.zone_image cimport RRset
from dhcp_fast.wire.dns_message cimport SERVER_COOKIE, DnsName, DnsQuery

cdef enum:
    SENT_PAYLOAD = 1232         # octets over UDP, which no path fragments (DNS flag day 2020)
    LONGEST_RESPONSE = 65535    # over TCP

    ANSWER = 0
    AUTHORITY = 1
    ADDITIONAL = 2

cdef struct Owner:
    const uint8_t* name         # in full
    uint8_t length
    uint32_t offset             # where the message has it

cdef struct Reply:
    uint8_t* out
    uint32_t length
    uint32_t limit              # leaves room for the OPT record
    uint16_t flags              # AA and TC
    uint16_t counts[3]          # of records by section
    bint has_cookie
    uint8_t server_cookie[SERVER_COOKIE]

cdef void begin_reply(Reply* reply, const DnsQuery* query, uint8_t* out, uint32_t limit) noexcept nogil
cdef bint put_set(Reply* reply, int section, const Owner* owner, const RRset* rrset) noexcept nogil
cdef bint put_alias(Reply* reply, const Owner* owner, const RRset* source, const DnsName* target) noexcept nogil
cdef void cut_reply(Reply* reply, const DnsQuery* query) noexcept nogil
cdef uint32_t finish_reply(Reply* reply, const DnsQuery* query, int code) noexcept nogil
cdef uint32_t record_place(const Owner* owner, uint32_t start, uint32_t at, uint32_t index) noexcept nogil
