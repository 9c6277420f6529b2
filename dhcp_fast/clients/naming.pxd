from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memchr

from dhcp_fast.leases.lease_operation cimport (
    FQDN_EMPTY, FQDN_NOBODY, FQDN_SENT, FQDN_SERVER, FQDN_UNMADE, Octets)
from dhcp_fast.plan.compiled cimport Naming
from dhcp_fast.wire.names cimport LONGEST_NAME

cdef enum:
    SERVER_UPDATES = 1      # flag S
    OVERRIDDEN = 2          # O
    LONGEST_WIRE = LONGEST_NAME + 2

# A name in the making. `whole`: nothing is to be put behind it.
cdef struct Name:
    uint8_t* text           # HOST_NAME octets of room
    uint16_t length
    bint whole

cdef inline uint8_t name_octet(uint8_t c) noexcept nogil:
    if b'a' <= c <= b'z' or b'A' <= c <= b'Z' or b'0' <= c <= b'9' or c == b'-' or c == b'.' or c == b'_':
        return c
    return b'-'

# Of names that are well-formed (wire/names.pyx)
cdef void read_ascii(Name* name, const uint8_t* text, uint16_t length) noexcept nogil
cdef void read_labels(Name* name, const uint8_t* wire, uint16_t length) noexcept nogil
cdef bint is_replaced(const Name* name, const Naming* naming) noexcept nogil
cdef void begin_generated(Name* name, const Naming* naming, uint16_t address_length) noexcept nogil
cdef void put_number(Name* name, uint32_t number, uint32_t base) noexcept nogil
cdef void qualify(Name* name, const Octets* domain) noexcept nogil
cdef void confine(Name* name, const Naming* naming, const Octets* blocked) noexcept nogil
cdef uint8_t update_flags(
    const Naming* naming, uint8_t asked, uint8_t no_update, bint planned, bint named) noexcept nogil

cdef inline bint is_whole(const Octets* name) noexcept nogil:
    """Return whether a stored name has a domain: DNS has no other."""
    return name.data != NULL and memchr(name.data, b'.', name.length) != NULL

cdef inline uint8_t stored_flags(uint8_t asked, uint8_t no_update) noexcept nogil:
    """Return what a lease keeps of the option's flags."""
    return FQDN_SENT | (FQDN_NOBODY if asked & no_update else asked & FQDN_SERVER)

cdef inline uint8_t unmade_flags(const Name* name) noexcept nogil:
    """Return what workers need to make the name, should the subnet update DNS before the client renews its lease."""
    return FQDN_UNMADE | (0 if name.length else FQDN_EMPTY)

cdef uint16_t write_labels(uint8_t* wire, const uint8_t* text, uint16_t length) noexcept nogil
