"""The leases that a storm's clients hold, and the log of all ACKs and releases.

Both are flat arrays of the same record: client, address, server, lease seconds. The log only grows
within a run; a record of 0 seconds is a release. The bag is what renewals and releases work on:
gone through in turn, or with leases taken out at random and put in again. A lease of address 0 is
one whose exchange ended without an acknowledgement: its client holds nothing.
"""

from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize


cdef class Ledger:

    def __dealloc__(self):
        free(self.log)
        free(self.bag)

    def hold(self, bytes leases, *, uint64_t shuffled_by=0):
        """Fill the bag with a log's leases, in their order or, with a number above 0, in random order."""
        cdef uint64_t state = shuffled_by
        cdef int64_t last, other
        cdef Ack lease
        free(self.bag)
        self.held = len(leases) // sizeof(Ack)
        self.cursor = 0
        self.bag = <Ack *>malloc(max(self.held, 1) * sizeof(Ack))
        if self.bag == NULL:
            self.held = 0
            raise MemoryError()
        memcpy(self.bag, PyBytes_AS_STRING(leases), self.held * sizeof(Ack))
        for last in range(self.held - 1 if shuffled_by else 0, 0, -1):
            other = below(&state, last + 1)
            lease = self.bag[last]
            self.bag[last] = self.bag[other]
            self.bag[other] = lease

    def leases(self):
        """Return the bag as a log."""
        return PyBytes_FromStringAndSize(<char *>self.bag, self.held * sizeof(Ack))

    def begin(self):
        self.logged = 0

    def records(self):
        """Return the log since `begin`."""
        return PyBytes_FromStringAndSize(<char *>self.log, self.logged * sizeof(Ack))

    cdef bint record(self, const Ack *ack) noexcept nogil:
        """Return False when there is no room for it: the storm must stop, for the audit would not see it."""
        cdef Ack *log
        if self.logged >= self.room:
            log = <Ack *>realloc(self.log, (self.room * 2 + 65536) * sizeof(Ack))
            if log == NULL:
                return False
            self.log = log
            self.room = self.room * 2 + 65536
        self.log[self.logged] = ack[0]
        self.logged += 1
        return True

    cdef Ack *next_lease(self) noexcept nogil:
        """Return the lease whose turn it is, to be read or changed in place; the bag is not empty."""
        cdef Ack *lease = &self.bag[self.cursor]
        self.cursor += 1
        if self.cursor == self.held:
            self.cursor = 0
        return lease

    cdef void take_out(self, uint64_t random, Ack *lease) noexcept nogil:
        """Take one out at random; the bag is not empty."""
        cdef int64_t index = ((random >> 32) * <uint64_t>self.held) >> 32
        lease[0] = self.bag[index]
        self.held -= 1
        self.bag[index] = self.bag[self.held]

    cdef void put_in(self, const Ack *lease) noexcept nogil:
        """Put one in for one that was taken out."""
        self.bag[self.held] = lease[0]
        self.held += 1
