"""Reservations as PostgreSQL's COPY ... (format binary) gives them, into the sets that subnets are compiled with.

A million of them cost no Python object each. The columns are those of copy_reservations in dhcp_plan.sql. (PostgreSQL
documentation, COPY, "Binary Format".)
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.plan.compile cimport ReservationSet
from dhcp_fast.leases.client_identity cimport (
    BY_CIRCUIT, BY_CLIENT_ID, BY_DUID, BY_HARDWARE, BY_LINE_ADDRESS, ETHERNET, identity_hash)
from dhcp_fast.wire.cursor cimport Cursor, cursor, load_u16, load_u32, remaining, take

cdef enum:
    FIELDS = 8
    MOST_OCTETS = 65535
    LONGEST_IDENTITY = 255      # no client sends a longer one

cdef enum:
    SUBNET_NO, NO, IP, MAC, DUID, CLIENT_ID, CIRCUIT_ID, HOSTNAME

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)      # signature, flags, length of the header extension


cdef enum Step:
    STEP_NEED_MORE
    STEP_ROW
    STEP_END
    STEP_BROKEN


cdef class ReservationReader:
    """ReservationReader(key): `feed` it the pieces of one COPY stream, then `finish`; `key` is the cluster's."""

    cdef uint64_t key[2]
    cdef bytearray pending
    cdef bint begun, ended
    cdef readonly dict sets         # subnet number -> ReservationSet
    cdef readonly uint64_t count
    cdef uint32_t last_no
    cdef ReservationSet last

    def __init__(self, tuple key):
        self.key[0], self.key[1] = key
        self.pending = bytearray()
        self.sets = {}

    async def take(self, data):
        """`feed` in the shape that asyncpg's copy wants."""
        self.feed(data)

    def feed(self, data):
        """Raises ValueError on a stream of another shape."""
        cdef Cursor c
        cdef Step step = STEP_ROW
        cdef size_t used
        self.pending += data
        if not self.begun:
            if len(self.pending) < len(HEADER):
                return
            if not self.pending.startswith(HEADER):
                raise ValueError("PostgreSQL sent something else than reservations")
            self.begun = True
            del self.pending[:len(HEADER)]
        if not self.pending:
            return
        c = cursor(<const uint8_t*>PyByteArray_AS_STRING(self.pending), len(self.pending))
        while step == STEP_ROW and not self.ended:
            step = self.read_row(&c)
        used = len(self.pending) - remaining(&c)
        del self.pending[:used]
        if step == STEP_BROKEN:
            raise ValueError("PostgreSQL sent a reservation of another shape")
        self.ended |= step == STEP_END

    def finish(self):
        """The sets, ready to be used."""
        for found in self.sets.values():
            (<ReservationSet>found).finish()
        return self.sets

    cdef Step read_row(self, Cursor* c) except *:
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
        self.add(fields)
        return STEP_ROW

    cdef int add(self, const Octets* fields) except -1:
        cdef uint32_t subnet_no = load_u32(fields[SUBNET_NO].data)
        cdef ReservationSet found = self.last
        cdef Octets address
        if found is None or subnet_no != self.last_no:
            found = self.set_of(subnet_no)
        found.add(load_u32(fields[NO].data), load_u32(fields[IP].data + 4) if fields[IP].data != NULL else 0,
                  fields[HOSTNAME].data if fields[HOSTNAME].length else NULL, fields[HOSTNAME].length)
        if fields[MAC].data != NULL:
            found.identify(BY_HARDWARE, identity_hash(self.key, BY_HARDWARE, ETHERNET, &fields[MAC]))
        if 0 < fields[DUID].length <= LONGEST_IDENTITY:
            found.identify(BY_DUID, identity_hash(self.key, BY_DUID, 0, &fields[DUID]))
        if 0 < fields[CLIENT_ID].length <= LONGEST_IDENTITY:
            found.identify(BY_CLIENT_ID, identity_hash(self.key, BY_CLIENT_ID, 0, &fields[CLIENT_ID]))
        if 0 < fields[CIRCUIT_ID].length <= LONGEST_IDENTITY:
            found.identify(BY_CIRCUIT, identity_hash(self.key, BY_CIRCUIT, 0, &fields[CIRCUIT_ID]))
            if fields[IP].data != NULL:
                address.data = fields[IP].data + 4
                address.length = 4
                found.identify(BY_LINE_ADDRESS, identity_hash(self.key, BY_LINE_ADDRESS, 0, &address))
        self.count += 1
        return 0

    cdef ReservationSet set_of(self, uint32_t subnet_no):
        """Rows of one subnet often come one after the other."""
        found = self.sets.get(subnet_no)
        if found is None:
            found = self.sets[subnet_no] = ReservationSet()
        self.last = found
        self.last_no = subnet_no
        return found


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
    if length > MOST_OCTETS:
        return STEP_BROKEN
    field.data = take(c, length)
    field.length = <uint16_t>length
    return STEP_ROW if field.data != NULL else STEP_NEED_MORE


cdef bint have_our_shape(const Octets* fields) noexcept nogil:
    return (fields[SUBNET_NO].length == 4 and fields[NO].length == 4
            and (fields[IP].data == NULL or fields[IP].length == 8)
            and (fields[MAC].data == NULL or fields[MAC].length == 6))
