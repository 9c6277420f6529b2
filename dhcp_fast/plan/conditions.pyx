"""Tests of a class's conditions on values, and the conditions in C memory."""

from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy

from dhcp_fast.structures.cache_lines cimport lines_new
from dhcp_fast.wire.cursor cimport load_u32

cdef enum:
    MOST_OCTETS = 8             # of a value that is read as a number
    BLOCK_HEAD = 5              # enterprise number and length (RFC 3925 section 3)


cdef bint is_met(const Leaf* leaf, Field value) noexcept nogil:
    """Return whether the test holds of the value; never of one that is not there (`data` NULL)."""
    cdef int i
    value = part_of_value(leaf, value)
    if value.data == NULL:
        return False
    if leaf.comparison == EXISTS:
        return True
    if leaf.comparison == FILLED:
        return value.length > 0
    for i in range(leaf.value_count):
        if compares(leaf.comparison, &leaf.values[i], value):
            return True
    return False


cdef bint compares(int comparison, const Wanted* wanted, Field value) noexcept nogil:
    if wanted.is_number:
        return 0 < value.length <= MOST_OCTETS and number_of(value) == wanted.number
    if value.length < wanted.octets.length:
        return False
    if comparison == CONTAINS:
        return holds_octets(value, wanted.octets)
    return (comparison == BEGINS or value.length == wanted.octets.length) and memcmp(
        value.data, wanted.octets.data, wanted.octets.length) == 0


cdef inline uint64_t number_of(Field value) noexcept nogil:
    cdef uint64_t number = 0
    cdef int i
    for i in range(value.length):
        number = number << 8 | value.data[i]
    return number


cdef inline bint holds_octets(Field value, Field wanted) noexcept nogil:
    cdef int i
    for i in range(value.length - wanted.length + 1):
        if memcmp(value.data + i, wanted.data, wanted.length) == 0:
            return True
    return False


cdef Field block_of(Field value, uint32_t enterprise) noexcept nogil:
    """Return the data of an enterprise in DHCPv4's option 124 or 125 (RFC 3925); `data` NULL: none."""
    cdef int at = 0
    while at + BLOCK_HEAD <= value.length and at + BLOCK_HEAD + value.data[at + 4] <= value.length:
        if load_u32(value.data + at) == enterprise:
            return Field(value.data + at + BLOCK_HEAD, value.data[at + 4])
        at += BLOCK_HEAD + value.data[at + 4]
    return Field(NULL, 0)


cdef Field suboption_of(Field value, int code) noexcept nogil:
    """Return the first one of the code in octets of code, length and data, as DHCPv4's options hold them."""
    cdef int at = 0
    while at + 2 <= value.length and at + 2 + value.data[at + 1] <= value.length:
        if value.data[at] == code:
            return Field(value.data + at + 2, value.data[at + 1])
        at += 2 + value.data[at + 1]
    return Field(NULL, 0)


cdef object seen(Field value):
    """Return the octets for those who watch; None: there is no such value."""
    return None if value.data == NULL else value.data[:value.length]


# --- in memory

cdef int fill_conditions(Leaf** leaves, list rows) except -1:
    """Fill in the conditions. `rows`: dicts with the fields of `Leaf`, `values` a list of numbers and bytes. How many
    there are; the memory of all values lies behind the tests."""
    cdef int i
    cdef size_t octets = sum(len(value) for row in rows for value in row["values"] if isinstance(value, bytes))
    cdef size_t values = sum(len(row["values"]) for row in rows)
    cdef Leaf* into
    cdef Wanted* wanted
    cdef uint8_t* room
    if not rows:
        leaves[0] = NULL
        return 0
    into = <Leaf*>lines_new(1, len(rows) * sizeof(Leaf) + values * sizeof(Wanted) + octets)
    if into == NULL:
        raise MemoryError
    leaves[0] = into
    wanted = <Wanted*>(into + len(rows))
    room = <uint8_t*>(wanted + values)
    for i in range(len(rows)):
        fill_leaf(&into[i], rows[i])
        into[i].values = wanted
        for value in rows[i]["values"]:
            room = fill_value(wanted, value, room)
            wanted += 1
    return len(rows)


cdef int fill_leaf(Leaf* leaf, dict row) except -1:
    leaf.subject = row["subject"]
    leaf.comparison = row["comparison"]
    leaf.family = row["family"]
    leaf.code = row["code"]
    leaf.suboption = row["suboption"]
    leaf.vendor = row["vendor"]
    leaf.offset = row["offset"]
    leaf.length = row["length"]
    leaf.index = row["index"]
    leaf.yes = row["yes"]
    leaf.no = row["no"]
    leaf.value_count = len(row["values"])
    return 0


cdef uint8_t* fill_value(Wanted* wanted, object value, uint8_t* room) except NULL:
    wanted.is_number = isinstance(value, int)
    wanted.number = value if wanted.is_number else 0
    wanted.octets = Field(NULL, 0)
    if wanted.is_number:
        return room
    wanted.octets = Field(room, <uint16_t>len(value))
    memcpy(room, <const char*><bytes>value, len(value))
    return room + len(value)


cdef void free_conditions(Leaf* leaves, int count) noexcept:
    if count:
        free(leaves)
