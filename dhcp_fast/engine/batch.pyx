"""Operations on their way through the database: taken from the queue, encoded, and decided.

A batch belongs to one writer until all of its operations are over. `committed` sends the replies of
the rows that won; the others are compared again (`refused`, `again`). A statement without effect is
put back (`requeue`) or cut in halves to find the row at fault. A batch of unknown outcome gets no
reply (`abandon`).
"""

from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc

from dhcp_fast.clients.recalled cimport note_recalled
from dhcp_fast.engine.engine import boot_clock
from dhcp_fast.leases.lease_operation cimport IA_PD, OP_BIND, LeaseOp, Octets
from dhcp_fast.net.udp cimport BATCH
from dhcp_fast.pg.bind cimport BatchEncoder, WonRow
from dhcp_fast.state.queue cimport BINDS, GRANTS, make_ready, next_ready, running, slot_at, slot_give
from dhcp_fast.state.reasons cimport REASON_OUTCOME_UNKNOWN, REASON_REFUSED_ROW, REASON_WAITED_TOO_LONG
from dhcp_fast.state.slot cimport EXCHANGE_ENDING, EXCHANGE_NONE, NO_SLOT, RECALL_WANTED, Slot, is_part
from dhcp_fast.state.state cimport ACTION_DONE, ACTION_DROP, State, database_at

cdef enum:
    WAIT_MICROSECONDS = 5000000
    DECISIONS = 3           # how often a packet is decided again for a newer configuration


cdef inline bint must_be_written(const Slot* slot) noexcept nogil:
    """Return whether the operation ends a lease: it must be written however late, and again if its
    outcome is unknown, with or without a reply.
    """
    return slot.exchange == EXCHANGE_NONE or slot.exchange == EXCHANGE_ENDING


def take_batch(Engine engine, int statement, int most):
    """Return the operations of `statement` that have been ready longest; None when none is."""
    cdef Batch batch = Batch(engine, most)
    batch.statement = statement
    batch.fill(&engine.state.queue.ready[statement], most)
    return batch if batch.count else None


cdef tuple owner_of(const LeaseOp* op):
    """Return the operation's address and client, as Batch.owners does."""
    return (op.tenant_no, (<object>op.hi << 64) | op.lo, octets_or_none(&op.client_key), op.hw_type,
            octets_or_none(&op.hw_address), octets_or_none(&op.client_id))


cdef object octets_or_none(const Octets* octets):
    return None if octets.data == NULL else octets.data[:octets.length]


cdef class Batch:
    """Batch(engine, most): made by `take_batch`."""

    def __cinit__(self, Engine engine, int most):
        self.engine = engine
        self.slots = <uint32_t*>malloc(max(most, 1) * sizeof(uint32_t))
        if self.slots == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.slots)

    cdef void fill(self, ReadyList* ready, int most) noexcept:
        cdef uint32_t index
        self.engine.read_clocks()
        while self.count < most:
            index = next_ready(self.engine.state.queue, ready)
            if index == NO_SLOT:
                return
            if not self.waited_too_long(index):
                self.put(index)

    cdef void put(self, uint32_t index) noexcept nogil:
        slot_at(self.engine.state.queue, index).batch_index = self.count
        self.slots[self.count] = index
        self.count += 1

    cdef bint waited_too_long(self, uint32_t index) noexcept:
        """Drop what its client has given up or asked again; a release or decline is written however late."""
        cdef State* state = &self.engine.state
        cdef Slot* slot = slot_at(state.queue, index)
        if state.now - slot.op.received < WAIT_MICROSECONDS or must_be_written(slot):
            return False
        self.engine.drop_waiting(index, REASON_WAITED_TOO_LONG)
        return True

    def encode(self, BatchEncoder encoder, bytes statement, int node_no):
        """Return the Bind, Execute and Sync messages of this batch."""
        cdef int i
        cdef LeaseOp** ops = <LeaseOp**>malloc(max(self.count, 1) * sizeof(LeaseOp*))
        if ops == NULL:
            raise MemoryError
        for i in range(self.count):
            ops[i] = &slot_at(self.engine.state.queue, self.slots[i]).op
        self.sent = boot_clock()
        self.answered = 0
        try:
            return encoder.encode(
                statement, ops, self.count, node_no, self.sent, database_at(&self.engine.state, self.sent))
        finally:
            free(ops)

    def note_answer(self):
        """Note the answer; return after how many seconds."""
        self.answered = boot_clock()
        return (self.answered - self.sent) / 1e6

    def committed(self, AnswerReader answer):
        """Note that the statement is durable: replies of the rows that won leave. The indexes of the others in the
        batch, if any.

        Raises ValueError where PostgreSQL names a row that the batch does not have; nothing is to be believed then."""
        cdef int i
        cdef WonRow* row
        cdef Slot* slot
        cdef uint32_t index
        cdef int action
        cdef State* state = &self.engine.state
        self.engine.read_clocks()
        self.answered = self.answered or state.now
        for i in range(answer.row_count):
            row = &answer.rows[i]
            if i % BATCH == 0 and self.engine.protocol.look_ahead_won != NULL:
                self.engine.protocol.look_ahead_won(
                    state, row, min(<int>BATCH, answer.row_count - i), self.statement in (BINDS, GRANTS))
            index = running(state.queue, row.tenant_no, row.hi, row.lo)
            slot = slot_at(state.queue, index)
            if index == NO_SLOT or slot.batch_index >= self.count or self.slots[slot.batch_index] != index:
                raise ValueError("PostgreSQL returned a row that was not in the batch")
            self.slots[slot.batch_index] = NO_SLOT
            action = self.engine.protocol.on_won(state, slot, row)
            self.engine.conclude(index)
            if is_part(slot, index):
                self.engine.part_over(index, action)
            elif slot.exchange == EXCHANGE_NONE:
                state.ended += slot.rx.length != 0      # an operation of the server's own has no packet
                self.engine.note_decision(index, ACTION_DONE)
                slot_give(state.queue, index)
            elif action == ACTION_DROP:
                self.engine.note_decision(index, ACTION_DROP)
                slot_give(state.queue, index)
            else:
                self.engine.post(index)
        self.note_clock(answer)
        self.engine.send()
        return [] if answer.row_count == self.count else self.open_indexes()

    def open_indexes(self):
        """Return the indexes of the operations that have not been decided."""
        cdef int i
        return [i for i in range(self.count) if self.slots[i] != NO_SLOT]

    cdef void note_clock(self, AnswerReader answer) noexcept:
        """Note the clock: grants carry the database's time (rule 16); take it when it is sharper than what we have."""
        cdef State* state = &self.engine.state
        if self.statement in (BINDS, GRANTS) and answer.row_count:
            if self.answered - self.sent < 2 * state.clock.bound or not state.clock.known:
                self.engine.set_clock(answer.rows[0].renewed, self.sent, self.answered)

    def losers(self, list indexes):
        """Return (tenant_no, address as a number, subnet_no) of the operation at each index, whose rows are to be
        read."""
        cdef LeaseOp* op
        rows = []
        for at in indexes:
            op = &slot_at(self.engine.state.queue, self.slots[<int>at]).op
            rows.append((op.tenant_no, (<object>op.hi << 64) | op.lo, op.subnet_no))
        return rows

    def is_stale(self, int at, fence):
        """Return whether the operation was decided under an older configuration than `fence` (None: the subnet is
        gone)."""
        cdef Slot* slot = slot_at(self.engine.state.queue, self.slots[at])
        return (fence is None or fence > slot.op.fence) and slot.decided < DECISIONS

    def delegates(self, int at):
        """Return whether it was to grant a prefix, which leases of other first addresses may overlap."""
        cdef LeaseOp* op = &slot_at(self.engine.state.queue, self.slots[at]).op
        return op.kind == OP_BIND and op.ia_type == IA_PD

    def to_recall(self, list indexes):
        """Return those of the indexes whose packets lack what the row may hold."""
        return [at for at in indexes
                if slot_at(self.engine.state.queue, self.slots[<int>at]).recall == RECALL_WANTED]

    def owners(self, list indexes):
        """Return whose row each operation asks for: (tenant_no, address as a number, client_key, hw_type, hw_address or
        None, client_id or None)."""
        return [owner_of(&slot_at(self.engine.state.queue, self.slots[<int>at]).op) for at in indexes]

    def recall(self, int at, uint32_t relay, bytes line, bytes options):
        """Take what the row holds, a Recalled of database/leases/recollection.py."""
        note_recalled(slot_at(self.engine.state.queue, self.slots[at]), relay, line, options)

    def refused(self, int at):
        """Handle a refusal, of which the cache knows the reason."""
        cdef uint32_t index = self.slots[at]
        self.slots[at] = NO_SLOT
        self.engine.read_clocks()
        self.engine.conclude(index)
        self.engine.decided_again(index, self.engine.protocol.on_refused(
            &self.engine.state, slot_at(self.engine.state.queue, index)))

    def again(self, int at):
        """Decide the packet under the configuration as it is now."""
        cdef uint32_t index = self.slots[at]
        self.slots[at] = NO_SLOT
        self.engine.read_clocks()
        self.engine.conclude(index)
        self.engine.decided_again(index, self.engine.protocol.decide_again(
            &self.engine.state, slot_at(self.engine.state.queue, index)))

    def requeue(self):
        """Queue again operations of a statement without effect, which still hold their keys."""
        cdef int i
        for i in range(self.count):
            if self.slots[i] != NO_SLOT:
                make_ready(self.engine.state.queue, self.slots[i])
        self.count = 0

    def bind(self):
        """Bind again, because rows were there of which memory knew nothing: the statement had no effect, and its
        operations must ask."""
        cdef int i
        for i in range(self.count):
            slot_at(self.engine.state.queue, self.slots[i]).op.unheld = False
        self.requeue()

    def abandon(self):
        """Abandon operations of unknown outcome: grants and renewals are dropped, ends of leases
        are retried (rule 11).

        Return (tenant_no, address, subnet_no) of all: rows to be read once the database is back.
        """
        cdef int i
        cdef uint32_t index
        cdef Slot* slot
        unknown = self.losers(self.open_indexes())
        for i in range(self.count):
            index = self.slots[i]
            if index == NO_SLOT:
                continue
            slot = slot_at(self.engine.state.queue, index)
            if must_be_written(slot):
                make_ready(self.engine.state.queue, index)
            else:
                self.engine.drop_waiting(index, REASON_OUTCOME_UNKNOWN)
        self.count = 0
        return unknown

    def halves(self):
        """Return two batches with this one's operations; this one is empty then (rule 10)."""
        cdef Batch first = Batch(self.engine, self.count)
        cdef Batch second = Batch(self.engine, self.count)
        cdef int i
        first.statement = second.statement = self.statement
        for i in range(self.count):
            if i < self.count // 2:
                first.put(self.slots[i])
            else:
                second.put(self.slots[i])
        self.count = 0
        return first, second

    def in_time(self):
        """Return this batch without operations that have waited too long meanwhile; None when nothing is left of it."""
        cdef int i, count = self.count
        self.engine.read_clocks()
        self.count = 0
        for i in range(count):
            if not self.waited_too_long(self.slots[i]):
                self.put(self.slots[i])
        return self if self.count else None

    def refuse_row(self):
        """Return a batch of one that PostgreSQL cannot take (rule 10): dropped and counted; its address, for the
        log."""
        cdef uint32_t index = self.slots[0]
        cdef LeaseOp* op = &slot_at(self.engine.state.queue, index).op
        address = (<object>op.hi << 64) | op.lo
        self.engine.drop_waiting(index, REASON_REFUSED_ROW)
        self.count = 0
        return address
