"""Choice of the worker that gets a client's packets: a hash that the kernel computes too.

For DHCPv4 it is a hash of chaddr. A DHCPv6 message identifies its client in an option, which a
classic program cannot find. So the hash is of the peer-address of the outermost relay, which is the
client's own if the relay received it directly, else of the source address.

The arithmetic here and the programs in reuseport.pyx must agree; tests/unit/net/test_reuseport.py compares them, in the
interpreter and through sockets.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.net.datagram cimport Datagram
from dhcp_fast.wire.cursor cimport load_u64

cdef enum:
    CHADDR = 28             # octets in front of it in a BOOTP message (RFC 2131 section 2)
    STEERED = 6             # octets that count; undefined padding may follow
    RELAY_FORW = 12         # RFC 8415 section 7.3
    PEER_ADDRESS = 18       # octets in front of it in a relay message (RFC 8415 section 9)
    ADDRESS6 = 16

# A worker's place among its siblings; alone: count 1.
cdef struct Share:
    uint32_t seed           # drawn by the supervisor, so that nobody outside can aim at one worker
    uint32_t index, count


cdef inline uint32_t worker_of(const Share* share, const uint8_t* chaddr, uint16_t length) noexcept nogil:
    """Return the index of the worker that serves this hardware address (missing octets count as zeros)."""
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
    """Return whether it is mine, as the kernel's program sees it: a message that ends before the sixth octet of chaddr
    is worker 0's."""
    if length < CHADDR + STEERED:
        return share.index == 0
    return is_mine(share, message + CHADDR, STEERED)


cdef inline uint32_t mix_word(uint32_t a, uint32_t word) noexcept nogil:
    a = (a ^ word) * <uint32_t>0x9E3779B1
    return a ^ a >> 15


cdef inline uint32_t worker_of6(const Share* share, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return the index of the worker that serves what comes from this IPv6 address."""
    cdef uint32_t a = mix_word(share.seed, <uint32_t>(hi >> 32))
    a = mix_word(a, <uint32_t>hi)
    a = mix_word(a, <uint32_t>(lo >> 32))
    a = mix_word(a, <uint32_t>lo) * <uint32_t>0x85EBCA6B
    a ^= a >> 13
    a *= <uint32_t>0xC2B2AE35
    a ^= a >> 16
    return a % share.count


cdef inline bint datagram_is_mine6(const Share* share, const Datagram* rx) noexcept nogil:
    """Return whether it is mine, as the kernel's program sees it: a relay message that ends before its peer-address is
    worker 0's, and so is one without an octet."""
    cdef uint64_t hi = rx.peer_hi, lo = rx.peer_lo
    if rx.length and rx.data[0] == RELAY_FORW and rx.length >= PEER_ADDRESS + ADDRESS6:
        hi = load_u64(rx.data + PEER_ADDRESS)
        lo = load_u64(rx.data + PEER_ADDRESS + 8)
    elif not rx.length or rx.data[0] == RELAY_FORW:
        return share.index == 0
    return worker_of6(share, hi, lo) == share.index
