"""The conditions of a client class as a flat list of tests (ipam_core/dhcp/conditions.py makes it).

Each test names the one that follows when it holds and when it does not, always a later one, so there is no loop.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.wire.packet4 cimport Field

cdef enum:
    HOLDS = -1              # in place of the test that follows: the class's conditions are decided
    FAILS = -2

# By the numbers of Subject and Comparison in ipam_core/dhcp/conditions.py.
cdef enum:
    OF_OPTION
    OF_RELAY_OPTION
    OF_GIADDR
    OF_INTERFACE
    OF_HW_TYPE
    OF_CLIENT_ID
    OF_DUID
    OF_CLASS

cdef enum:
    EXISTS
    EQUALS
    BEGINS
    CONTAINS
    FILLED              # of a template: not empty

# Conditions of a class in the order of their tests, by the places in CRITERIA of
# ipam_core/model/client_class.py; GIVEN stands for the client's reservation and has no condition.
cdef enum:
    GIVEN = -1
    BY_VENDOR_CLASS = 0
    BY_USER_CLASS
    BY_MAC_PREFIX
    BY_LOCALLY_ADMINISTERED
    BY_KNOWN
    BY_MATCH
    CRITERIA            # in place of the one that fails: none does

cdef enum:
    LONGEST_VALUE = 255

# Octets, or a number that is compared with the value read as one, the most significant octet first.
cdef struct Wanted:
    bint is_number
    uint64_t number
    Field octets

cdef struct Leaf:
    uint8_t subject, comparison, family
    uint16_t code
    int suboption           # -1: the whole option
    int64_t vendor          # an enterprise number; -1: none
    uint16_t offset
    int length              # of the part that counts; -1: all behind `offset`
    int index               # of the class, or of the interface; -1: there is none
    int yes, no
    int value_count
    Wanted* values          # one of them is enough

cdef inline bint names_interface(const Leaf* leaf, int ifindex) noexcept nogil:
    cdef int i
    for i in range(leaf.value_count):
        if leaf.values[i].number == <uint64_t>ifindex and ifindex:
            return True
    return False

cdef inline Field part_of_value(const Leaf* leaf, Field value) noexcept nogil:
    """Return the part that the leaf looks at; `data` NULL: the value is shorter."""
    if value.data == NULL or value.length < leaf.offset:
        return Field(NULL, 0)
    value.data += leaf.offset
    value.length -= leaf.offset
    if leaf.length >= 0:
        if value.length < leaf.length:
            return Field(NULL, 0)
        value.length = <uint16_t>leaf.length
    return value

cdef inline Field template_part(const Leaf* leaf, Field value) noexcept nogil:
    """Return what of a value names a template's class: at most LONGEST_VALUE octets."""
    value = part_of_value(leaf, value)
    value.length = min(value.length, <uint16_t>LONGEST_VALUE)
    return value

cdef object seen(Field value)
cdef bint is_met(const Leaf* leaf, Field value) noexcept nogil
cdef Field block_of(Field value, uint32_t enterprise) noexcept nogil
cdef Field suboption_of(Field value, int code) noexcept nogil
cdef int fill_conditions(Leaf** leaves, list rows) except -1
cdef void free_conditions(Leaf* leaves, int count) noexcept
