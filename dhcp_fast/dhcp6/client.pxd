"""Sender of a DHCPv6 message, and what is known of it before its associations are looked at."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.leases.lease_operation cimport LeaseOp, Octets
from dhcp_fast.leases.pools cimport ANY_CLASS
from dhcp_fast.plan.compiled cimport ClassMask, Reservation6, in_class
from dhcp_fast.plan.compiled6 cimport Pool6, Subnet6
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State, TenantBy
from dhcp_fast.wire.relay6 cimport Hop6, Relays6, link_place6

cdef enum:
    MAC_ROOM = 8            # octets at the beginning of a slot's spill, for a MAC that is in the client's address

cdef struct Client6:
    Subnet6* subnet             # that the message came by; its wire's are linked to it
    uint32_t tenant_no          # tenant of its relay; 0: without a relay
    TenantBy tenant_by
    bint network_used           # the virtual network that the client names chose the tenant
    const Relays6* relays       # that the message came through, if any
    int linked_by               # 1 + the hop whose link-local link-address chose the subnet; 0: none did
    const Hop6* relay           # next to the client; NULL: none
    Octets duid                 # `data` NULL: an Information-request without one
    Octets hw_address           # by relay, DUID or address; `data` NULL: unknown
    uint8_t hw_type
    ClassMask classes
    Reservation6* reservation   # NULL: none
    bint for_tenant             # it is being looked for among the tenant's
    Subnet6* reserved_in        # its subnet, on a shared network perhaps a sibling; NULL: the tenant's

cdef void identify(State* state, Slot* slot, Client6* client) noexcept nogil
cdef void own_lease(
    const State* state, const Client6* client, uint16_t ia_type, uint32_t iaid, LeaseOp* op) noexcept nogil
cdef uint64_t association_of(
    const State* state, const Client6* client, uint16_t ia_type, uint32_t iaid) noexcept nogil

cdef inline int link_hop(const Client6* client) noexcept nogil:
    """Return the hop that names the client's link; -1: none does."""
    return client.linked_by - 1 if client.linked_by else link_place6(client.relays)

cdef inline bint serves(const Pool6* pool, const Client6* client) noexcept nogil:
    return pool.indices.class_index == ANY_CLASS or in_class(&client.classes, pool.indices.class_index)
