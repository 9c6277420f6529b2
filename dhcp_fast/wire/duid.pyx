"""A DUID's length and parts."""

from libc.stdint cimport uint16_t
from libc.string cimport memset

from dhcp_fast.wire.cursor cimport load_u16, load_u32


cdef bint is_duid(Field value) noexcept nogil:
    """Return whether it is a DUID (RFC 8415 section 11.1): 1 to 128 octets behind the type."""
    return 3 <= value.length <= 130


cdef Duid read_duid(Field value) noexcept nogil:
    """Return the parts of what `is_duid` (RFC 8415 sections 11.2 to 11.5)."""
    cdef Duid duid
    cdef uint16_t kind = load_u16(value.data)
    memset(&duid, 0, sizeof(duid))
    if kind == DUID_LLT and value.length > 8:
        duid.hardware_type = load_u16(value.data + 2)
        duid.time = load_u32(value.data + 4)
        return with_identifier(duid, kind, value, 8)
    if kind == DUID_EN and value.length > 6:
        duid.enterprise = load_u32(value.data + 2)
        return with_identifier(duid, kind, value, 6)
    if kind == DUID_LL and value.length > 4:
        duid.hardware_type = load_u16(value.data + 2)
        return with_identifier(duid, kind, value, 4)
    if kind == DUID_UUID and value.length == 18:
        return with_identifier(duid, kind, value, 2)
    return with_identifier(duid, DUID_OPAQUE, value, 2)


cdef inline Duid with_identifier(Duid duid, uint16_t kind, Field value, uint16_t at) noexcept nogil:
    duid.kind = kind
    duid.identifier.data = value.data + at
    duid.identifier.length = value.length - at
    return duid
