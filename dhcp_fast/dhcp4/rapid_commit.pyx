"""Addresses given without an OFFER: rapid commit (RFC 4039) and BOOTP clients (RFC 951, RFC 1534).

The client's first packet is the whole conversation, so it is written at once and answered after the COMMIT. Where the
row refuses it there is no earlier promise to take back: the packet is decided again, with another address (engine
rule 8).
"""

from dhcp_fast.leases.lease_operation cimport INFINITE_LIFETIME, OP_BIND
from dhcp_fast.dhcp4.decision cimport nothing_free, reply, write
from dhcp_fast.dhcp4.reply cimport answer
from dhcp_fast.dhcp4.reply_address cimport address_reply
from dhcp_fast.dhcp4.allocation cimport choose_address, remember_offer
from dhcp_fast.dhcp4.client cimport enter_subnet
from dhcp_fast.dhcp4.ping_check cimport check_first
from dhcp_fast.dhcp4.limits cimport circuit_is_full
from dhcp_fast.state.slot cimport EXCHANGE_AT_ONCE
from dhcp_fast.state.state cimport ACTION_REPLY, BOOTP_RESERVED, drop
from dhcp_fast.state.reasons cimport (
    REASON_CIRCUIT_FULL, REASON_NOT_RESERVED, REASON_NO_REPLY_ADDRESS, REASON_RELAY_OFFERS)
from dhcp_fast.wire.codes cimport DHCPACK, OPT_RAPID_COMMIT
from dhcp_fast.wire.packet4 cimport BOOTP, has

cdef bint wants_rapid_commit(const State* state, const Client* client) noexcept nogil:
    """Return whether both sides agree (RFC 4039 section 3.1): option 80 in the DISCOVER and the subnet's switch."""
    return client.subnet.rapid_commit and has(&state.packet, OPT_RAPID_COMMIT)


cdef Action bind_at_once(State* state, Slot* slot, Client* client, uint32_t address) noexcept nogil:
    """Write the lease and have its ACK ready; `address` is held for the client by an open offer meanwhile."""
    slot.exchange = EXCHANGE_AT_ONCE
    answer(state, slot, client, BOOTP if state.packet.message_type == BOOTP else DHCPACK, address, client.lease_time)
    if not address_reply(state, slot, False):
        return drop(state, REASON_NO_REPLY_ADDRESS)
    return write(state, slot, client, OP_BIND, address)


cdef Action on_bootp(State* state, Slot* slot, Client* client) noexcept nogil:
    """Decide a BOOTREQUEST.

    A client that knows its address asks for parameters only (RFC 951 section 7.3). Another gets its
    reservation or, if the setting permits it, an address of a pool for ever (RFC 1534 section 2).
    """
    cdef uint32_t address
    cdef Action checked
    if state.packet.ciaddr:
        answer(state, slot, client, BOOTP, state.packet.ciaddr, 0)
        return reply(state, slot, False)
    if state.bootp == BOOTP_RESERVED and client.reservation == NULL:
        return drop(state, REASON_NOT_RESERVED)
    if circuit_is_full(state, slot, client):
        return drop(state, REASON_CIRCUIT_FULL)
    address = choose_address(state, client)
    if not address:
        return nothing_free(state, client)
    if state.bootp == BOOTP_RESERVED and address != client.reservation.address:
        return drop(state, REASON_NOT_RESERVED)
    enter_subnet(slot, client, client.subnet)
    if not remember_offer(state, client, address):
        return drop(state, REASON_RELAY_OFFERS)
    if client.subnet.ping_check:
        checked = check_first(state, slot, client, address)
        if checked != ACTION_REPLY:
            return checked
    client.lease_time = INFINITE_LIFETIME       # a BOOTP client never renews
    return bind_at_once(state, slot, client, address)
