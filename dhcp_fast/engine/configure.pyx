"""Configuration of an engine by settings and surroundings: protection (its decisions are in
limits.pyx), BOOTP, the share of a host's clients, live servers, and the server's own addresses.
"""

from operator import itemgetter

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy
from cpython.buffer cimport PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.leases.circuits cimport circuits_clear, circuits_init
from dhcp_fast.leases.pools cimport MAX_NODES, ring_set_lanes
from dhcp_fast.engine.engine cimport Engine
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.state.own_addresses cimport OwnAddress, OwnAddresses
from dhcp_fast.state.rendezvous cimport MOST_LINKS, MOST_PEERS, Rendezvous, SharedLink
from dhcp_fast.state.token_bucket cimport ROWS, limit_init, limit_lend
from dhcp_fast.state.state cimport MAX_SUPPLIED, MAX_SWITCHES, Bootp, State
from dhcp_fast.net.reuseport cimport Share

cdef enum:
    CLIENT_CELLS = 65536    # of a row of buckets: 1 MiB in all
    RELAY_CELLS = 4096


def protect(Engine engine, object settings):
    """Apply the settings; once, before the first packet and the first lease."""
    cdef State* state = &engine.state
    if not (limit_init(&state.client_limit, settings.dhcp4_client_rate, CLIENT_CELLS)
            and limit_init(&state.relay_limit, settings.dhcp4_relay_rate, RELAY_CELLS)):
        raise MemoryError
    circuits_clear(&state.circuits)
    if not circuits_init(&state.circuits, settings.dhcp4_leases_per_circuit):
        raise MemoryError
    state.adaptive_percent = settings.dhcp4_adaptive_percent
    state.limited = state.client_limit.interval or state.relay_limit.interval


def forget_after(Engine engine, uint64_t seconds):
    """Forget IPv6 leases that ended so long ago; 0: none ever. Before the first lease. Before the first lease."""
    engine.state.freed_seconds = <uint32_t>min(seconds, <uint64_t>0xFFFFFFFF)


RELAY_RATE_OCTETS = ROWS * RELAY_CELLS * sizeof(int64_t)


def join_host(Engine engine, uint32_t seed, int index, int count, memory):
    """Do be worker `index` of `count`; after `protect`, before the first lease and packet.

    `memory` is RELAY_RATE_OCTETS that all workers share, zeros at first: the rate of a relay is that of its packets to
    all of them. (Two that count at the same moment may count one packet for two; that much too many may pass.)
    """
    cdef State* state = &engine.state
    cdef void* shared = writable_octets(memory, RELAY_RATE_OCTETS)
    state.share = Share(seed, index, count)
    state.keeps_all = state.circuits.limit != 0
    state.ring.worker = index
    state.ring.workers = count
    ring_set_lanes(&state.ring)
    engine.lent = memoryview(memory)    # as long as it lives, the memory neither moves nor is given back
    limit_lend(&state.relay_limit, <int64_t*>shared)


cdef void* writable_octets(memory, Py_ssize_t wanted) except NULL:
    cdef Py_buffer view
    PyObject_GetBuffer(memory, &view, PyBUF_WRITABLE)
    try:
        if view.len < wanted:
            raise ValueError(f"{wanted} octets are needed")
        return view.buf
    finally:
        PyBuffer_Release(&view)


BOOTP_CHOICES = ("off", "reserved", "any")      # by the numbers of state.Bootp


def serve_bootp(Engine engine, choice):
    """Set which BOOTP clients are served: one of BOOTP_CHOICES."""
    engine.state.bootp = <Bootp><int>BOOTP_CHOICES.index(choice)


def keep_details(Engine engine, bint kept):
    """Set whether a grant records what its client calls itself, and which options it asks for."""
    engine.state.keeps_details = kept


def be_cautious(Engine engine, bint cautious):
    """Set whether addresses of which memory knows no row are bound like all others, and not simply inserted."""
    engine.state.queue.cautious = cautious


def set_nodes(Engine engine, mine, others):
    """Set the live servers' numbers, for the hint by which each prefers other chunks or, in order, addresses of a
    pool."""
    cdef int i
    engine.state.ring.mine = mine
    engine.state.ring.count = min(len(others), MAX_NODES)
    for i in range(engine.state.ring.count):
        engine.state.ring.others[i] = others[i]
    ring_set_lanes(&engine.state.ring)


def share_messages(Engine engine, mine, peers, links):
    """Set the numbers of the servers that may answer DHCPv6 messages beside us, and by the index of
    each of our interfaces those that serve its clients too.
    """
    cdef Rendezvous* shared = engine.state.rendezvous
    shared.mine = mine
    shared.peer_count = shared.link_count = 0
    for number in peers[:MOST_PEERS]:
        shared.peers[shared.peer_count] = number
        shared.peer_count += 1
    for ifindex, hearing in list(links.items())[:MOST_LINKS]:
        bits = sum(1 << place for place, number in enumerate(peers[:MOST_PEERS]) if number in hearing)
        shared.links[shared.link_count] = SharedLink(ifindex, bits)
        shared.link_count += 1


def set_switches(Engine engine, interfaces):
    """Set the indexes of the interfaces whose switches put option 82 into their clients' packets."""
    cdef int i
    engine.state.switch_count = min(len(interfaces), MAX_SWITCHES)
    for i in range(engine.state.switch_count):
        engine.state.switches[i] = interfaces[i]


def let_supply(Engine engine, codes):
    """Set the DHCPv6 options that relays may supply for clients, at most MAX_SUPPLIED."""
    cdef int i
    engine.state.supplied_count = min(len(codes), MAX_SUPPLIED)
    for i in range(engine.state.supplied_count):
        engine.state.supplied[i] = codes[i]


def set_server_id(Engine engine, bytes duid):
    """Set the DUID by which clients know all DHCPv6 servers on the database, of at most 130 octets."""
    engine.state.server_id.length = <uint16_t>len(duid)
    memcpy(engine.state.server_id_room, <const char*>duid, len(duid))
    engine.state.server_id.data = engine.state.server_id_room


def server_id(Engine engine):
    """Return the DUID that it answers under; empty in DHCPv4."""
    cdef Field own = engine.state.server_id
    return own.data[:own.length] if own.data != NULL else b""


def set_own_addresses(Engine engine, addresses):
    """Replace the addresses of this host: (interface index, address, prefix length, scope) each, those of one interface
    in the kernel's order. Raises MemoryError."""
    cdef OwnAddresses* own = &engine.state.own
    cdef OwnAddress* entries = <OwnAddress*>calloc(len(addresses) or 1, sizeof(OwnAddress))
    if entries == NULL:
        raise MemoryError
    for i, (ifindex, address, prefix, scope) in enumerate(sorted(addresses, key=itemgetter(0))):
        entries[<int>i] = OwnAddress(ifindex, prefix, scope, address >> 64, address & 0xFFFFFFFFFFFFFFFF)
    free(own.entries)
    own.entries, own.count = entries, len(addresses)
