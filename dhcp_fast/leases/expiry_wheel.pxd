"""Time of a lease (engine rule 17). Seconds are the database's, since 2000-01-01."""

from libc.stdint cimport uint32_t

from dhcp_fast.leases.lease_table cimport LeaseTable

cdef void wheel_put(LeaseTable* table, uint32_t index, uint32_t due) noexcept nogil
cdef uint32_t wheel_take(LeaseTable* table, uint32_t now) noexcept nogil
