from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from dhcp_fast.dns.cookies cimport Client
from dhcp_fast.dns.reply cimport Reply
from dhcp_fast.dns.response_limit cimport ResponseLimit
from dhcp_fast.dns.zone_image cimport ZoneSet
from dhcp_fast.net.datagram cimport Datagram
from dhcp_fast.net.udp cimport BATCH
from dhcp_fast.wire.dns_message cimport DnsQuery

cdef enum:
    CODES = 17

cdef struct Counts:
    uint64_t udp                # queries
    uint64_t tcp
    uint64_t codes[CODES]       # responses
    uint64_t cut                # of these, truncated ones
    uint64_t ignored            # not a query
    uint64_t limited            # queries without a response, above the limit of their network
    uint64_t slipped            # queries above the limit, answered with TC
    uint64_t cookies            # queries that showed a cookie of ours
    uint64_t unsent             # responses that the kernel did not take

cdef class SignedQuery:
    """A signed query over UDP; see query.pyx."""
    cdef Datagram way
    cdef readonly bytes data
    cdef readonly bytes address

cdef class Responder:
    """Answers from the zones that it is given; see query.pyx."""
    cdef readonly ZoneSet zones
    cdef ResponseLimit limit
    cdef uint64_t cookie_key[2]
    cdef Counts counts
    cdef DnsQuery query
    cdef Reply reply
    cdef uint8_t* memory
    cdef uint8_t* stream
    cdef Datagram received[BATCH]
    cdef Datagram ready[BATCH]
    cdef Datagram* into[BATCH]
    cdef Datagram* leaving[BATCH]
    cdef int sending
    cdef int signed[BATCH]
    cdef int signed_count
    cdef int64_t now
    cdef uint32_t kept_free         # octets of the next response
    cdef void answer_batch(self, int count, bint ipv6) noexcept nogil
    cdef void answer_datagram(self, int at, bint ipv6) noexcept nogil
    cdef uint32_t respond(self, int fault, const Client* client, uint8_t* out, bint udp) noexcept nogil
    cdef int decide(self, int fault, bint known, bint udp) noexcept nogil
    cdef bint take_cookie(self, const Client* client) noexcept nogil
    cdef void send_all(self, object sock)
