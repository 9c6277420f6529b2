"""Reservations as PostgreSQL's COPY ... (format binary) gives them, into the sets that subnets are compiled with.

A million of them cost no Python object each. The columns are those of copy_reservations in dhcp_plan.sql.
"""

from libc.stdint cimport int32_t, uint8_t, uint64_t

from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.plan.reservation_set cimport ReservationSet
from dhcp_fast.leases.client_identity cimport (
    BY_CIRCUIT, BY_CLIENT_ID, BY_DUID, BY_HARDWARE, BY_LINE_ADDRESS, BY_LINE_ALONE, BY_REMOTE_ID, BY_SUBSCRIBER_ID,
    ETHERNET,
    identity_hash)
from dhcp_fast.pg.copy_tuples cimport STEP_BROKEN, STEP_ROW, Step, TupleReader, read_tuple
from dhcp_fast.wire.cursor cimport Cursor, load_u32

cdef enum:
    FIELDS = 11
    MOST_OCTETS = 65535
    LONGEST_IDENTITY = 255      # no client sends a longer one

cdef enum:
    SUBNET_NO, NO, IP, MAC, DUID, CLIENT_ID, CIRCUIT_ID, REMOTE_ID, SUBSCRIBER_ID, HOSTNAME, CLASS_NO


cdef class ReservationReader(TupleReader):
    """ReservationReader(key): `feed` it the pieces of one COPY stream, then `finish`; `key` is the cluster's."""

    WHAT = "reservations"

    cdef uint64_t key[2]
    cdef readonly dict sets         # number of the subnet, or minus that of the tenant -> ReservationSet
    cdef int32_t last_no
    cdef ReservationSet last

    def __init__(self, tuple key):
        self.key[0], self.key[1] = key
        self.sets = {}

    def finish(self):
        """Return the finished sets, ready to be used."""
        for found in self.sets.values():
            (<ReservationSet>found).finish()
        return self.sets

    cdef Step read_row(self, Cursor* c) except? STEP_BROKEN:
        cdef Octets fields[FIELDS]
        cdef Step step = read_tuple(c, fields, FIELDS, MOST_OCTETS)
        if step != STEP_ROW:
            return step
        if not have_our_shape(fields):
            return STEP_BROKEN
        self.add(fields)
        return STEP_ROW

    cdef int add(self, const Octets* fields) except -1:
        cdef int32_t subnet_no = <int32_t>load_u32(fields[SUBNET_NO].data)
        cdef ReservationSet found = self.last
        if found is None or subnet_no != self.last_no:
            found = self.set_of(subnet_no)
        found.add(load_u32(fields[NO].data), load_u32(fields[IP].data + 4) if fields[IP].data != NULL else 0,
                  fields[HOSTNAME].data if fields[HOSTNAME].length else NULL, fields[HOSTNAME].length,
                  load_u32(fields[CLASS_NO].data) if fields[CLASS_NO].data != NULL else 0)
        if fields[MAC].data != NULL:
            found.identify(BY_HARDWARE, identity_hash(self.key, BY_HARDWARE, ETHERNET, &fields[MAC]))
        self.identify(found, BY_DUID, &fields[DUID])
        self.identify(found, BY_CLIENT_ID, &fields[CLIENT_ID])
        self.add_line(found, fields)
        return 0

    cdef int add_line(self, ReservationSet found, const Octets* fields) except -1:
        """Add the relay's options that identify the client's line; the address of a line identifies
        it if there is no relay. Without an address the lease's row must contain them
        (dhcp4/recall.pyx).
        """
        cdef Octets address
        cdef bint by_circuit = self.identify(found, BY_CIRCUIT, &fields[CIRCUIT_ID])
        cdef bint by_remote_id = self.identify(found, BY_REMOTE_ID, &fields[REMOTE_ID])
        cdef bint by_subscriber_id = self.identify(found, BY_SUBSCRIBER_ID, &fields[SUBSCRIBER_ID])
        if not (by_circuit or by_remote_id or by_subscriber_id):
            return 0
        if fields[IP].data == NULL:
            found.kinds |= 1 << BY_LINE_ALONE
        else:
            address = Octets(fields[IP].data + 4, 4)
            self.identify(found, BY_LINE_ADDRESS, &address)
        return 0

    cdef bint identify(self, ReservationSet found, uint8_t kind, const Octets* octets) except -1:
        """Return whether it is an identity that a client can have."""
        if not 0 < octets.length <= LONGEST_IDENTITY:
            return False
        found.identify(kind, identity_hash(self.key, kind, 0, octets))
        return True

    cdef ReservationSet set_of(self, int32_t subnet_no):
        """Return the set; rows of one subnet often come one after the other."""
        found = self.sets.get(subnet_no)
        if found is None:
            found = self.sets[subnet_no] = ReservationSet()
        self.last = found
        self.last_no = subnet_no
        return found


cdef bint have_our_shape(const Octets* fields) noexcept nogil:
    return (fields[SUBNET_NO].length == 4 and fields[NO].length == 4
            and (fields[IP].data == NULL or fields[IP].length == 8)
            and (fields[MAC].data == NULL or fields[MAC].length == 6)
            and (fields[CLASS_NO].data == NULL or fields[CLASS_NO].length == 4))
