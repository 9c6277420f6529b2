"""The lease table at the start: ten million rows into the cache, in brief and without a look at
existing entries.

Six columns of a row give the holder of the address and the time from which others may have it. The
data for early renewals and the moment of expiry follow later, while packets are already served.
Until then a lease counts as active to the end of its reuse margin, which denies no client an
address. Rows come in random order, so each would wait for memory twice. They are taken some at a
time, and the memory of the later ones is prefetched while the first ones are entered.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from dhcp_fast.engine.engine cimport Engine
from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.leases.lease_prefetch cimport prefetch_address, prefetch_client
from dhcp_fast.leases.lease_table cimport Lease, lease_at, leases_reserve
from dhcp_fast.leases.pools cimport mark_taken
from dhcp_fast.pg.copy_out cimport CopyOut
from dhcp_fast.pg.copy_tuples cimport (
    HEADER_LENGTH, STEP_BROKEN, STEP_END, STEP_ROW, Step, is_header, is_inet, load_inet, read_tuple)
from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.plan.subnets cimport subnet_of_lease
from dhcp_fast.sharing.lease_cache cimport LeaseRow, learn, learn_first
from dhcp_fast.sharing.lease_ownership cimport holding_by_key
from dhcp_fast.state.occupancy6 cimport mark_lease
from dhcp_fast.state.state cimport State, runs
from dhcp_fast.structures.prefetch cimport prefetch
from dhcp_fast.structures.siphash cimport siphash
from dhcp_fast.wire.cursor cimport Cursor, cursor, load_u32, load_u64, remaining, take
from libc.string cimport memset

cdef enum:
    GROUP = 32
    FIELDS = 6
    LONGEST_KEY = 4096

cdef enum:
    TENANT_NO, ADDRESS, STATE, VERSION, REUSE, CLIENT_KEY


cdef class BriefReader:
    """BriefReader(engine): `read` what a CopyOut of dhcp_feed.sql's copy_brief has got; `count` rows were read.

    An engine that knows no lease yet takes the rows as they come; no address may then come twice.
    """

    cdef Engine engine
    cdef bint begun, ended, first
    cdef readonly uint64_t count

    def __init__(self, Engine engine, bint first):
        self.engine = engine
        self.first = first

    def read(self, CopyOut source):
        """Raise ValueError on rows of another shape, MemoryError when the cache cannot grow."""
        cdef Cursor c = cursor(source.room, source.payload)
        cdef int taken = GROUP
        if not self.begun:
            if remaining(&c) < HEADER_LENGTH:
                return
            if not is_header(take(&c, HEADER_LENGTH)):
                raise ValueError("PostgreSQL sent something else than lease rows")
            self.begun = True
        while taken == GROUP:
            taken = self.take_group(&c)
        if taken < 0:
            raise ValueError("PostgreSQL sent a lease row of another shape")
        source.used(source.payload - remaining(&c))

    cdef int take_group(self, Cursor* c) except -2:
        """Take up to GROUP rows; -1 when one is broken."""
        cdef LeaseRow rows[GROUP]
        cdef int taken = 0
        cdef Step step = STEP_ROW
        while taken < GROUP and not self.ended:
            step = read_row(c, &rows[taken], &self.engine.state)
            if step != STEP_ROW:
                break
            prefetch_address(self.engine.state.leases, rows[taken].tenant_no, rows[taken].hi, rows[taken].lo)
            prefetch_client(self.engine.state.leases, rows[taken].client)
            taken += 1
        if not (enter_first if self.first else enter)(&self.engine.state, rows, taken):
            raise MemoryError
        self.count += taken
        self.ended |= step == STEP_END
        return -1 if step == STEP_BROKEN else taken


cdef bint enter(State* state, const LeaseRow* rows, int count) noexcept nogil:
    cdef int i
    for i in range(count):
        if not learn(state, &rows[i]):
            return False
    return True


cdef bint enter_first(State* state, const LeaseRow* rows, int count) noexcept nogil:
    cdef int i
    for i in range(count):
        if not learn_first(state, &rows[i]):
            return False
    return True


def mark_leases(Engine engine, uint32_t first):
    """Return what the entries from `first` on hold is taken, by the configuration; the first one that was not looked
    at."""
    cdef Subnet4* subnets[GROUP]
    cdef uint32_t used = engine.state.leases.used
    if engine.family == 6:
        mark_indices(&engine.state, first, used)
        return max(first, used + 1)
    while first <= used:
        mark_group(&engine.state, subnets, first, min(first + GROUP, used + 1))
        first = min(first + GROUP, used + 1)
    return first


def open_pools(Engine engine):
    """Open the pools when all leased addresses were marked: the rest is free."""
    for view in engine.plan.subnets.values():
        view.open_pools()


cdef void mark_group(State* state, Subnet4** subnets, uint32_t first, uint32_t past) noexcept nogil:
    """Mark a group: each look at memory for all entries of the group, before the next one needs what it found."""
    cdef uint32_t index
    cdef Lease* lease
    for index in range(first, past):
        lease = lease_at(state.leases, index)
        subnets[index - first] = subnet_of_lease(state.plan, lease) if runs(state, lease) else NULL
        if subnets[index - first] != NULL:
            prefetch(&subnets[index - first].space)
    for index in range(first, past):
        if subnets[index - first] != NULL:
            prefetch(subnets[index - first].space)
    for index in range(first, past):
        if subnets[index - first] != NULL:
            prefetch(taken_word(subnets[index - first], lease_at(state.leases, index).address))
    for index in range(first, past):
        if subnets[index - first] != NULL:
            mark_taken(subnets[index - first].space, lease_at(state.leases, index).address)


cdef void mark_indices(State* state, uint32_t first, uint32_t last) noexcept nogil:
    """Mark the indices of IPv6."""
    cdef uint64_t index
    cdef Lease* lease
    for index in range(first, <uint64_t>last + 1):
        lease = lease_at(state.leases, <uint32_t>index)
        if runs(state, lease):
            mark_lease(state, lease)


cdef inline const uint64_t* taken_word(const Subnet4* subnet, uint32_t address) noexcept nogil:
    return &subnet.space.taken[(address - subnet.network) >> 6]


def reserve(Engine engine, uint32_t count):
    """Reserve room for the engine's share of about so many leases and a quarter more, before the first one comes. For
    the next new clients no chain is split, whose entries are in no cache."""
    if not leases_reserve(engine.state.leases, (count + count // 4) // engine.state.share.count):
        raise MemoryError


cdef Step read_row(Cursor* c, LeaseRow* row, const State* state) noexcept nogil:
    """Return one row that is there whole; none of its columns may be NULL."""
    cdef Octets fields[FIELDS]
    cdef Step step = read_tuple(c, fields, FIELDS, LONGEST_KEY)
    if step != STEP_ROW:
        return step
    if not have_our_shape(fields):
        return STEP_BROKEN
    memset(row, 0, sizeof(LeaseRow))
    row.tenant_no = load_u32(fields[TENANT_NO].data)
    load_inet(&fields[ADDRESS], &row.hi, &row.lo)
    row.state = fields[STATE].data[0]
    row.version = load_u64(fields[VERSION].data)
    row.expires = row.reuse = <int64_t>load_u64(fields[REUSE].data)
    row.client = siphash(state.hash_key, fields[CLIENT_KEY].data, fields[CLIENT_KEY].length)
    row.holding = holding_by_key(state, fields[CLIENT_KEY].data, fields[CLIENT_KEY].length, state.plan6 != NULL)
    row.brief = True
    return STEP_ROW


cdef bint have_our_shape(const Octets* fields) noexcept nogil:
    return (fields[TENANT_NO].length == 4 and is_inet(&fields[ADDRESS]) and fields[STATE].length == 1
            and fields[VERSION].length == 8 and fields[REUSE].length == 8 and fields[CLIENT_KEY].data != NULL)
