from libc.stdint cimport uint8_t, uint32_t, uint64_t

from dhcp_fast.wire.dns_message cimport DnsQuery

cdef struct Client:
    uint8_t address[16]
    uint8_t length              # 4 or 16

cdef void make_cookie(
    const uint64_t* key, const DnsQuery* query, const Client* client, uint32_t now, uint8_t* cookie) noexcept nogil
cdef bint is_ours(const uint64_t* key, const DnsQuery* query, const Client* client, uint32_t now) noexcept nogil
