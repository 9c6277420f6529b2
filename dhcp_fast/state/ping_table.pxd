"""Addresses that are being pinged, and those that were within the last minute: fixed memory."""

from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t

cdef enum:
    PINGS = 2048            # at the same time; a power of two, so that a sequence number names its place
    MEMORY_SETS = 16384
    MEMORY_WAYS = 4

# Why an offer went out although its address was not checked.
cdef enum:
    UNCHECKED_NO_SOCKET
    UNCHECKED_TOO_MANY      # PINGS are under way
    UNCHECKED_NOT_SENT      # the kernel did not take the request: no route, no room
    UNCHECKED_COUNT

cdef struct Ping:
    uint32_t slot           # of the DISCOVER that waits for the outcome; NO_SLOT: over
    uint32_t tenant_no, address
    int64_t due             # boot clock, microseconds

# One address that was asked lately: it is still being asked, or nobody answered.
cdef struct AskedAddress:
    uint32_t tenant_no, address
    int64_t until           # boot clock, microseconds
    uint16_t sequence
    bint pending

cdef struct PingTable:
    bint able               # there is a socket to ask by
    int64_t wait            # microseconds
    Ping at[PINGS]
    uint32_t oldest, next   # sequence numbers; the low sixteen bits are on the wire
    AskedAddress memory[MEMORY_SETS][MEMORY_WAYS]
    uint64_t sent, in_use, remembered
    uint64_t unchecked[UNCHECKED_COUNT]

cdef inline Ping* ping_at(PingTable* table, uint32_t sequence) noexcept nogil:
    return &table.at[sequence & (PINGS - 1)]
