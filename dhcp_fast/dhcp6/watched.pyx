"""Whether a packet is of a client that somebody watches, by its octets alone: it may be malformed behind them.

A DUID is watched as it stands in option 1, a hardware address by what a DUID of kind LL or LLT was made of, or as the
relay tells it (RFC 6939).
"""

from libc.string cimport memcmp

from dhcp_fast.wire.codes6 cimport MSG6_RELAY_FORW, OPT6_CLIENTID, OPT6_CLIENT_LINKLAYER_ADDR, OPT6_RELAY_MSG
from dhcp_fast.wire.duid cimport DUID_LL, DUID_LLT, Duid, read_duid
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.packet6 cimport HEADER6, option_in
from dhcp_fast.wire.relay6 cimport MAX_HOPS, RELAY_HEADER6

cdef enum:
    HARDWARE_TYPE = 2           # octets of it, in front of the address


cdef bint is_watched(const Wanted* wanted, const uint8_t* packet, uint16_t length) noexcept nogil:
    cdef Field message = Field(packet, length)
    cdef Field told = Field(NULL, 0)
    cdef Field duid
    cdef int hops = 0
    while message.length > RELAY_HEADER6 and message.data[0] == MSG6_RELAY_FORW and hops < MAX_HOPS:
        told = option_in(behind(message, RELAY_HEADER6), OPT6_CLIENT_LINKLAYER_ADDR)
        message = option_in(behind(message, RELAY_HEADER6), OPT6_RELAY_MSG)
        hops += 1
    if message.length <= HEADER6:
        return False
    duid = option_in(behind(message, HEADER6), OPT6_CLIENTID)
    if wanted.client_id_length and not is_same(duid, wanted.client_id, wanted.client_id_length):
        return False
    return not wanted.mac_length or has_hardware(wanted, told, duid)


cdef inline Field behind(Field message, uint16_t header) noexcept nogil:
    return Field(message.data + header, <uint16_t>(message.length - header))


cdef bint has_hardware(const Wanted* wanted, Field told, Field duid) noexcept nogil:
    cdef Duid read
    if told.length > HARDWARE_TYPE:
        return is_same(Field(told.data + HARDWARE_TYPE, <uint16_t>(told.length - HARDWARE_TYPE)),
                       wanted.mac, wanted.mac_length)
    if not duid.length:
        return False
    read = read_duid(duid)
    return (read.kind == DUID_LL or read.kind == DUID_LLT) and is_same(
        read.identifier, wanted.mac, wanted.mac_length)


cdef inline bint is_same(Field value, const uint8_t* octets, uint16_t length) noexcept nogil:
    return value.length == length and memcmp(value.data, octets, length) == 0
