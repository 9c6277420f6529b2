"""The tuples of COPY ... (format binary), read without a Python object each.

A header; then of each tuple the number of its fields, and each field behind its length, -1 for NULL; then -1 in place
of a number of fields. (PostgreSQL documentation, COPY, "Binary Format".)
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport uint16_t
from libc.string cimport memcmp

from dhcp_fast.wire.cursor cimport cursor, load_u16, remaining, take

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)      # signature, flags, length of the header extension

cdef enum:
    NO_MORE = 0xFFFF
    NULL_LENGTH = 0xFFFFFFFF


cdef bint is_header(const uint8_t* data) noexcept:
    """Return whether these HEADER_LENGTH octets are the header."""
    cdef bytes header = HEADER
    return memcmp(data, <const char*>header, HEADER_LENGTH) == 0


cdef Step read_tuple(Cursor* c, Octets* fields, int count, uint32_t longest) noexcept nogil:
    """Read one tuple of `count` fields of at most `longest` octets, NULL without data; the cursor moves only past a
    whole one."""
    cdef Cursor start = c[0]
    cdef Step step
    cdef int i
    cdef const uint8_t* p = take(c, 2)
    if p == NULL:
        return STEP_NEED_MORE
    if load_u16(p) == NO_MORE:
        return STEP_END
    if load_u16(p) != count:
        return STEP_BROKEN
    for i in range(count):
        step = read_field(c, &fields[i], longest)
        if step == STEP_NEED_MORE:
            c[0] = start
        if step != STEP_ROW:
            return step
    return STEP_ROW


cdef inline Step read_field(Cursor* c, Octets* field, uint32_t longest) noexcept nogil:
    cdef uint32_t length
    cdef const uint8_t* p = take(c, 4)
    field.data = NULL
    field.length = 0
    if p == NULL:
        return STEP_NEED_MORE
    length = load_u32(p)
    if length == <uint32_t>NULL_LENGTH:
        return STEP_ROW
    if length > longest:
        return STEP_BROKEN
    field.data = take(c, length)
    field.length = <uint16_t>length
    return STEP_ROW if field.data != NULL else STEP_NEED_MORE


cdef class TupleReader:
    """`feed` it the pieces of one COPY stream; `count` rows were read.

    `read_row` reads the fields of a row; `WHAT` names the rows in errors.
    """

    WHAT = "rows"

    def __cinit__(self):
        self.pending = bytearray()

    async def take(self, data):
        """Call `feed` in the shape that asyncpg's copy needs."""
        self.feed(data)

    def feed(self, data):
        """Raise ValueError on a stream of another shape."""
        cdef Cursor c
        cdef Step step
        cdef size_t used
        self.pending += data
        if not self.begun and not self.begin():
            return
        c = cursor(<const uint8_t*>PyByteArray_AS_STRING(self.pending), len(self.pending))
        step = self.read_rows(&c)
        used = len(self.pending) - remaining(&c)
        del self.pending[:used]
        if step == STEP_BROKEN:
            raise ValueError(f"PostgreSQL sent {self.WHAT} of another shape")
        self.ended |= step == STEP_END

    cdef bint begin(self) except -1:
        """Take the header off what is pending; False when it is not whole."""
        if len(self.pending) < HEADER_LENGTH:
            return False
        if not is_header(<const uint8_t*>PyByteArray_AS_STRING(self.pending)):
            raise ValueError(f"PostgreSQL sent something else than {self.WHAT}")
        self.begun = True
        del self.pending[:HEADER_LENGTH]
        return True

    cdef Step read_rows(self, Cursor* c) except? STEP_BROKEN:
        """Return all that are there whole."""
        cdef Step step = STEP_ROW
        while step == STEP_ROW and not self.ended:
            step = self.read_row(c)
            if step == STEP_ROW:
                self.count += 1
        return step

    cdef Step read_row(self, Cursor* c) except? STEP_BROKEN:
        raise NotImplementedError
