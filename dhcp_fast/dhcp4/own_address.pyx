"""Address that a client means without naming one, by what this server knows of it."""

from dhcp_fast.dhcp4.client cimport enter_subnet
from dhcp_fast.dhcp4.hostname cimport note_host_name
from dhcp_fast.leases.client_identity cimport note_hashes
from dhcp_fast.leases.lease_table cimport (
    LEASE_ACTIVE, NO_LEASE, Lease, Span, lease_at, lease_of_client, next_of_client)
from dhcp_fast.leases.offers cimport NO_OFFER, offer_find
from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.plan.subnets cimport next_on_wire, span_of
from dhcp_fast.wire.codes cimport OPT_DHCP_REQUESTED_ADDRESS
from dhcp_fast.wire.packet4 cimport option_u32

ctypedef uint32_t (*Find)(const State*, const Client*, const Subnet4*) noexcept nogil


cdef uint32_t selected_address(State* state, Slot* slot, Client* client) noexcept nogil:
    """Return the address of a client in SELECTING whose option 50 does not decide it, against RFC
    2131 table 5. It is the ciaddr, else our offer, else its lease here: it repeats a REQUEST whose
    first copy ended the offer. Its name may be made of the address. 0: none of them exists.
    """
    cdef uint32_t address = state.packet.ciaddr
    if not address:
        address = enter(state, slot, client, offered_in)
    if not address:
        address = enter(state, slot, client, leased_in)
    if address:
        note_host_name(state, slot, client, address)
        note_hashes(state.hash_key, &slot.op)
    return address


cdef uint32_t enter(State* state, Slot* slot, Client* client, Find find) noexcept nogil:
    """Return the first address that is found in a subnet of the client's wire, which the client is in from now on; 0:
    none."""
    cdef Subnet4* subnet = client.subnet
    cdef uint32_t address
    while subnet != NULL:
        address = find(state, client, subnet) if subnet.enabled else 0
        if address:
            enter_subnet(slot, client, subnet)
            return address
        subnet = next_on_wire(subnet, client.subnet)
    return 0


cdef uint32_t offered_in(const State* state, const Client* client, const Subnet4* subnet) noexcept nogil:
    """Return the subnet of an open offer (of option 50, if the client sent that)."""
    cdef uint32_t asked = option_u32(&state.packet, OPT_DHCP_REQUESTED_ADDRESS)
    cdef uint32_t index = offer_find(state.offers, client.identity, subnet.no)
    if index == NO_OFFER or asked and state.offers.at[index].address != asked:
        return 0
    return state.offers.at[index].address


cdef uint32_t leased_in(const State* state, const Client* client, const Subnet4* subnet) noexcept nogil:
    """Return the subnet of a lease of its own that runs (of option 50, if the client sent that)."""
    cdef Span span = span_of(subnet)
    cdef uint32_t asked = option_u32(&state.packet, OPT_DHCP_REQUESTED_ADDRESS)
    cdef uint32_t index = lease_of_client(state.leases, client.identity, &span)
    cdef const Lease* lease
    while index != NO_LEASE:
        lease = lease_at(state.leases, index)
        if lease.state == LEASE_ACTIVE and (not asked or lease.address == asked):
            return lease.address
        index = next_of_client(state.leases, index, &span)
    return 0
