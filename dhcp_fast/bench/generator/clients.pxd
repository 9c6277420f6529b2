# The clients of a storm: a template's bytes patched for one client, and a reply read just as far as needed.
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

cdef enum:
    PACKET = 336         # template.SIZE
    HEADER = 240         # fixed fields and magic cookie
    XID = 4
    SECS = 8
    CIADDR = 12
    YIADDR = 16
    CHADDR = 28
    COOKIE = 236


cdef enum:
    OFFER = 2
    ACK = 5
    NAK = 6


cdef struct Template:
    uint8_t packet[PACKET]
    int hostname
    int client_id
    int requested
    int server_id
    int link


# Addresses stay in network order from the reply to the next request.
cdef struct Reply:
    uint32_t xid
    uint32_t yiaddr
    uint32_t server_id
    uint32_t lease_seconds
    int type


# One acknowledged address, as the audit and a later renewal read it: four numbers of 32 bits.
cdef struct Ack:
    uint32_t client
    uint32_t address
    uint32_t server_id
    uint32_t lease_seconds


cdef inline void put16(uint8_t *at, uint16_t value) noexcept nogil:
    at[0] = value >> 8
    at[1] = value & 0xFF


cdef inline void put32(uint8_t *at, uint32_t value) noexcept nogil:
    at[0] = value >> 24
    at[1] = (value >> 16) & 0xFF
    at[2] = (value >> 8) & 0xFF
    at[3] = value & 0xFF


cdef inline uint32_t get32(const uint8_t *at) noexcept nogil:
    return <uint32_t>at[0] << 24 | <uint32_t>at[1] << 16 | <uint32_t>at[2] << 8 | at[3]


cdef inline void put_mac(uint8_t *at, uint8_t seed, uint32_t client) noexcept nogil:
    """Put 02:<seed>:<client, four octets>: locally administered, distinct within a storm and between seeds."""
    at[0] = 2
    at[1] = seed
    put32(at + 2, client)


cdef inline bint has_mac(const uint8_t *at, uint8_t seed, uint32_t client) noexcept nogil:
    return at[0] == 2 and at[1] == seed and get32(at + 2) == client


cdef inline void put_digits(uint8_t *at, uint32_t value) noexcept nogil:
    """Put eight hexadecimal digits."""
    cdef int place
    cdef uint32_t digit
    for place in range(8):
        digit = (value >> (28 - 4 * place)) & 15
        at[place] = <uint8_t>(48 + digit if digit < 10 else 87 + digit)


cdef inline void write_packet(
    uint8_t *at, const Template *template, uint32_t xid, uint16_t secs, uint8_t seed, uint32_t client
) noexcept nogil:
    memcpy(at, template.packet, PACKET)
    put32(at + XID, xid)
    put16(at + SECS, secs)
    put_mac(at + CHADDR, seed, client)
    if template.hostname:
        put_digits(at + template.hostname, client)
    if template.client_id:
        put_mac(at + template.client_id, seed, client)


cdef inline bint read_reply(const uint8_t *data, int length, Reply *reply) noexcept nogil:
    """Fill `reply`; False when this is no BOOTREPLY with a message type, or its options run past the end."""
    cdef int at = HEADER
    cdef int size
    if length < HEADER or data[0] != 2 or get32(data + COOKIE) != 0x63825363:
        return False
    reply.xid = get32(data + XID)
    memcpy(&reply.yiaddr, data + YIADDR, 4)
    reply.type = 0
    reply.server_id = 0
    reply.lease_seconds = 0
    while at < length and data[at] != 255:
        if data[at] == 0:
            at += 1
            continue
        if at + 2 > length or at + 2 + data[at + 1] > length:
            return False
        size = data[at + 1]
        if data[at] == 53 and size == 1:
            reply.type = data[at + 2]
        elif data[at] == 54 and size == 4:
            memcpy(&reply.server_id, data + at + 2, 4)
        elif data[at] == 51 and size == 4:
            reply.lease_seconds = get32(data + at + 2)
        at += 2 + size
    return reply.type != 0
