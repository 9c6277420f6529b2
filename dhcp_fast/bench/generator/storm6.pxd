from libc.stdint cimport uint8_t, uint16_t, uint32_t

from dhcp_fast.bench.generator.clients cimport PACKET, Reply
from dhcp_fast.bench.generator.storm cimport Storm

cdef struct Template6:
    uint8_t packet[PACKET]
    int xid, mac, elapsed, address, prefix

cdef class Storm6(Storm):
    cdef Template6 forms[4]
    cdef bint delegating
    cdef void write(self, const Template6 *form, uint32_t xid, uint16_t elapsed, uint32_t client, uint32_t address,
                    uint32_t prefix) noexcept nogil
    cdef bint read6(self, const uint8_t *data, int length, Reply *reply, const uint8_t **mac) noexcept nogil
