"""Rules for how a decision begins and ends: the slot's packet read; a reply that leaves at once, or an operation for
the database with the reply written already."""

from libc.stdint cimport uint32_t

from dhcp_fast.dhcp4.allocation cimport want_refresh
from dhcp_fast.dhcp4.device cimport note_device
from dhcp_fast.dhcp4.limits cimport note_exhausted
from dhcp_fast.dhcp4.reply cimport answer_nak
from dhcp_fast.dhcp4.reply_address cimport address_reply
from dhcp_fast.dhcp4.reserved cimport version_to_end
from dhcp_fast.leases.lease_operation cimport OP_BIND
from dhcp_fast.leases.lease_table cimport lease_find
from dhcp_fast.sharing.lease_ownership cimport has_foreign_row
from dhcp_fast.state.reasons cimport REASON_EXHAUSTED, REASON_NO_REPLY_ADDRESS, REASON_OTHER_SERVER
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport ACTION_REPLY, ACTION_WRITE, BOOTP_OFF, Action, Client, State, drop, notice
from dhcp_fast.wire.faults cimport FAULT_NONE, Fault
from dhcp_fast.wire.packet4 cimport may_select_another, parse4, parse_bootp

cdef inline Fault read_packet(State* state, const Slot* slot) noexcept nogil:
    """Parse the slot's datagram into `state.packet`; a BOOTREQUEST is a fault unless the setting admits it."""
    cdef Fault fault = parse4(&state.packet, slot.rx.data, slot.rx.length)
    if fault != FAULT_NONE and state.bootp != BOOTP_OFF:
        return parse_bootp(&state.packet, fault)
    return fault

cdef inline Action reply(State* state, Slot* slot, bint nak) noexcept nogil:
    if not address_reply(state, slot, nak):
        return drop(state, REASON_NO_REPLY_ADDRESS)
    return ACTION_REPLY

cdef inline Action nothing_free(State* state, const Client* client) noexcept nogil:
    """Return whether no pool that is open to the client has an address; before that is true the database is asked once
    more."""
    note_exhausted(client)
    want_refresh(state, client.subnet)
    return drop(state, REASON_EXHAUSTED)

cdef inline Action refuse(State* state, Slot* slot, Client* client, int why, uint32_t address) noexcept nogil:
    if may_select_another(&state.packet):
        return drop(state, REASON_OTHER_SERVER)
    notice(state, slot, why, address)
    answer_nak(state, slot, client)
    return reply(state, slot, True)

cdef inline Action write(State* state, Slot* slot, Client* client, int kind, uint32_t address) noexcept nogil:
    slot.op.kind = kind
    slot.op.lo = address
    slot.op.lifetime = client.lease_time
    if kind == OP_BIND:
        slot.op.version = version_to_end(state, client, address)
        note_device(state, slot, client.subnet.tenant)
    slot.op.unheld = (kind == OP_BIND and not lease_find(state.leases, slot.op.tenant_no, slot.op.hi, address)
                      and not (state.share.count > 1 and has_foreign_row(client, address)))
    return ACTION_WRITE
