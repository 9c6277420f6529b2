"""The subnet whose settings an answer contains: options, boot URL, names.

On a shared network the entry subnet of a message does not show the client's lease. The subnet of
the first lease in the answer counts; the entry subnet only where the answer has no lease.
"""

from dhcp_fast.plan.subnets6 cimport subnet_by_no


cdef const Part* first_lease(const Slot* slot) noexcept nogil:
    """Return the first part that the answer shows with lifetimes; NULL: none."""
    cdef int i
    for i in range(slot.part_count):
        if slot.parts[i].valid and slot.parts[i].shown and not slot.parts[i].status:
            return &slot.parts[i]
    return NULL


cdef const Subnet6* subnet_of_part(const State* state, const Client6* client, const Part* part) noexcept nogil:
    """Return the lease's subnet, else the entry subnet, as where the lease's one was deleted since it was granted."""
    cdef const Subnet6* subnet = NULL
    if client.subnet.next_on_wire != NULL:
        subnet = subnet_by_no(state.plan6, part.subnet_no)
    if subnet == NULL:
        return client.subnet
    return subnet


cdef const Subnet6* speaker(const State* state, const Slot* slot, const Client6* client) noexcept nogil:
    """Return the subnet of the answer's first lease."""
    cdef const Part* first
    if client.subnet.next_on_wire == NULL:
        return client.subnet
    first = first_lease(slot)
    if first == NULL:
        return client.subnet
    return subnet_of_part(state, client, first)
