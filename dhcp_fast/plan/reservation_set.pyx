"""The reservations of a subnet or of a whole tenant, found by the client's identity."""

from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.plan.compiled cimport OptionSet
from dhcp_fast.plan.described cimport array
from dhcp_fast.structures.keymap cimport keymap_init, keymap_put
from dhcp_fast.structures.siphash cimport siphash


cdef class ReservationSet(Described):
    """The reservations of one subnet: `add` and `identify` each, then `finish`; from then on it is only read.

    Subnets that were compiled anew while their reservations stayed as they were share one.
    """

    def __init__(self):
        self.keep = []

    def __dealloc__(self):
        cdef int i
        for i in range(self.count):
            if self.at[i].options != NULL:
                free(self.at[i].options.items)
                free(self.at[i].options)
        free(self.at)
        free(self.names)
        free(self.identities)
        free(self.by_identity.slots)

    def __len__(self):
        return self.count

    def number(self, int index):
        """Return the number of the reservation at that index."""
        if not 0 <= index < self.count:
            raise IndexError(index)
        return self.at[index].no

    def put_options(self, no, rows):
        """Put the options of reservation `no`, which is in the set; `rows` as Described.options takes them."""
        cdef int i
        for i in range(self.count):
            if self.at[i].no == no:
                self.at[i].options = <OptionSet*>array(1, sizeof(OptionSet))
                self.options(self.at[i].options, rows)
                return

    cdef int add(self, uint32_t no, uint32_t address, const uint8_t* name, uint16_t length,
                 uint32_t class_no) except -1:
        """Add a reservation. `name`: NULL: none. Its offset in the set's text stands for it until `finish`."""
        cdef Reservation4* row
        self.at = <Reservation4*>grown(self.at, &self.room, self.count, sizeof(Reservation4))
        row = &self.at[self.count]
        memset(row, 0, sizeof(Reservation4))
        row.no = no
        row.address = address
        row.class_no = class_no
        if name != NULL:
            while self.name_count + length > self.name_room:
                self.name_room = self.name_room * 2 + 256
                self.names = <uint8_t*>resized(self.names, self.name_room)
            memcpy(self.names + self.name_count, name, length)
            row.hostname.data = <const uint8_t*>(self.name_count + 1)
            row.hostname.length = length
            self.name_count += length
        self.count += 1
        return 0

    cdef int identify(self, int kind, uint64_t hash) except -1:
        """Give the reservation added last the hash of the client's kind and identity."""
        self.kinds |= <uint32_t>1 << kind
        if self.identity_count == self.identity_room:
            self.identity_room = self.identity_room * 2 + 8
            self.identities = <Identity*>resized(self.identities, self.identity_room * sizeof(Identity))
        self.identities[self.identity_count] = Identity(hash, <uint32_t>self.count)
        self.identity_count += 1
        return 0

    cdef int finish(self) except -1:
        cdef int i
        cdef uint64_t n
        if not keymap_init(&self.by_identity, self.identity_count):
            raise MemoryError
        for n in range(self.identity_count):
            keymap_put(&self.by_identity, self.identities[n].hash, self.identities[n].index)
        free(self.identities)
        self.identities = NULL
        self.at = <Reservation4*>resized(self.at, max(self.count, 1) * sizeof(Reservation4))
        self.names = <uint8_t*>resized(self.names, max(self.name_count, <size_t>1))
        for i in range(self.count):
            if self.at[i].hostname.data != NULL:
                self.at[i].hostname.data = self.names + <size_t>self.at[i].hostname.data - 1
        return 0


cdef void* resized(void* memory, size_t size) except NULL:
    cdef void* found = realloc(memory, size)
    if found == NULL:
        raise MemoryError
    return found


cdef void* grown(void* memory, int* room, int used, size_t size) except NULL:
    """Make room for one more than `used`."""
    cdef void* found = memory
    if used == room[0]:
        found = resized(memory, <size_t>(room[0] * 2 + 8) * size)
        room[0] = room[0] * 2 + 8
    return found


cdef ReservationSet reservations_of(object described, const uint64_t* key):
    """Return a set, or a list of (address or 0, identities, hostname or None, options); an identity begins with its
    kind."""
    cdef ReservationSet found
    cdef Octets text
    if isinstance(described, ReservationSet):
        return described
    found = ReservationSet()
    for no, (address, names, hostname, options) in enumerate(described):
        text = found.hold(hostname)
        found.add(no, address, text.data, text.length, 0)
        for name in names:
            found.identify(name[0], siphash(key, <const uint8_t*><const char*>(<bytes>name), len(name)))
        if options:
            found.put_options(no, options)
    found.finish()
    return found
