"""The answer to a question (RFC 1034 section 4.3.2, RFC 6672 section 3.2): records, a chain of
aliases and redirections, a referral, or a denial with the SOA.

The AA bit belongs to the first name of the chain, the response code to the last one (RFC 6604). ANY
gets one RRset (RFC 8482 section 4.1). The additional section contains the addresses of a referral's
servers, and of the targets of NS, MX and SRV, as far as they fit. Only addresses below the
delegation itself are required (RFC 9471), and truncate the message.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memcmp, memcpy

from dhcp_fast.dns.reply cimport ADDITIONAL, ANSWER, AUTHORITY, Owner, Reply, put_alias, put_set, record_place
from dhcp_fast.dns.zone_image cimport (
    Node, Place, RRset, Zone, ZoneSet, find_node, find_place, records_of, set_of, zone_of)
from dhcp_fast.wire.cursor cimport load_u16
from dhcp_fast.wire.dns_message cimport (
    CLASS_IN, DNS_HEADER, FLAG_AA, FLAG_TC, LONGEST_NAME, NOERROR, NXDOMAIN, REFUSED, TYPE_A, TYPE_AAAA, TYPE_ANY,
    TYPE_CNAME, TYPE_DNAME, TYPE_IXFR, TYPE_MX, TYPE_NS, TYPE_NSEC, TYPE_RRSIG, TYPE_SOA, TYPE_SRV, YXDOMAIN, DnsName,
    DnsQuery, read_name)

cdef enum:
    MOST_ALIASES = 16
    MOST_TARGETS = 32           # addresses are added for so many of them
    RECORD_HEAD = 10

cdef struct Chain:
    DnsName name                # that is asked for now
    Owner owner
    const uint8_t* seen[MOST_ALIASES]   # the targets of the aliases so far, as the records have them
    const RRset* redirects[MOST_ALIASES]    # the DNAME of each; NULL: it is a CNAME of the zone
    int hops


cdef int answer(ZoneSet zones, const DnsQuery* query, Reply* reply) noexcept nogil:
    """Return the response's code; the reply begun, and to be finished."""
    cdef Chain chain
    cdef Zone* zone
    cdef uint16_t kind = TYPE_SOA if query.kind == TYPE_IXFR else query.kind
    cdef int code
    if query.klass != CLASS_IN:
        return REFUSED
    begin_chain(&chain, query)
    while True:
        zone = zone_of(zones, &chain.name, kind)
        if zone == NULL:
            return NOERROR if chain.hops else REFUSED
        code = answer_in(zone, kind, &chain, reply)
        if code >= 0:
            return code


cdef void begin_chain(Chain* chain, const DnsQuery* query) noexcept nogil:
    chain.name = query.name
    chain.hops = 0
    point_owner(chain, DNS_HEADER)


cdef void point_owner(Chain* chain, uint32_t offset) noexcept nogil:
    chain.owner.name = chain.name.octets
    chain.owner.length = chain.name.length
    chain.owner.offset = offset


cdef int answer_in(Zone* zone, uint16_t kind, Chain* chain, Reply* reply) noexcept nogil:
    """Return the code; -1: an alias leads to another name."""
    cdef Place place
    cdef RRset* found
    find_place(zone, &chain.name, kind, &place)
    if place.cut != NULL:
        return refer(zone, place.cut, chain, reply)
    if chain.hops == 0:
        reply.flags |= FLAG_AA
    if place.redirecting != NULL:
        return redirect(chain, kind, reply, place.redirecting)
    if place.node == NULL:
        return deny(zone, chain, reply, NXDOMAIN)
    found = place.node.sets if kind == TYPE_ANY else set_of(place.node, kind)
    if found != NULL:
        return give(zone, chain, reply, found)
    found = set_of(place.node, TYPE_CNAME)
    if found == NULL or kind in (TYPE_RRSIG, TYPE_NSEC):    # which an alias has itself (RFC 4035 section 2.5)
        return deny(zone, chain, reply, NOERROR)
    return follow(chain, reply, found)


cdef int give(Zone* zone, Chain* chain, Reply* reply, const RRset* rrset) noexcept nogil:
    cdef uint32_t start = reply.length
    if not put_set(reply, ANSWER, &chain.owner, rrset):
        reply.flags |= FLAG_TC
    else:
        add_addresses(zone, NULL, &chain.owner, reply, rrset, start)
    return NOERROR


cdef int follow(Chain* chain, Reply* reply, const RRset* alias) noexcept nogil:
    """Follow the alias; -1: the chain continues at its target."""
    cdef const uint8_t* target = records_of(alias) + RECORD_HEAD
    cdef uint32_t start = reply.length
    if was_seen(chain, target):
        return NOERROR
    if not put_set(reply, ANSWER, &chain.owner, alias):
        reply.flags |= FLAG_TC
        return NOERROR
    if chain.hops == MOST_ALIASES:
        return NOERROR
    start = record_place(&chain.owner, start, RECORD_HEAD, 0)
    if not read_name(&chain.name, target, alias.size - RECORD_HEAD):
        return NOERROR
    hop(chain, target, NULL, start)
    return -1


cdef void hop(Chain* chain, const uint8_t* target, const RRset* redirecting, uint32_t offset) noexcept nogil:
    """Continue at the target, which is the chain's name already and is at `offset` in the message."""
    chain.seen[chain.hops] = target
    chain.redirects[chain.hops] = redirecting
    chain.hops += 1
    point_owner(chain, offset)


cdef int redirect(Chain* chain, uint16_t kind, Reply* reply, const Node* above_name) noexcept nogil:
    """Put the DNAME and the CNAME made of it (RFC 6672 section 3.2).

    Return -1 if the chain continues at the CNAME's target, unless the CNAME itself was the
    question.
    """
    cdef const RRset* redirecting = set_of(above_name, TYPE_DNAME)
    cdef Owner owner = above(chain, above_name)
    cdef DnsName target
    cdef bint fits = substitute(chain, above_name, redirecting, &target)
    if fits and came_by(chain, &target):
        return NOERROR
    if not was_redirected(chain, redirecting) and not put_set(reply, ANSWER, &owner, redirecting):
        reply.flags |= FLAG_TC
        return NOERROR
    if not fits:
        return YXDOMAIN
    if not put_alias(reply, &chain.owner, redirecting, &target):
        reply.flags |= FLAG_TC
        return NOERROR
    if chain.hops == MOST_ALIASES or kind in (TYPE_CNAME, TYPE_ANY):
        return NOERROR
    chain.name = target
    hop(chain, reply.out + reply.length - target.length, redirecting, reply.length - target.length)
    return -1


cdef bint substitute(
        const Chain* chain, const Node* above_name, const RRset* redirecting, DnsName* target) noexcept nogil:
    """Return the DNAME's target in place of its owner at the end of the chain's name; False where that is too long."""
    cdef uint8_t name[2 * LONGEST_NAME]
    cdef const uint8_t* end = records_of(redirecting) + RECORD_HEAD
    cdef size_t length = load_u16(end - 2)
    cdef size_t kept = chain.name.length - above_name.named.length
    if kept + length > LONGEST_NAME:
        return False
    memcpy(name, chain.name.octets, kept)
    memcpy(name + kept, end, length)
    return read_name(target, name, kept + length)


cdef bint came_by(const Chain* chain, const DnsName* target) noexcept nogil:
    """Return whether a name that the chain was redirected to comes again."""
    cdef int i
    for i in range(chain.hops):
        if chain.redirects[i] == NULL or load_u16(chain.seen[i] - 2) != target.length:
            continue
        if memcmp(chain.seen[i], target.octets, target.length) == 0:
            return True
    return False


cdef bint was_redirected(const Chain* chain, const RRset* redirecting) noexcept nogil:
    """Return whether the message has the DNAME already."""
    cdef int i
    for i in range(chain.hops):
        if chain.redirects[i] == redirecting:
            return True
    return False


cdef bint was_seen(const Chain* chain, const uint8_t* target) noexcept nogil:
    """Return whether the chain bites its tail: each alias has its one record, so a target that comes again is the same
    piece of memory."""
    cdef int i
    for i in range(chain.hops):
        if chain.seen[i] == target:
            return True
    return False


cdef int deny(Zone* zone, const Chain* chain, Reply* reply, int code) noexcept nogil:
    """Deny with the SOA in the authority section (RFC 2308 section 2.1)."""
    cdef Owner apex = above(chain, zone.apex)
    if zone.negative == NULL or not put_set(reply, AUTHORITY, &apex, zone.negative):
        reply.flags |= FLAG_TC
    return code


cdef Owner above(const Chain* chain, const Node* node) noexcept nogil:
    """Return a node at or above the chain's name, which ends with its name."""
    cdef Owner owner
    owner.name = node.named.name
    owner.length = node.named.length
    owner.offset = chain.owner.offset + chain.owner.length - node.named.length
    return owner


cdef int refer(Zone* zone, Node* cut, const Chain* chain, Reply* reply) noexcept nogil:
    cdef Owner owner = above(chain, cut)
    cdef RRset* servers = set_of(cut, TYPE_NS)
    cdef uint32_t start = reply.length
    if not put_set(reply, AUTHORITY, &owner, servers):
        reply.flags |= FLAG_TC
    else:
        add_addresses(zone, cut, &owner, reply, servers, start)
    return NOERROR


cdef void add_addresses(
        const Zone* zone, const Node* cut, const Owner* owner, Reply* reply, const RRset* rrset, uint32_t start,
) noexcept nogil:
    """Add those that the zone has of the targets in a set that was put at `start`; without the addresses below `cut`
    the message is cut."""
    cdef uint32_t at = 0, index = 0
    cdef uint32_t skipped = target_at(rrset.kind)
    cdef const uint8_t* records = records_of(rrset)
    cdef Owner target
    cdef DnsName name
    while skipped and at < rrset.size and index < MOST_TARGETS:
        if read_name(&name, records + at + skipped, rrset.size - at - skipped):
            target.name = name.octets
            target.length = name.length
            target.offset = record_place(owner, start, at + skipped, index)
            if not add_address(zone, &target, reply) and cut != NULL and is_below(&target, cut):
                reply.flags |= FLAG_TC
        at += RECORD_HEAD + load_u16(records + at + 8)
        index += 1


cdef uint32_t target_at(uint16_t kind) noexcept nogil:
    """Return where a record of the type has a name whose addresses are sent along; 0: none has."""
    if kind == TYPE_NS:
        return RECORD_HEAD
    if kind == TYPE_MX:
        return RECORD_HEAD + 2
    return RECORD_HEAD + 6 if kind == TYPE_SRV else 0


cdef bint add_address(const Zone* zone, const Owner* target, Reply* reply) noexcept nogil:
    """Return False where there is no room."""
    cdef Node* node = find_node(zone, target.name, target.length)
    cdef RRset* found
    cdef bint fits = True
    if node == NULL:
        return True
    found = set_of(node, TYPE_A)
    if found != NULL:
        fits = put_set(reply, ADDITIONAL, target, found)
    found = set_of(node, TYPE_AAAA)
    if found != NULL:
        fits = put_set(reply, ADDITIONAL, target, found) and fits
    return fits


cdef bint is_below(const Owner* target, const Node* cut) noexcept nogil:
    cdef int before = target.length - cut.named.length
    return before >= 0 and memcmp(target.name + before, cut.named.name, cut.named.length) == 0
