from dhcp_fast.plan.compiled cimport Naming, OptionSet, Reservation4, Subnet4, Tenant
from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.leases.pools cimport AddressSpace, Pool
from dhcp_fast.structures.keymap cimport KeyMap
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef class TenantView:
    """A tenant's client classes, compiled."""
    cdef Tenant view
    cdef list keep
    cdef object reserved                    # keeps the reservations that its subnets share
    cdef list templates                     # (index among its classes, value that distinguishes the template)
    cdef int count_values(self, object tables) except -1
    cdef Octets hold(self, object text)
    cdef int options(self, OptionSet* into, object rows) except -1

cdef struct Identity:
    uint64_t hash
    uint32_t index          # of the reservation, from 1

cdef class ReservationSet(TenantView):
    """The reservations of one subnet; see compile.pyx."""
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

cdef class ServedView(TenantView):
    """A subnet of either family, compiled, as far as its pools go."""
    cdef TenantView tenant
    cdef int pool_count(self) noexcept
    cdef int space_count(self) noexcept
    cdef Pool* pool(self, int at) noexcept              # NULL: one without a bitmap
    cdef AddressSpace* space(self, int at) noexcept     # NULL: of a pool without a bitmap
    cdef void set_served(self, bint served) noexcept    # not until its leases are counted in
    cdef object use(self, int at)                       # PoolUse of a pool with a bitmap

cdef class SubnetView(ServedView):
    """An IPv4 subnet, compiled; see compile.pyx."""
    cdef Subnet4 subnet
    cdef readonly ReservationSet reservations
    cdef readonly bint enabled              # as configured; the subnet itself may have to wait
    cdef readonly object shared_network     # subnets of one shared network have the same name; None: alone
    cdef int add_pools(self, list pools, list forbidden) except -1
    cdef void drop_pool_options(self) noexcept

cdef void* array(size_t count, size_t size) except NULL
cdef int fill_naming(TenantView owner, Naming* naming, dict fields) except -1
cdef uint32_t lifetime_of(object column) except? 0
cdef int64_t seconds_or_usual(object column) except? -2
