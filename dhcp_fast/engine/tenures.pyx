"""Rows at reserved addresses, and whether their clients have the reservation's identity (clients/tenure.pxd)."""

from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.engine.batch cimport Batch
from dhcp_fast.leases.lease_operation cimport IA_NA, IPV4, LeaseOp, Octets
from dhcp_fast.leases.lease_table cimport NO_LEASE, lease_at, lease_find
from dhcp_fast.plan.compiled cimport Reservation6, Subnet4
from dhcp_fast.plan.compiled6 cimport Subnet6
from dhcp_fast.plan.subnets cimport subnet_by_no
from dhcp_fast.plan.subnets6 cimport subnet_by_no as subnet6_by_no
from dhcp_fast.state.queue cimport slot_at
from dhcp_fast.state.slot cimport RECALL_DONE, RECALL_WANTED
from dhcp_fast.structures.keymap cimport keymap_get
from dhcp_fast.structures.siphash cimport siphash


def to_look_up(Batch batch, list indexes):
    """Return the indexes whose packets need to know who holds the reserved lease."""
    return [at for at in indexes
            if slot_at(batch.engine.state.queue, batch.slots[<int>at]).tenure == RECALL_WANTED]


def tell(Batch batch, int at, told):
    """Take the row's holder, a Holder (database/leases/tenures.py); None: there is no row."""
    judge(&batch.engine.state, slot_at(batch.engine.state.queue, batch.slots[at]), told)


cdef int judge(State* state, Slot* slot, object told) except -1:
    """Note in the slot whether the row's client has what its packet's client has reserved."""
    slot.tenure = RECALL_DONE
    slot.tenure_type = slot.op.ia_type
    slot.tenure_version = told.version if told is not None else 0
    slot.tenure_same = told is not None and (
        has_any(state, &slot.op, told.identities)
        or has_any(state, &slot.op, told.machines) and not is_sibling(&slot.op, told))
    return 0


cdef void judge_by_memory(State* state, Slot* slot) noexcept nogil:
    """Judge by memory in a rehearsal, where no row can be read: a lease in memory is the
    reservation's client's.
    """
    cdef uint32_t index = lease_find(state.leases, slot.op.tenant_no, slot.op.hi, slot.op.lo)
    slot.tenure = RECALL_DONE
    slot.tenure_type = slot.op.ia_type
    slot.tenure_version = lease_at(state.leases, index).version if index != NO_LEASE else 0
    slot.tenure_same = slot.tenure_version == NEWEST


cdef bint has_any(State* state, const LeaseOp* op, list identities) except -1:
    """Return whether one of the identities, spelled as reservations spell them, has the lease reserved."""
    cdef bytes identity
    cdef uint64_t hash
    for identity in identities:
        hash = siphash(state.hash_key, identity, len(identity))
        if is_reserved4(state, op, hash) if op.ia_type == IPV4 else is_reserved6(state, op, hash):
            return True
    return False


cdef bint is_reserved4(State* state, const LeaseOp* op, uint64_t identity) noexcept nogil:
    cdef Subnet4* subnet = subnet_by_no(state.plan, op.subnet_no)
    cdef uint32_t index = keymap_get(&subnet.by_identity, identity) if subnet != NULL else 0
    return index != 0 and subnet.reservations[index - 1].address == op.lo


cdef bint is_reserved6(State* state, const LeaseOp* op, uint64_t identity) noexcept nogil:
    cdef Subnet6* subnet = subnet6_by_no(state.plan6, op.subnet_no)
    cdef uint32_t index = keymap_get(&subnet.by_identity, identity) if subnet != NULL else 0
    cdef const Reservation6* one
    if not index:
        return False
    one = &subnet.reservations[index - 1]
    if op.ia_type == IA_NA:
        return one.has_address and one.hi == op.hi and one.lo == op.lo
    return one.prefix_length and one.prefix_hi == op.hi and one.prefix_lo == op.lo


cdef bint is_sibling(const LeaseOp* op, object told) except -1:
    """Return whether it is another interface of the machine: a DUID names the machine, its IAIDs and cards the
    interfaces."""
    cdef bytes card = octets_of(&op.hw_address)
    cdef bytes interface
    if not card or not told.hw_address or card == told.hw_address:
        return False
    interface = octets_of(&op.client_id) if op.ia_type == IPV4 else (<uint32_t>op.association.iaid).to_bytes(4, "big")
    return interface != told.interface


cdef bytes octets_of(const Octets* octets):
    return b"" if octets.data == NULL else octets.data[:octets.length]
