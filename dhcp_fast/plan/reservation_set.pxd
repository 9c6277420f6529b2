from dhcp_fast.plan.compiled cimport Reservation4
from dhcp_fast.plan.described cimport Described
from dhcp_fast.structures.keymap cimport KeyMap
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

cdef struct Identity:
    uint64_t hash
    uint32_t index          # of the reservation, from 1

cdef class ReservationSet(Described):
    """The reservations of one subnet; see reservation_set.pyx."""
    cdef Reservation4* at
    cdef int count, room
    cdef Identity* identities
    cdef uint64_t identity_count, identity_room
    cdef uint8_t* names
    cdef size_t name_count, name_room
    cdef KeyMap by_identity
    cdef uint32_t kinds                     # bits of the identities' kinds
    cdef int add(self, uint32_t no, uint32_t address, const uint8_t* name, uint16_t length,
                 uint32_t class_no) except -1
    cdef int identify(self, int kind, uint64_t hash) except -1
    cdef int finish(self) except -1

cdef ReservationSet reservations_of(object described, const uint64_t* key)
