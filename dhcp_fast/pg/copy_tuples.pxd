from libc.stdint cimport uint8_t, uint32_t, uint64_t

from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.wire.cursor cimport Cursor, load_u32, load_u64

cdef enum:
    HEADER_LENGTH = 19

cdef enum Step:
    STEP_NEED_MORE
    STEP_ROW
    STEP_END
    STEP_BROKEN

cdef bint is_header(const uint8_t* data) noexcept
cdef Step read_tuple(Cursor* c, Octets* fields, int count, uint32_t longest) noexcept nogil

cdef class TupleReader:
    """Base of the readers of rows; see the .pyx."""
    cdef bytearray pending
    cdef bint begun, ended
    cdef readonly uint64_t count
    cdef bint begin(self) except -1
    cdef Step read_rows(self, Cursor* c) except? STEP_BROKEN
    cdef Step read_row(self, Cursor* c) except? STEP_BROKEN

cdef inline bint is_inet(const Octets* field) noexcept nogil:
    """Check the family, bits, is_cidr and length in front of the address."""
    return field.length == 8 or field.length == 20

cdef inline void load_inet(const Octets* field, uint64_t* hi, uint64_t* lo) noexcept nogil:
    """Load the address of a field that `is_inet`; `hi` is 0 for an IPv4 address."""
    if field.length == 20:
        hi[0] = load_u64(field.data + 4)
        lo[0] = load_u64(field.data + 12)
    else:
        hi[0] = 0
        lo[0] = load_u32(field.data + 4)
