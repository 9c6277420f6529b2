"""The steps of a packet's path, each in a loop of its own, for the micro benchmarks.

A Python call per repetition would measure the call. So a `Walk` keeps a packet in an engine's slot
and repeats one of the engine's own functions on it in C. A `Fill` is a pool with a share of taken
addresses, a `Table` a lease table with a number of entries. Every method returns the number of its
repetitions, and works on real structures: each repetition computes everything that the packet path
computes.
"""

cimport cython
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from dhcp_fast.structures.siphash cimport mix
from dhcp_fast.leases.lease_operation cimport OP_BIND, LeaseOp
from dhcp_fast.leases.lease_table cimport (
    NO_LEASE, LeaseTable, Span, lease_find, lease_make, lease_of_client, lease_set_client, leases_free, leases_new)
from dhcp_fast.leases.pools cimport (
    AddressSpace, NodeRing, Pool, give_back, pool_clear, pool_init, pool_open, pool_pick, space_free, space_new,
    take_address)
from dhcp_fast.dhcp4.reply cimport answer
from dhcp_fast.dhcp4.allocation cimport choose_address
from dhcp_fast.engine.engine cimport Engine
from dhcp_fast.dhcp4.client cimport identify
from dhcp_fast.dhcp4.subnet_selection cimport find_subnet
from dhcp_fast.state.queue cimport slot_at, slot_give, slot_take
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Client
from dhcp_fast.pg.bind cimport BatchEncoder
from dhcp_fast.wire.codes cimport DHCPOFFER
from dhcp_fast.wire.packet4 cimport parse4
from dhcp_fast.state.reasons cimport REASON_NONE
from dhcp_fast.wire.faults cimport FAULT_NONE

cdef enum:
    BIND = 256      # operations a statement
    FIRST = 0x0A000000


@cython.no_gc_clear     # its deallocation needs the engine, also from the garbage collector
cdef class Walk:
    """Walk(engine, packet): the packet as it came to the engine from a relay."""

    cdef Engine engine
    cdef uint32_t index
    cdef Slot* slot
    cdef Client client
    cdef LeaseOp** ops

    def __cinit__(self, Engine engine, bytes packet):
        self.engine = engine
        self.index = slot_take(engine.state.queue)
        self.slot = slot_at(engine.state.queue, self.index)
        memcpy(self.slot.request, <const uint8_t*>packet, len(packet))
        self.slot.rx.length = <unsigned short>len(packet)
        engine.read_clocks()
        self.ops = <LeaseOp**>calloc(BIND, sizeof(LeaseOp*))
        if self.ops == NULL or not self.parse(1) or not self.identify(1):
            raise ValueError("the engine does not serve this packet")

    def __dealloc__(self):
        free(self.ops)
        slot_give(self.engine.state.queue, self.index)

    def parse(self, int times):
        cdef int _turn, done = 0
        for _turn in range(times):
            done += parse4(&self.engine.state.packet, self.slot.rx.data, self.slot.rx.length) == FAULT_NONE
        return done

    def identify(self, int times):
        """Relay to subnet, client to identity, reservation and classes."""
        cdef int _turn, done = 0
        for _turn in range(times):
            memset(&self.client, 0, sizeof(Client))
            if find_subnet(&self.engine.state, self.slot, &self.client) == REASON_NONE:
                done += identify(&self.engine.state, self.slot, &self.client) == REASON_NONE
        return done

    def choose(self, int times):
        cdef int _turn, done = 0
        for _turn in range(times):
            done += choose_address(&self.engine.state, &self.client) != 0
        return done

    def build(self, int times):
        """Return the whole OFFER."""
        cdef int _turn, done = 0
        for _turn in range(times):
            answer(&self.engine.state, self.slot, &self.client, DHCPOFFER, FIRST + 100, 3600)
            done += self.slot.tx.length != 0
        return done

    def encode(self, BatchEncoder encoder, int times):
        """Return operations as the Bind message takes them, 256 a statement."""
        cdef int i, _turn, done = 0
        self.slot.op.kind = OP_BIND
        self.slot.op.lo = FIRST + 100
        for i in range(BIND):
            self.ops[i] = &self.slot.op
        for _turn in range(times // BIND):
            written = encoder.encode(b"bind", self.ops, BIND, 1, self.engine.state.now, 0)
            done += BIND if written else 0
        return done


cdef class Fill:
    """Fill(size, taken, sequential): a pool of `size` addresses, `taken` of them held at random places."""

    cdef AddressSpace* space
    cdef Pool pool
    cdef NodeRing ring
    cdef uint64_t client

    def __cinit__(self, uint32_t size, uint32_t taken, bint sequential=False):
        cdef uint64_t i, at
        self.space = space_new(FIRST, size)
        if self.space == NULL or not pool_init(&self.pool, FIRST, FIRST + size - 1):
            raise MemoryError
        self.pool.sequential = sequential
        pool_open(&self.pool, self.space)
        for i in range(taken):
            at = <uint64_t>pool_pick(&self.pool, mix(i), &self.ring)
            take_address(self.space, &self.pool, 1, <uint32_t>(FIRST + at))

    def __dealloc__(self):
        pool_clear(&self.pool)
        space_free(self.space)

    def allocate(self, int times):
        """Return an address for another client each time, and back again, so that the fill stays what it is."""
        cdef int _turn, done = 0
        cdef int64_t at
        for _turn in range(times):
            self.client += 1
            at = pool_pick(&self.pool, mix(self.client << 20), &self.ring)
            if at >= 0:
                take_address(self.space, &self.pool, 1, <uint32_t>(FIRST + at))
                give_back(self.space, &self.pool, 1, <uint32_t>(FIRST + at))
                done += 1
        return done


cdef class Table:
    """Table(count): a lease table of so many clients, one address each."""

    cdef LeaseTable* table
    cdef uint32_t count
    cdef uint64_t turn

    def __cinit__(self, uint32_t count):
        cdef uint64_t i
        cdef uint32_t index
        self.count = count
        self.table = leases_new(False)
        for i in range(count):
            index = lease_make(self.table, 1, 0, FIRST + i)
            if index == NO_LEASE:
                raise MemoryError
            lease_set_client(self.table, index, mix(i + 1))

    def __dealloc__(self):
        leases_free(self.table)

    def find(self, int times):
        """Find leases by address and by client, in random order, as a renewal looks."""
        cdef int _turn, done = 0
        cdef uint64_t at
        cdef Span span = Span(0, FIRST, FIRST + self.count, 1)
        for _turn in range(times):
            self.turn += 1
            at = mix(self.turn) % self.count
            done += (lease_find(self.table, 1, 0, FIRST + at) != NO_LEASE
                     and lease_of_client(self.table, mix(at + 1), &span) != NO_LEASE)
        return done
