"""Lease rows as PostgreSQL's COPY ... (format binary) gives them, into the engine's cache.

The first load, the feed of what other servers wrote and the reading of refused rows all arrive this way, so a
million rows cost no Python object each. The columns and their order are those of the queries in dhcp_feed.sql.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from dhcp_fast.engine.engine cimport Engine
from dhcp_fast.leases.circuits cimport circuit_name, circuit_relay
from dhcp_fast.leases.client_identity cimport BY_ASSOCIATION, BY_NOBODY, note_hashes
from dhcp_fast.leases.lease_operation cimport (
    HOLDS_OTHERS, HOLDS_VENDOR_CLASS, IA_NA, IPV4, LeaseOp, Octets)
from dhcp_fast.pg.copy_tuples cimport STEP_BROKEN, STEP_ROW, Step, TupleReader, is_inet, load_inet, read_tuple
from dhcp_fast.sharing.lease_cache cimport LeaseRow, learn
from dhcp_fast.sharing.lease_ownership cimport holding_of
from dhcp_fast.structures.siphash cimport siphash
from dhcp_fast.wire.cursor cimport Cursor, load_u16, load_u32, load_u64

cdef enum:
    FIELDS = 20
    MAX_FIELD = 4096        # far more than any column of ours holds

cdef enum:
    TENANT_NO = 0, SUBNET_NO, ADDRESS, STATE, VERSION, RENEWED, EXPIRES, REUSE, CLIENT_KEY, HW_TYPE, HW_ADDRESS,
    CLIENT_ID, DUID, HOSTNAME, RELAY, CIRCUIT_ID, REMOTE_ID, FQDN_FLAGS, HOLDS_CLASS, HOLDS_OPTIONS

# Lengths of the columns before CLIENT_KEY; 0: an inet, which has two.
cdef uint8_t* LENGTHS = [4, 4, 0, 1, 8, 8, 8, 8]


cdef class RowReader(TupleReader):
    """RowReader(engine, in_bulk): `feed` it the pieces of one COPY stream; `count` rows were read. In bulk: they are
    rows of the lease table, as they are now; else events, which may be older than what is known."""

    WHAT = "lease rows"

    cdef Engine engine
    cdef bint in_bulk

    def __init__(self, Engine engine, bint in_bulk=False):
        self.engine = engine
        self.in_bulk = in_bulk

    cdef Step read_rows(self, Cursor* c) except? STEP_BROKEN:
        cdef Step step
        self.engine.state.in_bulk = self.in_bulk
        try:
            step = TupleReader.read_rows(self, c)
        finally:
            self.engine.state.in_bulk = False
        return step

    cdef Step read_row(self, Cursor* c) except? STEP_BROKEN:
        """Raise MemoryError when the cache cannot grow."""
        cdef Octets fields[FIELDS]
        cdef Step step = read_tuple(c, fields, FIELDS, MAX_FIELD)
        if step != STEP_ROW:
            return step
        if not have_our_shape(fields):
            return STEP_BROKEN
        if not learn_fields(self.engine, fields):
            raise MemoryError
        return STEP_ROW


cdef bint have_our_shape(const Octets* fields) noexcept nogil:
    """Return whether the columns are not NULL where the table forbids it, and have the lengths of their types."""
    cdef int i
    for i in range(CLIENT_KEY):
        if LENGTHS[i] and fields[i].length != LENGTHS[i]:
            return False
    return (is_inet(&fields[ADDRESS]) and fields[HOLDS_CLASS].length == 1 and fields[HOLDS_OPTIONS].length == 1
            and fields[CLIENT_KEY].data != NULL
            and (fields[HW_TYPE].data == NULL or fields[HW_TYPE].length == 2)
            and (fields[FQDN_FLAGS].data == NULL or fields[FQDN_FLAGS].length == 2)
            and (fields[RELAY].data == NULL or is_inet(&fields[RELAY])))


cdef bint learn_fields(Engine engine, const Octets* fields) noexcept:
    cdef LeaseRow row
    cdef LeaseOp op
    cdef const uint64_t* key = engine.state.hash_key
    row.tenant_no = load_u32(fields[TENANT_NO].data)
    row.subnet_no = load_u32(fields[SUBNET_NO].data)
    load_inet(&fields[ADDRESS], &row.hi, &row.lo)
    row.state = fields[STATE].data[0]
    row.version = load_u64(fields[VERSION].data)
    row.renewed = <int64_t>load_u64(fields[RENEWED].data)
    row.expires = <int64_t>load_u64(fields[EXPIRES].data)
    row.reuse = <int64_t>load_u64(fields[REUSE].data)
    row.client = siphash(key, fields[CLIENT_KEY].data, fields[CLIENT_KEY].length)
    op.hw_type = fields[HW_TYPE].data[1] if fields[HW_TYPE].data != NULL else 0
    op.hw_address = fields[HW_ADDRESS]
    op.client_id = fields[CLIENT_ID]
    op.association.duid = fields[DUID]
    op.hostname = fields[HOSTNAME]
    op.fqdn_flags = fields[FQDN_FLAGS].data[1] if fields[FQDN_FLAGS].data != NULL else 0
    note_relay(&op, &fields[RELAY], engine.family == 6)
    op.circuit_id = fields[CIRCUIT_ID]
    op.remote_id = fields[REMOTE_ID]
    note_hashes(key, &op)
    row.client_parts_hash = op.client_parts_hash
    row.content_hash = op.content_hash
    row.relay_hash = op.relay_hash
    row.relay = circuit_relay(&op)
    row.circuit = circuit_name(&op, kind_of(&fields[CLIENT_KEY]))
    row.brief = row.written_here = row.unnamed = row.unrelayed = False
    row.holds = <uint32_t>HOLDS_VENDOR_CLASS if fields[HOLDS_CLASS].data[0] else 0
    row.holds |= <uint32_t>HOLDS_OTHERS if fields[HOLDS_OPTIONS].data[0] else 0
    row.of_nobody = fields[CLIENT_KEY].length > 0 and fields[CLIENT_KEY].data[0] == BY_NOBODY
    row.holding = holding_of(&engine.state, &op.hw_address, &fields[CLIENT_KEY], engine.family == 6)
    return learn(&engine.state, &row)


cdef inline int kind_of(const Octets* client_key) noexcept nogil:
    """Return the kind of association that the key spells; else 0."""
    if client_key.length > 2 and client_key.data[0] == BY_ASSOCIATION:
        return load_u16(client_key.data + 1)
    return 0


cdef void note_relay(LeaseOp* op, const Octets* relay, bint wide) noexcept nogil:
    """Note the relay as the operation that wrote the row had it."""
    op.ia_type = IA_NA if wide else IPV4
    op.relay = 0
    op.association.relay_hi = op.association.relay_lo = 0
    if relay.data == NULL:
        return
    if wide:
        load_inet(relay, &op.association.relay_hi, &op.association.relay_lo)
    elif relay.length == 8:
        op.relay = load_u32(relay.data + 4)
