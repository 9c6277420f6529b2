"""Check whether a packet belongs to a traced client, by its octets alone, because the rest may be malformed.

A DUID is compared as in option 1. A hardware address is the one that the relay adds (RFC 6939),
else the one in a DUID of kind LL or LLT. The last choice is the client's address on its link (RFC
4291 appendix A).
"""

from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memcmp, memcpy

from dhcp_fast.wire.codes6 cimport MSG6_RELAY_FORW, OPT6_CLIENTID, OPT6_CLIENT_LINKLAYER_ADDR, OPT6_RELAY_MSG
from dhcp_fast.wire.cursor cimport store_u64
from dhcp_fast.wire.duid cimport DUID_LL, DUID_LLT, Duid, read_duid
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.packet6 cimport HEADER6, option_in
from dhcp_fast.wire.relay6 cimport MAX_HOPS, RELAY_HEADER6

cdef enum:
    HARDWARE_TYPE = 2           # octets of it, in front of the address
    MAC = 6
    IDENTIFIER = 8              # octets of an address behind its prefix
    PEER_IDENTIFIER = 26        # where a relay's header has those of the peer
    UNIVERSAL = 2               # the bit of a MAC's first octet that is turned over in an address


cdef bint is_watched(const Wanted* wanted, const Slot* slot) noexcept nogil:
    cdef const uint8_t* packet = &slot.request[0]
    cdef Field message = Field(packet, slot.rx.length)
    cdef Field told = Field(NULL, 0)
    cdef uint8_t identifier[IDENTIFIER]
    cdef Field duid
    cdef int hops = 0
    store_u64(identifier, slot.rx.peer_lo)
    while message.length > RELAY_HEADER6 and message.data[0] == MSG6_RELAY_FORW and hops < MAX_HOPS:
        memcpy(identifier, message.data + PEER_IDENTIFIER, IDENTIFIER)
        told = option_in(behind(message, RELAY_HEADER6), OPT6_CLIENT_LINKLAYER_ADDR)
        message = option_in(behind(message, RELAY_HEADER6), OPT6_RELAY_MSG)
        hops += 1
    if message.length <= HEADER6:
        return False
    duid = option_in(behind(message, HEADER6), OPT6_CLIENTID)
    if wanted.client_id_length and not is_same(duid, wanted.client_id, wanted.client_id_length):
        return False
    return not wanted.mac_length or has_hardware(wanted, told, duid, identifier)


cdef inline Field behind(Field message, uint16_t header) noexcept nogil:
    return Field(message.data + header, <uint16_t>(message.length - header))


cdef bint has_hardware(const Wanted* wanted, Field told, Field duid, const uint8_t* identifier) noexcept nogil:
    cdef Duid read
    if told.length > HARDWARE_TYPE:
        return is_same(Field(told.data + HARDWARE_TYPE, <uint16_t>(told.length - HARDWARE_TYPE)),
                       wanted.mac, wanted.mac_length)
    if duid.length:
        read = read_duid(duid)
        if read.kind == DUID_LL or read.kind == DUID_LLT:
            return is_same(read.identifier, wanted.mac, wanted.mac_length)
    return wanted.mac_length == MAC and is_made_of(identifier, wanted.mac)


cdef inline bint is_made_of(const uint8_t* identifier, const uint8_t* mac) noexcept nogil:
    return (identifier[0] == mac[0] ^ UNIVERSAL and memcmp(identifier + 1, mac + 1, 2) == 0
            and identifier[3] == 0xFF and identifier[4] == 0xFE and memcmp(identifier + 5, mac + 3, 3) == 0)


cdef inline bint is_same(Field value, const uint8_t* octets, uint16_t length) noexcept nogil:
    return value.length == length and memcmp(value.data, octets, length) == 0
