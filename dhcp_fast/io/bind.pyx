"""PostgreSQL's extended query protocol for one purpose: arrays of lease operations in, rows that won out.

(PostgreSQL documentation, "Frontend/Backend Protocol", message formats.) One pass over the operations fills a buffer a
column, each element with its length as the binary array format wants it; the Bind message is those buffers behind
array headers, followed by Execute and Sync. No Python object is made for a lease. The reader takes the answer as it
comes, in whatever pieces, and knows only the messages that a lease statement can cause. Sockets are not seen here.
"""

from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memmove

from dhcp_fast.alloc.leaseop cimport Octets
from dhcp_fast.wire.cursor cimport load_u16, load_u32, store_u16, store_u32

cdef enum:
    TENANT_NO, ADDRESS, SUBNET_NO, FENCE, OPERATION, LIFETIME, MARGIN, AGE, VERSION, HW_TYPE, HW_ADDRESS,
    CLIENT_ID, CLIENT_KEY, HOSTNAME, RELAY, CIRCUIT_ID, REMOTE_ID

    INET4 = 2
    INET6 = 3

# Element types in the order of the columns: integer, inet, bigint, "char", smallint, bytea, text (pg_type.oid).
cdef uint32_t* ELEMENT_OIDS = [23, 869, 23, 20, 18, 23, 23, 23, 20, 21, 17, 17, 17, 25, 869, 17, 17]
PARAMETER_OIDS = (1007, 1041, 1007, 1016, 1002, 1007, 1007, 1007, 1016, 1005, 1001, 1001, 1001, 1009, 1041, 1001, 1001,
                  23)


def parse_message(bytes name, bytes query):
    """Parse and Sync: prepare `query` under `name` with the parameters of the lease statements."""
    body = name + b"\0" + query + b"\0" + len(PARAMETER_OIDS).to_bytes(2, "big")
    body += b"".join(oid.to_bytes(4, "big") for oid in PARAMETER_OIDS)
    return b"P" + (len(body) + 4).to_bytes(4, "big") + body + b"S\0\0\0\4"


cdef inline uint8_t* more(Buffer* buffer, size_t length) noexcept nogil:
    """Room for `length` octets at the end, counted as used; NULL when memory is short."""
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


cdef inline void put_number(Buffer* buffer, uint64_t value, int octets) noexcept nogil:
    cdef int i
    cdef uint8_t* p = more(buffer, 4 + octets)
    if p == NULL:
        return
    store_u32(p, octets)
    for i in range(octets):
        p[4 + i] = <uint8_t>(value >> (8 * (octets - 1 - i)))


cdef inline void put_octets(Buffer* buffer, const Octets* octets, bint* null) noexcept nogil:
    cdef uint8_t* p
    if octets.data == NULL:
        null[0] = True
        put_u32(buffer, 0xFFFFFFFF)
        return
    p = more(buffer, 4 + octets.length)
    if p != NULL:
        store_u32(p, octets.length)
        memcpy(p + 4, octets.data, octets.length)


cdef void put_inet(Buffer* buffer, uint64_t hi, uint64_t lo) noexcept nogil:
    """family, bits, is_cidr, octets, address (inet_send in network.c)."""
    cdef int octets = 16 if hi or lo >> 32 else 4
    cdef uint8_t* p = more(buffer, 8 + octets)
    if p == NULL:
        return
    store_u32(p, 4 + octets)
    p[4] = INET6 if octets == 16 else INET4
    p[5] = 8 * octets
    p[6] = 0
    p[7] = octets
    if octets == 16:
        store_u32(p + 8, <uint32_t>(hi >> 32))
        store_u32(p + 12, <uint32_t>hi)
        store_u32(p + 16, <uint32_t>(lo >> 32))
        store_u32(p + 20, <uint32_t>lo)
    else:
        store_u32(p + 8, <uint32_t>lo)


cdef class BatchEncoder:
    """Buffers that one writer uses again for each of its batches."""

    def __dealloc__(self):
        cdef int i
        for i in range(COLUMNS):
            free(self.columns[i].data)
        free(self.message.data)

    cdef bytes encode(self, bytes statement, LeaseOp** ops, int count, int32_t node_no, int64_t now):
        """Bind, Execute and Sync for `ops` by the prepared `statement`; `now` is the boot clock in microseconds."""
        cdef int i
        cdef Buffer* m = &self.message
        cdef const char* name = statement
        cdef size_t name_length = len(statement)
        with nogil:
            m.used = 0
            for i in range(COLUMNS):
                self.columns[i].used = 0
                self.nulls[i] = False
            for i in range(count):
                self.add(ops[i], now)
            begin_bind(m, <const uint8_t*>name, name_length)
            for i in range(COLUMNS):
                self.put_array(i, count)
            end_bind(m, node_no)
        if m.failed:
            raise MemoryError
        return m.data[:m.used]

    cdef void add(self, const LeaseOp* op, int64_t now) noexcept nogil:
        cdef Buffer* c = self.columns
        cdef int64_t age = now - op.received if op.received else 0
        put_number(&c[TENANT_NO], op.tenant_no, 4)
        put_inet(&c[ADDRESS], op.hi, op.lo)
        put_number(&c[SUBNET_NO], op.subnet_no, 4)
        put_number(&c[FENCE], <uint64_t>op.fence, 8)
        put_number(&c[OPERATION], op.kind, 1)
        put_number(&c[LIFETIME], op.lifetime, 4)
        put_number(&c[MARGIN], op.margin, 4)
        put_number(&c[AGE], <uint64_t>min(max(age, 0), 0x7FFFFFFF), 4)
        put_number(&c[VERSION], op.version, 8)
        put_number(&c[HW_TYPE], op.hw_type, 2)
        put_octets(&c[HW_ADDRESS], &op.hw_address, &self.nulls[HW_ADDRESS])
        put_octets(&c[CLIENT_ID], &op.client_id, &self.nulls[CLIENT_ID])
        put_octets(&c[CLIENT_KEY], &op.client_key, &self.nulls[CLIENT_KEY])
        put_octets(&c[HOSTNAME], &op.hostname, &self.nulls[HOSTNAME])
        if op.relay:
            put_inet(&c[RELAY], 0, op.relay)
        else:
            self.nulls[RELAY] = True
            put_u32(&c[RELAY], 0xFFFFFFFF)
        put_octets(&c[CIRCUIT_ID], &op.circuit_id, &self.nulls[CIRCUIT_ID])
        put_octets(&c[REMOTE_ID], &op.remote_id, &self.nulls[REMOTE_ID])

    cdef void put_array(self, int column, int count) noexcept nogil:
        """Array header (dimensions, null flag, element type, length, lower bound) and the column's elements."""
        cdef Buffer* elements = &self.columns[column]
        cdef uint8_t* p
        put_u32(&self.message, <uint32_t>(20 + elements.used))
        put_u32(&self.message, 1)
        put_u32(&self.message, self.nulls[column])
        put_u32(&self.message, ELEMENT_OIDS[column])
        put_u32(&self.message, <uint32_t>count)
        put_u32(&self.message, 1)
        p = more(&self.message, elements.used)
        if p != NULL:
            memcpy(p, elements.data, elements.used)
        self.message.failed |= elements.failed


cdef void begin_bind(Buffer* m, const uint8_t* statement, size_t length) noexcept nogil:
    """Type, room for the length, unnamed portal, statement, all parameters binary, their number."""
    cdef uint8_t* p = more(m, 13 + length)
    if p == NULL:
        return
    p[0] = b'B'
    p[5] = 0
    memcpy(p + 6, statement, length)
    p[6 + length] = 0
    store_u16(p + 7 + length, 1)
    store_u16(p + 9 + length, 1)
    store_u16(p + 11 + length, COLUMNS + 1)


cdef void end_bind(Buffer* m, int32_t node_no) noexcept nogil:
    """The last parameter, binary results, the message's length; then Execute without a row limit, and Sync."""
    cdef uint8_t* p
    put_u32(m, 4)
    put_u32(m, <uint32_t>node_no)
    p = more(m, 4 + 10 + 5)
    if p == NULL:
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
        self.sqlstate = None
        self.error = None

    def feed(self, const uint8_t[::1] data):
        """Take what the socket gave; True when the answer is complete. Raises ValueError on a protocol violation."""
        cdef uint8_t* p
        cdef size_t at = 0, length
        if data.shape[0] == 0:
            return self.ready
        p = more(&self.pending, data.shape[0])
        if p == NULL:
            raise MemoryError
        memcpy(p, &data[0], data.shape[0])
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
        elif kind == b'N':
            self.warned |= notice_fields(p[:length]).get("V", "") == "WARNING"
        return 0

    cdef bint read_row(self, const uint8_t* p, size_t length) noexcept nogil:
        """tenant_no, address, renewed_at, expires_at, version; none of them NULL. An inet is 8 or 20 octets."""
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
    """Fields of an ErrorResponse or NoticeResponse by their letter (V severity, C SQLSTATE, M message)."""
    fields = {}
    for part in body.split(b"\0"):
        if part:
            fields[chr(part[0])] = part[1:].decode("utf-8", "replace")
    return fields
