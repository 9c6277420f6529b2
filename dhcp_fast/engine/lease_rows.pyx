"""Lease rows as PostgreSQL's COPY ... (format binary) gives them, into the engine's cache.

The first load, the feed of what other servers wrote and the second look at refused rows all arrive this way, so a
million rows cost no Python object each. The columns and their order are those of the queries in dhcp_feed.sql.
(PostgreSQL documentation, COPY, "Binary Format".)
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.structures.siphash cimport siphash
from dhcp_fast.leases.lease_operation cimport LeaseOp, Octets
from dhcp_fast.engine.engine cimport Engine
from dhcp_fast.leases.client_identity cimport note_facts
from dhcp_fast.state.lease_cache cimport LeaseRow, learn
from dhcp_fast.state.lease_ownership cimport holding_of
from dhcp_fast.wire.cursor cimport Cursor, cursor, load_u16, load_u32, load_u64, remaining, take

cdef enum:
    FIELDS = 16
    MAX_FIELD = 4096        # far more than any column of ours holds

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)      # signature, flags, length of the header extension

cdef enum:
    TENANT_NO = 0, SUBNET_NO, ADDRESS, STATE, VERSION, RENEWED, EXPIRES, REUSE, CLIENT_KEY, HW_TYPE, HW_ADDRESS,
    CLIENT_ID, HOSTNAME, RELAY, CIRCUIT_ID, REMOTE_ID

# Lengths of the columns before CLIENT_KEY; 0: an inet, which has two.
cdef uint8_t* LENGTHS = [4, 4, 0, 1, 8, 8, 8, 8]


cdef enum Step:
    STEP_NEED_MORE
    STEP_ROW
    STEP_END
    STEP_BROKEN


cdef class RowReader:
    """RowReader(engine, in_bulk): `feed` it the pieces of one COPY stream; `count` rows were read. In bulk: they are
    rows of the lease table, as they are now; else events, which may be older than what is known."""

    cdef Engine engine
    cdef bytearray pending
    cdef bint begun, ended, in_bulk
    cdef readonly uint64_t count

    def __init__(self, Engine engine, bint in_bulk=False):
        self.engine = engine
        self.in_bulk = in_bulk
        self.pending = bytearray()

    async def take(self, data):
        """`feed` in the shape that asyncpg's copy wants."""
        self.feed(data)

    def feed(self, data):
        """Raises ValueError on a stream of another shape, MemoryError when the cache cannot grow."""
        cdef Cursor c
        cdef Step step = STEP_ROW
        cdef size_t used
        self.pending += data
        if not self.begun:
            if len(self.pending) < len(HEADER):
                return
            if not self.pending.startswith(HEADER):
                raise ValueError("PostgreSQL sent something else than lease rows")
            self.begun = True
            del self.pending[:len(HEADER)]
        if not self.pending:
            return
        c = cursor(<const uint8_t*>PyByteArray_AS_STRING(self.pending), len(self.pending))
        self.engine.state.in_bulk = self.in_bulk
        while step == STEP_ROW and not self.ended:
            step = read_row(self.engine, &c)
            if step == STEP_ROW:
                self.count += 1
        self.engine.state.in_bulk = False
        used = len(self.pending) - remaining(&c)
        del self.pending[:used]
        if step == STEP_BROKEN:
            raise ValueError("PostgreSQL sent a lease row of another shape")
        self.ended |= step == STEP_END


cdef Step read_row(Engine engine, Cursor* c) noexcept:
    """One tuple; the cursor moves only past a whole one."""
    cdef Cursor start = c[0]
    cdef Octets fields[FIELDS]
    cdef Step step
    cdef int i
    cdef const uint8_t* p = take(c, 2)
    if p == NULL:
        return STEP_NEED_MORE
    if load_u16(p) == 0xFFFF:
        return STEP_END
    if load_u16(p) != FIELDS:
        return STEP_BROKEN
    for i in range(FIELDS):
        step = read_field(c, &fields[i])
        if step == STEP_NEED_MORE:
            c[0] = start
        if step != STEP_ROW:
            return step
    if not have_our_shape(fields):
        return STEP_BROKEN
    return STEP_ROW if learn_fields(engine, fields) else STEP_BROKEN


cdef Step read_field(Cursor* c, Octets* field) noexcept nogil:
    """A value behind its length; -1 is NULL."""
    cdef uint32_t length
    cdef const uint8_t* p = take(c, 4)
    field.data = NULL
    field.length = 0
    if p == NULL:
        return STEP_NEED_MORE
    length = load_u32(p)
    if length == <uint32_t>0xFFFFFFFF:
        return STEP_ROW
    if length > MAX_FIELD:
        return STEP_BROKEN
    field.data = take(c, length)
    field.length = <uint16_t>length
    return STEP_ROW if field.data != NULL else STEP_NEED_MORE


cdef bint have_our_shape(const Octets* fields) noexcept nogil:
    """The columns are not NULL where the table says so, and have the lengths of their types."""
    cdef int i
    for i in range(CLIENT_KEY):
        if LENGTHS[i] and fields[i].length != LENGTHS[i]:
            return False
    return (is_inet(&fields[ADDRESS]) and fields[CLIENT_KEY].data != NULL
            and (fields[HW_TYPE].data == NULL or fields[HW_TYPE].length == 2)
            and (fields[RELAY].data == NULL or is_inet(&fields[RELAY])))


cdef inline bint is_inet(const Octets* field) noexcept nogil:
    """Family, bits, is_cidr and length in front of the address."""
    return field.length == 8 or field.length == 20


cdef bint learn_fields(Engine engine, const Octets* fields) noexcept:
    cdef LeaseRow row
    cdef LeaseOp op
    cdef const uint64_t* key = engine.state.hash_key
    row.tenant_no = load_u32(fields[TENANT_NO].data)
    row.subnet_no = load_u32(fields[SUBNET_NO].data)
    row.hi = 0
    row.lo = load_u32(fields[ADDRESS].data + 4)
    if fields[ADDRESS].length == 20:
        row.hi = load_u64(fields[ADDRESS].data + 4)
        row.lo = load_u64(fields[ADDRESS].data + 12)
    row.state = fields[STATE].data[0]
    row.version = load_u64(fields[VERSION].data)
    row.renewed = <int64_t>load_u64(fields[RENEWED].data)
    row.expires = <int64_t>load_u64(fields[EXPIRES].data)
    row.reuse = <int64_t>load_u64(fields[REUSE].data)
    row.client = siphash(key, fields[CLIENT_KEY].data, fields[CLIENT_KEY].length)
    op.hw_type = fields[HW_TYPE].data[1] if fields[HW_TYPE].data != NULL else 0
    op.hw_address = fields[HW_ADDRESS]
    op.client_id = fields[CLIENT_ID]
    op.hostname = fields[HOSTNAME]
    op.relay = load_u32(fields[RELAY].data + 4) if fields[RELAY].length == 8 else 0
    op.circuit_id = fields[CIRCUIT_ID]
    op.remote_id = fields[REMOTE_ID]
    note_facts(key, &op)
    row.pair = op.pair
    row.facts = op.facts
    row.relay_facts = op.relay_facts
    row.relay = op.relay
    row.circuit = op.circuit
    row.brief = row.written_here = False
    row.holding = holding_of(&engine.state, &op.hw_address, &fields[CLIENT_KEY], row.hi != 0)
    return learn(&engine.state, &row)
