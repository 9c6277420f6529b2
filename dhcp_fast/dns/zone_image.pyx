"""Zones in memory: a tree of names in one hash table a zone, each with its RRsets as they are sent.

An RRset is one piece of memory: its records without their owner, which is mostly the name of the
question. Each record has type, class, TTL, length and data; names in the data are uncompressed. A
name that has no records but others below it is there too (an empty non-terminal). Changes come
between two batches of queries, so a reader never sees half of one.
"""

from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from dhcp_fast.dns.name_table cimport Named, table_add, table_find, table_init, table_remove
from dhcp_fast.wire.cursor cimport load_u16, load_u32
from dhcp_fast.wire.dns_message cimport LONGEST_NAME, TYPE_DNAME, TYPE_DS, TYPE_NS, TYPE_SOA, DnsName, read_name

cdef enum:
    RECORD_HEAD = 10
    ROOM = 60000            # octets of records in one message of a transfer
    SOA_TIMES = 20          # its five last fields (RFC 1035 section 3.3.13)

OWNER_TAIL = b"\xc0\x0c"


cdef class ZoneImage:
    """A zone by its name in wire format and lower case. Raises ValueError for what is no name or no record, or not in
    the zone."""

    def __cinit__(self, bytes name not None):
        cdef DnsName read
        take_name(&read, name)
        self.name = name
        memcpy(self.octets, read.octets, read.length)
        self.zone.named.name = self.octets
        self.zone.named.length = read.length
        self.zone.labels = read.labels
        if not table_init(&self.zone.nodes):
            raise MemoryError
        self.zone.apex = self.new_node(self.octets, read.length)

    def __dealloc__(self):
        cdef uint64_t i
        cdef Named* entry
        cdef Named* following
        if self.zone.nodes.slots == NULL:
            return
        for i in range(self.zone.nodes.mask + 1):
            entry = self.zone.nodes.slots[i]
            while entry != NULL:
                following = entry.next
                free_sets(<Node*>entry)
                free(entry)
                entry = following
        free(self.zone.nodes.slots)
        free(self.zone.negative)

    def __len__(self):
        """Return how many names it has, empty non-terminals among them."""
        return self.zone.nodes.count

    def put(self, bytes owner not None, int kind, bytes records not None):
        """Put an RRset in place of the present one; `owner` in full, records as they are kept."""
        cdef DnsName name
        cdef RRset* made
        cdef Node* node
        take_name(&name, owner)
        made = new_set(<uint16_t>kind, records)
        try:
            node = self.node_at(&name, 0)
        except (ValueError, MemoryError):
            free(made)
            raise
        self.drop_set(node, made.kind)
        made.next = node.sets
        node.sets = made
        self.zone.turns += turns_away(node, made.kind)

    def remove(self, bytes owner not None, int kind):
        """Remove it; do nothing where it is not there."""
        cdef DnsName name
        cdef Node* node
        take_name(&name, owner)
        node = find_node(&self.zone, name.octets, name.length)
        if node != NULL:
            self.drop_set(node, <uint16_t>kind)
            self.prune(node)

    def put_soa(self, bytes record not None):
        """Put the SOA record, and by it what denials say: its TTL there is the lesser of its own and `minimum` (RFC
        2308 section 3)."""
        cdef const uint8_t* octets = record
        cdef size_t end = len(record)
        if end < RECORD_HEAD + SOA_TIMES + 2 or load_u16(octets) != TYPE_SOA:
            raise ValueError("a SOA record is needed")
        ttl = min(load_u32(octets + 4), load_u32(octets + end - 4))
        cdef RRset* negative = new_set(TYPE_SOA, record[:4] + ttl.to_bytes(4, "big") + record[8:])
        free(self.zone.negative)
        self.zone.negative = negative
        self.put(self.name, TYPE_SOA, record)
        self.serial = load_u32(octets + end - SOA_TIMES)

    def soa(self):
        """Return the SOA record as `put_soa` was given it."""
        cdef RRset* found = set_of(self.zone.apex, TYPE_SOA)
        if found == NULL:
            raise ValueError("the zone has no SOA record yet")
        return (<const char*>records_of(found))[:found.size]

    def transfer(self):
        """Return all records but the SOA, in messages' worth: how many, and their octets. Their owners end with a
        pointer to the question's name, which is the zone's."""
        cdef Named* entry
        cdef RRset* rrset
        cdef uint64_t i
        found = []
        part = Part()
        for i in range(self.zone.nodes.mask + 1):
            entry = self.zone.nodes.slots[i]
            while entry != NULL:
                owner = entry.name[:entry.length - self.zone.named.length] + OWNER_TAIL
                rrset = (<Node*>entry).sets
                while rrset != NULL:
                    if rrset.kind != TYPE_SOA:
                        part = add_records(found, part, owner, rrset)
                    rrset = rrset.next
                entry = entry.next
        if part.count:
            found.append((part.count, bytes(part.octets)))
        return found

    cdef Node* node_at(self, const DnsName* name, uint8_t label) except NULL:
        """Return the node of the name from that label on, made where it is not there; and those above it."""
        cdef const uint8_t* octets = name.octets + name.starts[label]
        cdef uint8_t length = name.length - name.starts[label]
        cdef Node* found = find_node(&self.zone, octets, length)
        cdef Node* above
        if found != NULL:
            return found
        if name.labels - label <= self.zone.labels:
            raise ValueError("the name is not in the zone")
        above = self.node_at(name, label + 1)
        found = self.new_node(octets, length)
        found.parent = above
        above.children += 1
        return found

    cdef Node* new_node(self, const uint8_t* name, uint8_t length) except NULL:
        """Return a new node; its name follows it in memory."""
        cdef Node* node = <Node*>malloc(sizeof(Node) + length)
        if node == NULL:
            raise MemoryError
        memset(node, 0, sizeof(Node))
        memcpy(node + 1, name, length)
        node.named.name = <const uint8_t*>(node + 1)
        node.named.length = length
        table_add(&self.zone.nodes, &node.named)
        return node

    cdef void drop_set(self, Node* node, uint16_t kind) noexcept nogil:
        cdef RRset** place = &node.sets
        cdef RRset* found
        while place[0] != NULL and place[0].kind != kind:
            place = &place[0].next
        found = place[0]
        if found == NULL:
            return
        place[0] = found.next
        free(found)
        self.zone.turns -= turns_away(node, kind)

    cdef void prune(self, Node* node) noexcept nogil:
        """Prune names that have neither records nor others below them."""
        cdef Node* above
        while node.parent != NULL and node.sets == NULL and node.children == 0:
            above = node.parent
            above.children -= 1
            table_remove(&self.zone.nodes, &node.named)
            free(node)
            node = above


class Part:
    """Part of a transfer: the records of one message."""

    def __init__(self):
        self.count = 0
        self.octets = bytearray()


cdef object add_records(list found, object part, bytes owner, const RRset* rrset):
    """Return the part that the next records go to."""
    cdef const uint8_t* record = records_of(rrset)
    cdef const uint8_t* end = record + rrset.size
    cdef size_t size
    while record < end:
        size = RECORD_HEAD + load_u16(record + 8)
        if part.count and len(part.octets) + len(owner) + size > ROOM:
            found.append((part.count, bytes(part.octets)))
            part = Part()
        part.octets += owner
        part.octets += (<const char*>record)[:size]
        part.count += 1
        record += size
    return part


cdef bint turns_away(const Node* node, uint16_t kind) noexcept nogil:
    """Return whether an RRset of the type decides about the names below its own."""
    return kind == TYPE_DNAME or (kind == TYPE_NS and node.parent != NULL)


cdef int take_name(DnsName* read, bytes name) except -1:
    if not read_name(read, <const uint8_t*>PyBytes_AS_STRING(name), len(name)) or read.length != len(name):
        raise ValueError("a name in wire format is needed")
    return 0


cdef RRset* new_set(uint16_t kind, bytes records) except NULL:
    """Raise ValueError where the records do not fill their octets."""
    cdef uint32_t count = count_records(kind, records, len(records))
    cdef RRset* made
    if count == 0 or count > 0xFFFF:
        raise ValueError("records in wire format are needed")
    made = <RRset*>malloc(sizeof(RRset) + len(records))
    if made == NULL:
        raise MemoryError
    made.next = NULL
    made.kind = kind
    made.count = <uint16_t>count
    made.size = <uint32_t>len(records)
    memcpy(made + 1, <const uint8_t*>records, made.size)
    return made


cdef uint32_t count_records(uint16_t kind, const uint8_t* records, size_t size) noexcept nogil:
    """Count the records; 0 where they are not of the type, or the last one is cut off."""
    cdef size_t at = 0
    cdef uint32_t count = 0
    while at + RECORD_HEAD <= size and load_u16(records + at) == kind:
        at += RECORD_HEAD + load_u16(records + at + 8)
        count += 1
    return count if at == size else 0


cdef void free_sets(Node* node) noexcept nogil:
    cdef RRset* following
    while node.sets != NULL:
        following = node.sets.next
        free(node.sets)
        node.sets = following


cdef class ZoneSet:
    """The zones that are served, by name."""

    def __cinit__(self):
        self.zones = {}
        if not table_init(&self.table):
            raise MemoryError

    def __dealloc__(self):
        free(self.table.slots)

    def install(self, ZoneImage image not None):
        """Install it in place of the zone of this name, from one query to the next."""
        self.withdraw(image.name)
        self.zones[image.name] = image
        table_add(&self.table, &image.zone.named)
        self.most_labels = max(self.most_labels, image.zone.labels)

    def withdraw(self, bytes name not None):
        cdef ZoneImage image = self.zones.pop(name, None)
        if image is not None:
            table_remove(&self.table, &image.zone.named)


cdef Zone* zone_of(ZoneSet zones, const DnsName* name, uint16_t kind) noexcept nogil:
    """Return the nearest zone at or above the name; NULL: none is ours.

    The DS records of a delegation belong to the zone above it, if that is ours (RFC 4035 section
    3.1.4.1).
    """
    cdef Zone* own = NULL
    cdef Zone* found
    cdef uint8_t label
    for label in range(name.labels + 1):
        if name.labels - label > zones.most_labels:
            continue
        found = <Zone*>table_find(
            &zones.table, name.octets + name.starts[label], name.length - name.starts[label])
        if found != NULL and (label or kind != TYPE_DS):
            return found
        if found != NULL:
            own = found
    return own


cdef Node* find_node(const Zone* zone, const uint8_t* name, uint8_t length) noexcept nogil:
    return <Node*>table_find(&zone.nodes, name, length)


cdef void find_place(const Zone* zone, const DnsName* name, uint16_t kind, Place* place) noexcept nogil:
    """Find the place (RFC 1034 section 4.3.2 step 3), from the name upwards; the name is in the zone."""
    cdef uint8_t label = 0
    cdef Node* encloser = find_node(zone, name.octets, name.length)
    place.node = encloser
    while encloser == NULL:     # ends at the apex
        label += 1
        encloser = find_node(zone, name.octets + name.starts[label], name.length - name.starts[label])
    place.cut = place.redirecting = NULL
    if zone.turns:
        find_turn(encloser, kind == TYPE_DS and label == 0, label == 0, place)
    if place.node == NULL and place.cut == NULL and place.redirecting == NULL:
        place.node = wildcard_below(zone, encloser)


cdef void find_turn(Node* node, bint asks_above, bint asks_itself, Place* place) noexcept nogil:
    """Find the highest delegation or DNAME from the node up; at one name the delegation (RFC 6672
    section 2.3). `asks_above`: the node's own delegation does not count, because the question is
    for the zone above. `asks_itself`: the question is for the node's own name, to which its DNAME
    does not apply.
    """
    while node != NULL:
        if node.parent != NULL and not asks_above and set_of(node, TYPE_NS) != NULL:
            place.cut = node
            place.redirecting = NULL
        elif not asks_itself and set_of(node, TYPE_DNAME) != NULL:
            place.cut = NULL
            place.redirecting = node
        asks_above = asks_itself = False
        node = node.parent


cdef Node* wildcard_below(const Zone* zone, const Node* encloser) noexcept nogil:
    """Return the source of synthesis (RFC 4592 section 3.3.1); NULL where there is none."""
    cdef uint8_t name[LONGEST_NAME + 2]
    if encloser.children == 0 or encloser.named.length > LONGEST_NAME - 2:
        return NULL
    name[0] = 1
    name[1] = b"*"
    memcpy(name + 2, encloser.named.name, encloser.named.length)
    return find_node(zone, name, encloser.named.length + 2)
