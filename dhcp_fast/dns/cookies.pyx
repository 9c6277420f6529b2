"""Server cookies that any server with the secret makes and knows (RFC 9018 section 4):

    +---------+----------+-----------+----------------------------------------------------------+
    | version | reserved | timestamp | SipHash-2-4 of client cookie, these eight octets, address |
    | 1       | 3        | 4         | 8 octets                                                  |
    +---------+----------+-----------+----------------------------------------------------------+

A client with a valid cookie received an answer of ours at this address within the last hour, so its
address is not forged.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from dhcp_fast.structures.siphash cimport siphash24
from dhcp_fast.wire.cursor cimport load_u32, store_u32
from dhcp_fast.wire.dns_message cimport CLIENT_COOKIE, SERVER_COOKIE, DnsQuery

cdef enum:
    VERSION = 1
    HASHED = 8                  # octets of the server cookie before its hash
    OLDEST_SECONDS = 3600
    AHEAD_SECONDS = 300         # that another server's clock may be


cdef void make_cookie(
        const uint64_t* key, const DnsQuery* query, const Client* client, uint32_t now, uint8_t* cookie,
) noexcept nogil:
    """Write a cookie into SERVER_COOKIE octets; `now` in seconds since 1970, the query has a client cookie."""
    memset(cookie, 0, HASHED)
    cookie[0] = VERSION
    store_u32(cookie + 4, now)
    put_hash(key, query.cookie, client, cookie)


cdef void put_hash(
        const uint64_t* key, const uint8_t* client_cookie, const Client* client, uint8_t* cookie) noexcept nogil:
    cdef uint8_t hashed[CLIENT_COOKIE + HASHED + 16]
    cdef uint64_t found
    memcpy(hashed, client_cookie, CLIENT_COOKIE)
    memcpy(hashed + CLIENT_COOKIE, cookie, HASHED)
    memcpy(hashed + CLIENT_COOKIE + HASHED, client.address, client.length)
    found = siphash24(key, hashed, CLIENT_COOKIE + HASHED + client.length)
    memcpy(cookie + HASHED, &found, sizeof(found))


cdef bint is_ours(const uint64_t* key, const DnsQuery* query, const Client* client, uint32_t now) noexcept nogil:
    """Return whether the query shows a cookie that was made for this client, and not too long ago (RFC 9018 section
    4.3)."""
    cdef uint8_t expected[SERVER_COOKIE]
    cdef const uint8_t* shown = query.cookie + CLIENT_COOKIE
    cdef int32_t age
    if query.cookie_length != CLIENT_COOKIE + SERVER_COOKIE or shown[0] != VERSION:
        return False
    age = <int32_t>(now - load_u32(shown + 4))
    if age > OLDEST_SECONDS or age < -AHEAD_SECONDS:
        return False
    memcpy(expected, shown, HASHED)
    put_hash(key, query.cookie, client, expected)
    return memcmp(expected, shown, SERVER_COOKIE) == 0
