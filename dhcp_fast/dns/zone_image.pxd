from libc.stdint cimport uint8_t, uint16_t, uint32_t

from dhcp_fast.dns.name_table cimport Named, NameTable
from dhcp_fast.wire.dns_message cimport LONGEST_NAME, DnsName

cdef struct RRset:
    RRset* next                 # of the same node
    uint16_t kind
    uint16_t count
    uint32_t size               # of the records behind this struct: each without its owner, from the type on

cdef struct Node:
    Named named                 # first, so that the table's entry is the node
    Node* parent                # NULL: the apex
    RRset* sets                 # NULL: an empty non-terminal (RFC 4592 section 2.2.2)
    uint32_t children

cdef struct Zone:
    Named named
    uint8_t labels
    NameTable nodes
    Node* apex
    uint32_t turns              # RRsets that answer for names below theirs: NS below the apex, and DNAME
    RRset* negative             # the SOA as it denies something (RFC 2308 section 3)

cdef struct Place:
    Node* node                  # NULL: there is no such name
    Node* cut                   # the delegation at or above it; NULL: the zone answers with authority
    Node* redirecting           # the node above it whose DNAME replaces the name; NULL: none does

cdef class ZoneImage:
    """A zone; see zone_image.pyx."""
    cdef Zone zone
    cdef uint8_t octets[LONGEST_NAME]
    cdef readonly bytes name
    cdef readonly uint32_t serial
    cdef Node* node_at(self, const DnsName* name, uint8_t label) except NULL
    cdef Node* new_node(self, const uint8_t* name, uint8_t length) except NULL
    cdef void drop_set(self, Node* node, uint16_t kind) noexcept nogil
    cdef void prune(self, Node* node) noexcept nogil

cdef class ZoneSet:
    """The zones that are served; see zone_image.pyx."""
    cdef NameTable table
    cdef uint8_t most_labels
    cdef readonly dict zones

cdef inline const uint8_t* records_of(const RRset* rrset) noexcept nogil:
    return <const uint8_t*>(rrset + 1)

cdef inline RRset* set_of(const Node* node, uint16_t kind) noexcept nogil:
    """Return NULL where the name has none of the type."""
    cdef RRset* found = node.sets
    while found != NULL and found.kind != kind:
        found = found.next
    return found

cdef Zone* zone_of(ZoneSet zones, const DnsName* name, uint16_t kind) noexcept nogil
cdef void find_place(const Zone* zone, const DnsName* name, uint16_t kind, Place* place) noexcept nogil
cdef Node* find_node(const Zone* zone, const uint8_t* name, uint8_t length) noexcept nogil
