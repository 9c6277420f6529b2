"""Which address a client means that does not name one, by what this server knows of it."""

from libc.stdint cimport uint32_t

from dhcp_fast.dhcp4.client cimport enter_subnet
from dhcp_fast.dhcp4.hostname cimport note_host_name
from dhcp_fast.leases.client_identity cimport note_hashes
from dhcp_fast.leases.lease_table cimport LEASE_ACTIVE, NO_LEASE, lease_at, lease_at_address
from dhcp_fast.leases.offers cimport NO_OFFER, offer_find
from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.plan.subnets cimport next_on_wire
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Client, State
from dhcp_fast.wire.codes cimport OPT_DHCP_REQUESTED_ADDRESS
from dhcp_fast.wire.packet4 cimport option_u32


cdef inline uint32_t selected_address(State* state, Slot* slot, Client* client) noexcept nogil:
    """The address that a client in SELECTING means where option 50 alone does not decide it, against RFC 2131 table 5:
    its ciaddr, else our offer to it. Its name may be made of the address. 0: neither is there."""
    cdef inline uint32_t address = state.packet.ciaddr
    if not address:
        address = enter_offer(state, slot, client, option_u32(&state.packet, OPT_DHCP_REQUESTED_ADDRESS))
    if address:
        note_host_name(state, slot, client, address)
        note_hashes(state.hash_key, &slot.op)
    return address


cdef inline uint32_t enter_offer(State* state, Slot* slot, Client* client, uint32_t asked) noexcept nogil:
    """The address of the client's open offer (of `asked`, if not 0). On a shared network the client enters the offer's
    subnet. 0: no such offer is open."""
    cdef Subnet4* subnet = client.subnet
    cdef inline uint32_t index
    while subnet != NULL:
        index = offer_find(state.offers, client.identity, subnet.no)
        if index != NO_OFFER and (not asked or state.offers.at[index].address == asked):
            enter_subnet(slot, client, subnet)
            return state.offers.at[index].address
        subnet = next_on_wire(subnet, client.subnet)
    return 0


cdef inline bint has_active_lease(const State* state, const Client* client, uint32_t address) noexcept nogil:
    cdef uint32_t index = lease_at_address(state.leases, client.identity, client.subnet.tenant.no, address)
    return index != NO_LEASE and lease_at(state.leases, index).state == LEASE_ACTIVE
