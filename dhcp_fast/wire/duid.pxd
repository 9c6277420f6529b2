"""DHCP unique identifiers (RFC 8415 section 11), which DHCPv4 clients have too (RFC 4361).

For everything but people and reservations by hardware address a DUID is octets to be compared.
"""

from libc.stdint cimport uint16_t, uint32_t

from dhcp_fast.wire.packet4 cimport Field

# The kinds whose layout is known; one that breaks its layout is as opaque as an unknown one.
cdef enum:
    DUID_OPAQUE = 0
    DUID_LLT = 1
    DUID_EN = 2
    DUID_LL = 3
    DUID_UUID = 4           # RFC 6355

cdef struct Duid:
    uint16_t kind
    uint16_t hardware_type  # LLT and LL
    uint32_t time           # LLT: seconds since 2000
    uint32_t enterprise     # EN
    Field identifier        # link-layer address, identifier of the enterprise, UUID; opaque: all that follows the type

cdef bint is_duid(Field value) noexcept nogil
cdef Duid read_duid(Field value) noexcept nogil
