"""Clients of which two use one identity at the same time: a MAC address under two client ids, or a reservation's.

A client that renews while another one has the row shows that both are alive. A few are stored until
they are reported (engine/notices.pyx); one without room is found at its next renewal.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef enum:
    MOST_SHARED = 16
    LONGEST_IDENTITY = 255
    LONGEST_CARD = 20

cdef struct SharedIdentity:
    uint32_t subnet_no
    uint64_t hi, lo             # the lease
    uint8_t card[LONGEST_CARD]  # hardware address of the client that renewed
    uint8_t card_length         # 0: unknown
    uint8_t identity[LONGEST_IDENTITY]      # its client id, or DUID
    uint8_t identity_length

cdef struct SharedIdentities:
    int count
    SharedIdentity at[MOST_SHARED]

cdef inline SharedIdentity* room_for(
        SharedIdentities* found, uint32_t subnet_no, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return NULL: the lease is there already, or all places are taken."""
    cdef int i
    for i in range(found.count):
        if found.at[i].subnet_no == subnet_no and found.at[i].hi == hi and found.at[i].lo == lo:
            return NULL
    if found.count == MOST_SHARED:
        return NULL
    found.count += 1
    return &found.at[found.count - 1]

cdef inline uint8_t copied(uint8_t* into, const uint8_t* data, uint16_t length, uint16_t most) noexcept nogil:
    """Return how many octets; none of NULL."""
    if data == NULL:
        return 0
    memcpy(into, data, min(length, most))
    return <uint8_t>min(length, most)
