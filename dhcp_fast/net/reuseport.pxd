"""Which of a host's workers a client's packets belong to: a hash of chaddr that the kernel computes too.

The arithmetic here and the program in reuseport.pyx must agree; tests/unit/net/test_reuseport.py compares them, in the
interpreter and through sockets.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

cdef enum:
    CHADDR = 28             # octets in front of it in a BOOTP message (RFC 2131 section 2)
    STEERED = 6             # octets of it that count; what follows them may be padding that nobody defines

# A worker's place among its siblings; alone: count 1.
cdef struct Share:
    uint32_t seed           # drawn by the supervisor, so that nobody outside can aim at one worker
    uint32_t index, count


cdef inline uint32_t worker_of(const Share* share, const uint8_t* chaddr, uint16_t length) noexcept nogil:
    """The index of the worker that serves this hardware address (missing octets count as zeros)."""
    cdef uint8_t octets[STEERED]
    cdef uint32_t a
    cdef int i
    for i in range(STEERED):
        octets[i] = chaddr[i] if i < length else 0
    a = <uint32_t>octets[0] << 24 | <uint32_t>octets[1] << 16 | <uint32_t>octets[2] << 8 | octets[3]
    a = (a ^ share.seed) * <uint32_t>0x9E3779B1
    a ^= a >> 15
    a ^= <uint32_t>octets[4] << 8 | octets[5]
    a *= <uint32_t>0x85EBCA6B
    a ^= a >> 13
    a *= <uint32_t>0xC2B2AE35
    a ^= a >> 16
    return a % share.count


cdef inline bint is_mine(const Share* share, const uint8_t* chaddr, uint16_t length) noexcept nogil:
    return share.count == 1 or worker_of(share, chaddr, length) == share.index


cdef inline bint datagram_is_mine(const Share* share, const uint8_t* message, uint16_t length) noexcept nogil:
    """As the kernel's program sees it: a message that ends before the sixth octet of chaddr is worker 0's."""
    if length < CHADDR + STEERED:
        return share.index == 0
    return is_mine(share, message + CHADDR, STEERED)
