"""Check of whether a packet is of a client that somebody watches, by its octets alone: it may be malformed behind
them."""

from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memcmp

from dhcp_fast.wire.codes cimport OPT_DHCP_CLIENT_IDENTIFIER
from dhcp_fast.wire.packet4 cimport HEADER4

cdef enum:
    CHADDR = 28
    OPT_PAD = 0
    OPT_END = 255


cdef bint is_watched(const Wanted* wanted, const Slot* slot) noexcept nogil:
    cdef const uint8_t* packet = &slot.request[0]
    cdef uint16_t length = slot.rx.length
    if length < CHADDR + 16:
        return False
    if wanted.mac_length and memcmp(packet + CHADDR, wanted.mac, wanted.mac_length) != 0:
        return False
    return not wanted.client_id_length or has_client_id(wanted, packet, length)


cdef bint has_client_id(const Wanted* wanted, const uint8_t* packet, uint16_t length) noexcept nogil:
    """Return whether option 61 is among the options, as far as these can be walked (RFC 2132 section 9.14)."""
    cdef uint16_t at = HEADER4
    while at + 1 < length and packet[at] != OPT_END:
        if packet[at] == OPT_PAD:
            at += 1
            continue
        if packet[at] == OPT_DHCP_CLIENT_IDENTIFIER and at + 2 + packet[at + 1] <= length:
            return (packet[at + 1] == wanted.client_id_length
                    and memcmp(packet + at + 2, wanted.client_id, wanted.client_id_length) == 0)
        at += 2 + packet[at + 1]
    return False
