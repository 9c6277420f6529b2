"""Keyed hashing: SipHash (Aumasson and Bernstein, 2012), 64 bits; of client identities SipHash-1-3, where others
compute the same as we do (DNS cookies, RFC 9018) SipHash-2-4.

The key is the cluster's (every server and every start hash alike), so a client tends to the same address, and it is
not known to clients, so nobody can aim at one bucket.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy


cdef inline uint64_t rotate(uint64_t x, int bits) noexcept nogil:
    return (x << bits) | (x >> (64 - bits))


cdef inline void sip_round(uint64_t* v) noexcept nogil:
    v[0] += v[1]
    v[1] = rotate(v[1], 13) ^ v[0]
    v[0] = rotate(v[0], 32)
    v[2] += v[3]
    v[3] = rotate(v[3], 16) ^ v[2]
    v[0] += v[3]
    v[3] = rotate(v[3], 21) ^ v[0]
    v[2] += v[1]
    v[1] = rotate(v[1], 17) ^ v[2]
    v[2] = rotate(v[2], 32)


cdef inline uint64_t siphash(const uint64_t* key, const uint8_t* data, size_t length) noexcept nogil:
    return sip(key, data, length, 1, 3)


cdef inline uint64_t siphash24(const uint64_t* key, const uint8_t* data, size_t length) noexcept nogil:
    """Return the hash. The key's halves are little-endian words, as the result is."""
    return sip(key, data, length, 2, 4)


cdef inline void sip_rounds(uint64_t* v, int rounds) noexcept nogil:
    for _ in range(rounds):
        sip_round(v)


cdef inline uint64_t sip(
        const uint64_t* key, const uint8_t* data, size_t length, int compression, int finalization) noexcept nogil:
    cdef uint64_t v[4]
    cdef uint64_t word
    cdef size_t at = 0
    v[0] = key[0] ^ 0x736F6D6570736575ULL
    v[1] = key[1] ^ 0x646F72616E646F6DULL
    v[2] = key[0] ^ 0x6C7967656E657261ULL
    v[3] = key[1] ^ 0x7465646279746573ULL
    while at + 8 <= length:
        memcpy(&word, data + at, 8)
        v[3] ^= word
        sip_rounds(v, compression)
        v[0] ^= word
        at += 8
    word = 0
    memcpy(&word, data + at, length - at)
    word |= <uint64_t>(length & 0xFF) << 56
    v[3] ^= word
    sip_rounds(v, compression)
    v[0] ^= word
    v[2] ^= 0xFF
    sip_rounds(v, finalization)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


cdef inline uint64_t mix(uint64_t x) noexcept nogil:
    """Spread a number that is not secret over 64 bits (the finaliser of MurmurHash3)."""
    x ^= x >> 33
    x *= 0xFF51AFD7ED558CCDULL
    x ^= x >> 33
    x *= 0xC4CEB9FE1A85EC53ULL
    return x ^ (x >> 33)
