"""PostgreSQL's extended query protocol for one purpose: an array of lease operations in, rows that won out.

(PostgreSQL documentation, "Frontend/Backend Protocol", message formats; the binary forms of arrays and rows are those
of array_recv and record_recv.) One pass over the operations, in the order of their keys, writes each as a row of type
lease_request behind the array's header. No Python object is made for a lease. The reader takes the answer as it
comes, in whatever pieces, and knows only the messages that a lease statement can cause. Sockets are not seen here.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdlib cimport free, qsort, realloc
from libc.string cimport memcpy, memmove

from dhcp_fast.leases.lease_operation cimport IPV4, Association, Octets
from dhcp_fast.wire.cursor cimport load_u16, load_u32, store_u16, store_u32

SYNCHRONOUS_WAIT = "SyncRepWaitForLSN"      # field R, the routine; not translated
ADMIN_SHUTDOWN = "57P01"

cdef enum:
    INET4 = 2
    INET6 = 3

    # pg_type.oid
    OID_BOOLEAN = 16
    OID_CHAR = 18
    OID_BIGINT = 20
    OID_SMALLINT = 21
    OID_INTEGER = 23
    OID_BYTEA = 17
    OID_TEXT = 25
    OID_INET = 869

    FIELDS = 20         # of lease_request
    ASSOCIATION = 8     # of lease_association
    DEVICE = 6          # of lease_client
    PARAMETERS = 5

# Operations (their type's oid differs from database to database), node number, subnet numbers, fences, moment.
PARAMETER_OIDS = (0, 23, 1007, 1016, 1184)


def parse_message(bytes name, bytes query):
    """Parse and Sync: prepare `query` under `name` with the parameters of the lease statements."""
    body = name + b"\0" + query + b"\0" + len(PARAMETER_OIDS).to_bytes(2, "big")
    body += b"".join(oid.to_bytes(4, "big") for oid in PARAMETER_OIDS)
    return b"P" + (len(body) + 4).to_bytes(4, "big") + body + b"S\0\0\0\4"


cdef inline uint8_t* more(Buffer* buffer, size_t length) noexcept nogil:
    """Return room for `length` octets at the end, counted as used; NULL when memory is short."""
    cdef uint8_t* grown
    cdef size_t room
    if buffer.used + length > buffer.room:
        room = max(buffer.room * 2, buffer.used + length + 4096)
        grown = <uint8_t*>realloc(buffer.data, room)
        if grown == NULL:
            buffer.failed = True
            return NULL
        buffer.data = grown
        buffer.room = room
    buffer.used += length
    return buffer.data + buffer.used - length


cdef inline void put_u32(Buffer* buffer, uint32_t value) noexcept nogil:
    cdef uint8_t* p = more(buffer, 4)
    if p != NULL:
        store_u32(p, value)


cdef inline void put_number(Buffer* buffer, uint32_t oid, uint64_t value, int octets) noexcept nogil:
    """Put a field of a row: type, length, value."""
    cdef int i
    cdef uint8_t* p = more(buffer, 8 + octets)
    if p == NULL:
        return
    store_u32(p, oid)
    store_u32(p + 4, octets)
    for i in range(octets):
        p[8 + i] = <uint8_t>(value >> (8 * (octets - 1 - i)))


cdef inline void put_null(Buffer* buffer, uint32_t oid) noexcept nogil:
    cdef uint8_t* p = more(buffer, 8)
    if p != NULL:
        store_u32(p, oid)
        store_u32(p + 4, 0xFFFFFFFF)


cdef inline void put_nulls(Buffer* buffer, uint32_t first_oid, uint32_t second_oid) noexcept nogil:
    """Put two fields of a row, as most grants of IPv4 have them."""
    cdef uint8_t* p = more(buffer, 16)
    if p != NULL:
        store_u32(p, first_oid)
        store_u32(p + 4, 0xFFFFFFFF)
        store_u32(p + 8, second_oid)
        store_u32(p + 12, 0xFFFFFFFF)


cdef inline void put_octets(Buffer* buffer, uint32_t oid, const Octets* octets) noexcept nogil:
    cdef uint8_t* p
    if octets.data == NULL:
        put_null(buffer, oid)
        return
    p = more(buffer, 8 + octets.length)
    if p != NULL:
        store_u32(p, oid)
        store_u32(p + 4, octets.length)
        memcpy(p + 8, octets.data, octets.length)


cdef void put_inet(Buffer* buffer, bint wide, uint64_t hi, uint64_t lo) noexcept nogil:
    """Put family, bits, is_cidr, octets, address (inet_send in network.c); `wide`: one of IPv6, whatever its value."""
    cdef int octets = 16 if wide else 4
    cdef uint8_t* p = more(buffer, 12 + octets)
    if p == NULL:
        return
    store_u32(p, OID_INET)
    store_u32(p + 4, 4 + octets)
    p[8] = INET6 if octets == 16 else INET4
    p[9] = 8 * octets
    p[10] = 0
    p[11] = octets
    if octets == 16:
        store_u32(p + 12, <uint32_t>(hi >> 32))
        store_u32(p + 16, <uint32_t>hi)
        store_u32(p + 20, <uint32_t>(lo >> 32))
        store_u32(p + 24, <uint32_t>lo)
    else:
        store_u32(p + 12, <uint32_t>lo)


cdef void put_moment(Buffer* m, int64_t moment) noexcept nogil:
    """Put a parameter, not a field of a row: there is no type before it."""
    if not moment:
        put_u32(m, 0xFFFFFFFF)
        return
    put_u32(m, 8)
    put_u32(m, <uint32_t>(<uint64_t>moment >> 32))
    put_u32(m, <uint32_t>moment)


cdef void begin_array(Buffer* m, uint32_t oid, int count) noexcept nogil:
    """Make room for the length, dimensions, no nulls, element type, length, lower bound."""
    put_u32(m, 0)
    put_u32(m, 1)
    put_u32(m, 0)
    put_u32(m, oid)
    put_u32(m, <uint32_t>count)
    put_u32(m, 1)


cdef inline void end_value(Buffer* m, size_t start) noexcept nogil:
    """Write the length of what follows the four octets at `start`."""
    if not m.failed:
        store_u32(m.data + start, <uint32_t>(m.used - start - 4))


cdef inline size_t begin_row(Buffer* m, uint32_t oid, uint32_t fields) noexcept nogil:
    """Return a field that is a row: its type, room for its length, the number of its fields. Where the length is."""
    cdef uint8_t* p = more(m, 12)
    if p != NULL:
        store_u32(p, oid)
        store_u32(p + 4, 0)
        store_u32(p + 8, fields)
    return m.used - 8


cdef inline void put_address(Buffer* m, uint64_t hi, uint64_t lo) noexcept nogil:
    """Put an address of IPv6; zeros: none."""
    if hi or lo:
        put_inet(m, True, hi, lo)
    else:
        put_null(m, OID_INET)


cdef inline void put_relay(Buffer* m, const LeaseOp* op) noexcept nogil:
    """Put the relay, if any."""
    if op.ia_type != IPV4:
        put_address(m, op.association.relay_hi, op.association.relay_lo)
    elif op.relay:
        put_inet(m, False, 0, op.relay)
    else:
        put_null(m, OID_INET)


cdef int by_key(const void* left, const void* right) noexcept nogil:
    """Return two pointers to operations: in which order are their rows locked?"""
    cdef const LeaseOp* a = (<const LeaseOp* const*>left)[0]
    cdef const LeaseOp* b = (<const LeaseOp* const*>right)[0]
    if a.tenant_no != b.tenant_no:
        return 1 if a.tenant_no > b.tenant_no else -1
    if a.hi != b.hi:
        return 1 if a.hi > b.hi else -1
    return (a.lo > b.lo) - (a.lo < b.lo)


cdef class BatchEncoder:
    """Buffers that one writer uses again for each of its batches; `know_types` before the first one."""

    def know_types(self, uint32_t operation, uint32_t association, uint32_t device):
        """Set the numbers of lease_request, lease_association and lease_client, which differ from database to
        database."""
        self.operation_oid = operation
        self.association_oid = association
        self.device_oid = device

    def __dealloc__(self):
        free(self.message.data)
        free(self.subnets.data)
        free(self.fences.data)

    cdef bytes encode(
            self, bytes statement, LeaseOp** ops, int count, int32_t node_no, int64_t now, int64_t by_database):
        """Return Bind, Execute and Sync for `ops`, which are sorted, by the prepared `statement`.

        `now` is the boot clock in microseconds, `by_database` the earliest time that the database's
        clock can have then, since 2000; 0: unknown.
        """
        cdef Buffer* m = &self.message
        cdef const char* name = statement
        cdef size_t name_length = len(statement)
        with nogil:
            qsort(ops, count, sizeof(LeaseOp*), by_key)
            m.used = 0
            begin_bind(m, <const uint8_t*>name, name_length)
            self.put_operations(ops, count, now)
            put_u32(m, 4)
            put_u32(m, <uint32_t>node_no)
            self.put_numbers(&self.subnets, OID_INTEGER)
            self.put_numbers(&self.fences, OID_BIGINT)
            put_moment(m, by_database)
            end_bind(m)
        if m.failed:
            raise MemoryError
        return m.data[:m.used]

    cdef void put_operations(self, LeaseOp** ops, int count, int64_t now) noexcept nogil:
        """Put operations.

        Operations of one subnet that follow each other share an element; `subnets` and `fences`
        have the elements of those arrays.
        """
        cdef size_t start = self.message.used
        cdef const LeaseOp* last = NULL
        cdef int i
        self.subnet_count = 0
        self.subnets.used = self.fences.used = 0
        begin_array(&self.message, self.operation_oid, count)
        for i in range(count):
            if last == NULL or last.subnet_no != ops[i].subnet_no or last.fence != ops[i].fence:
                self.add_subnet(ops[i])
            last = ops[i]
            self.put_operation(ops[i], now)
        end_value(&self.message, start)

    cdef void add_subnet(self, const LeaseOp* op) noexcept nogil:
        self.subnet_count += 1
        put_u32(&self.subnets, 4)
        put_u32(&self.subnets, op.subnet_no)
        put_u32(&self.fences, 8)
        put_u32(&self.fences, <uint32_t>(<uint64_t>op.fence >> 32))
        put_u32(&self.fences, <uint32_t>op.fence)

    cdef void put_operation(self, const LeaseOp* op, int64_t now) noexcept nogil:
        """Put a row of lease_request: the number of its fields, and each."""
        cdef Buffer* m = &self.message
        cdef size_t start = m.used
        cdef int64_t age = now - op.received if op.received else 0
        put_u32(m, 0)
        put_u32(m, FIELDS)
        put_number(m, OID_INTEGER, op.tenant_no, 4)
        put_inet(m, op.ia_type != IPV4, op.hi, op.lo)
        put_number(m, OID_INTEGER, op.subnet_no, 4)
        put_number(m, OID_SMALLINT, self.subnet_count, 2)
        put_number(m, OID_CHAR, op.kind, 1)
        put_number(m, OID_INTEGER, op.lifetime, 4)
        put_number(m, OID_INTEGER, op.margin, 4)
        put_number(m, OID_INTEGER, <uint64_t>min(max(age, 0), 0x7FFFFFFF), 4)
        put_number(m, OID_BIGINT, op.version, 8)
        put_number(m, OID_SMALLINT, op.hw_type, 2)
        put_octets(m, OID_BYTEA, &op.hw_address)
        put_octets(m, OID_BYTEA, &op.client_id)
        put_octets(m, OID_BYTEA, &op.client_key)
        put_octets(m, OID_TEXT, &op.hostname)
        put_relay(m, op)
        put_octets(m, OID_BYTEA, &op.circuit_id)
        put_octets(m, OID_BYTEA, &op.remote_id)
        if op.ia_type == IPV4:
            put_null(m, self.association_oid)
        else:
            self.put_association(op)
        if op.tells_device:
            self.put_device(op)
        else:
            put_null(m, self.device_oid)
        if op.fqdn_flags:
            put_number(m, OID_SMALLINT, op.fqdn_flags, 2)
        else:
            put_null(m, OID_SMALLINT)
        end_value(m, start)

    cdef void put_association(self, const LeaseOp* op) noexcept nogil:
        """Put a row of lease_association."""
        cdef Buffer* m = &self.message
        cdef const Association* its = &op.association
        cdef size_t start = begin_row(m, self.association_oid, ASSOCIATION)
        put_number(m, OID_SMALLINT, op.ia_type, 2)
        put_number(m, OID_SMALLINT, its.prefix_length, 2)
        put_number(m, OID_BIGINT, its.iaid, 8)
        put_number(m, OID_INTEGER, its.preferred, 4)
        put_octets(m, OID_BYTEA, &its.duid)
        if its.has_link:
            put_inet(m, True, its.link_hi, its.link_lo)
        else:
            put_null(m, OID_INET)
        put_address(m, its.next_hop_hi, its.next_hop_lo)
        put_octets(m, OID_BYTEA, &its.interface_id)
        end_value(m, start)

    cdef void put_device(self, const LeaseOp* op) noexcept nogil:
        """Put a row of lease_client."""
        cdef Buffer* m = &self.message
        cdef size_t start = begin_row(m, self.device_oid, DEVICE)
        put_octets(m, OID_BYTEA, &op.device.relay_id)
        put_octets(m, OID_BYTEA, &op.device.relay_info)
        put_octets(m, OID_BYTEA, &op.device.vendor_class)
        put_octets(m, OID_BYTEA, &op.device.parameter_list)
        if op.ia_type != IPV4:
            put_number(m, OID_BOOLEAN, op.device.accepts_reconfigure, 1)
        elif op.device.client_options.data == NULL:
            put_nulls(m, OID_BOOLEAN, OID_BYTEA)
            end_value(m, start)
            return
        else:
            put_null(m, OID_BOOLEAN)
        put_octets(m, OID_BYTEA, &op.device.client_options)
        end_value(m, start)

    cdef void put_numbers(self, const Buffer* elements, uint32_t oid) noexcept nogil:
        """Put an array with an element for each of the batch's subnets."""
        cdef Buffer* m = &self.message
        cdef size_t start = m.used
        cdef uint8_t* p
        begin_array(m, oid, self.subnet_count)
        p = more(m, elements.used)
        if p != NULL:
            memcpy(p, elements.data, elements.used)
        m.failed |= elements.failed
        end_value(m, start)


cdef void begin_bind(Buffer* m, const uint8_t* statement, size_t length) noexcept nogil:
    """Put type, room for the length, unnamed portal, statement, "all parameters binary" and their number."""
    cdef uint8_t* p = more(m, 13 + length)
    if p == NULL:
        return
    p[0] = b'B'
    p[5] = 0
    memcpy(p + 6, statement, length)
    p[6 + length] = 0
    store_u16(p + 7 + length, 1)
    store_u16(p + 9 + length, 1)
    store_u16(p + 11 + length, PARAMETERS)


cdef void end_bind(Buffer* m) noexcept nogil:
    """End with binary results and the message's length; then Execute without a row limit, and Sync."""
    cdef uint8_t* p = more(m, 4 + 10 + 5)
    if p == NULL or m.failed:
        return
    store_u16(p, 1)
    store_u16(p + 2, 1)
    memcpy(p + 4, b"E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04", 15)
    store_u32(m.data + 1, <uint32_t>(m.used - 15 - 1))


cdef class AnswerReader:
    """The answer to one batch; `feed` until `ready`."""

    def __dealloc__(self):
        free(self.pending.data)
        free(self.rows)

    cpdef void reset(self):
        self.pending.used = 0
        self.row_count = 0
        self.ready = False
        self.warned = False
        self.remark = None
        self.sqlstate = self.error = self.table = self.constraint = None

    def feed(self, data):
        """Take what the socket gave; True when the answer is complete. Raises ValueError on a protocol violation."""
        cdef Py_buffer view
        PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
        try:
            return self.take_octets(<const uint8_t*>view.buf, view.len)
        finally:
            PyBuffer_Release(&view)

    cdef bint take_octets(self, const uint8_t* data, size_t count) except -1:
        cdef uint8_t* p
        cdef size_t at = 0, length
        if count == 0:
            return self.ready
        p = more(&self.pending, count)
        if p == NULL:
            raise MemoryError
        memcpy(p, data, count)
        while self.pending.used - at >= 5:
            length = load_u32(self.pending.data + at + 1) + 1
            if length < 5 or length > 1 << 28:
                raise ValueError("PostgreSQL sent a message of impossible length")
            if self.pending.used - at < length:
                break
            self.take_message(self.pending.data[at], at + 5, length - 5)
            at += length
        memmove(self.pending.data, self.pending.data + at, self.pending.used - at)
        self.pending.used -= at
        return self.ready

    cdef int take_message(self, uint8_t kind, size_t start, size_t length) except -1:
        cdef const uint8_t* p = self.pending.data + start
        if kind == b'D':
            if not self.read_row(p, length):
                raise ValueError("PostgreSQL sent a row of another shape")
        elif kind == b'Z':
            self.ready = True
        elif kind == b'E':
            fields = notice_fields(p[:length])
            self.sqlstate = fields.get("C", "XX000")
            self.error = fields.get("M", "")
            self.table = fields.get("t")
            self.constraint = fields.get("n")
        elif kind == b'N':
            self.take_notice(notice_fields(p[:length]))
        return 0

    cdef void take_notice(self, dict fields):
        """Note a WARNING that the COMMIT is not durable yet: PostgreSQL gave up the wait for a
        synchronous standby (syncrep.c). Any other WARNING, such as one about transaction numbers,
        is for operators. A WARNING without its source counts as the first kind.
        """
        if fields.get("V") != "WARNING":
            return
        if fields.get("R", SYNCHRONOUS_WAIT) == SYNCHRONOUS_WAIT or fields.get("C") == ADMIN_SHUTDOWN:
            self.warned = True
        else:
            self.remark = fields.get("M", "")

    cdef bint read_row(self, const uint8_t* p, size_t length) noexcept nogil:
        """Read tenant_no, address, renewed_at, expires_at, version; none of them NULL. An inet is 8 or 20 octets."""
        cdef WonRow* row
        cdef uint32_t octets
        cdef void* grown
        if self.row_count == self.row_room:
            grown = realloc(self.rows, (self.row_room * 2 + 256) * sizeof(WonRow))
            if grown == NULL:
                return False
            self.rows = <WonRow*>grown
            self.row_room = self.row_room * 2 + 256
        row = &self.rows[self.row_count]
        if length < 14 or load_u16(p) != 5:
            return False
        row.tenant_no = load_u32(p + 6)
        octets = load_u32(p + 10)
        if load_u32(p + 2) != 4 or (octets != 8 and octets != 20) or length != 14 + octets + 36:
            return False
        p += 18
        row.hi = 0
        row.lo = load_u32(p)
        if octets == 20:
            row.hi = load_u64(p)
            row.lo = load_u64(p + 8)
        p += octets - 4
        if load_u32(p) != 8 or load_u32(p + 12) != 8 or load_u32(p + 24) != 8:
            return False
        row.renewed = <int64_t>load_u64(p + 4)
        row.expires = <int64_t>load_u64(p + 16)
        row.version = load_u64(p + 28)
        self.row_count += 1
        return True


cdef inline uint64_t load_u64(const uint8_t* p) noexcept nogil:
    return (<uint64_t>load_u32(p) << 32) | load_u32(p + 4)


def notice_fields(bytes body):
    """Return fields of an ErrorResponse or NoticeResponse by their letter (V severity, C SQLSTATE, M message, t table,
    n constraint)."""
    fields = {}
    for part in body.split(b"\0"):
        if part:
            fields[chr(part[0])] = part[1:].decode("utf-8", "replace")
    return fields
