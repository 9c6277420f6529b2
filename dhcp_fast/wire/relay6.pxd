"""The envelopes that relays put around a client's message (RFC 8415 section 9), as pointers into the datagram.

    RELAY-FORW  hop count, link address, peer address, options of the outermost relay
      RELAY-MSG option: RELAY-FORW of the next one ... RELAY-MSG option: the client's message

`hops[0]` is the outermost, which sent the datagram; the last one is next to the client.
"""

from libc.stdint cimport uint8_t, uint16_t, uint64_t

from dhcp_fast.wire.cursor cimport load_u64
from dhcp_fast.wire.faults6 cimport Fault6
from dhcp_fast.wire.ignored cimport Ignored, note_ignored
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.reply6 cimport Reply6

cdef enum:
    # The client's own relay counts 0, and none forwards what counts HOP_COUNT_LIMIT (8; RFC 8415 sections 7.6, 19.1.2).
    MAX_HOPS = 9
    RELAY_HEADER6 = 34
    LINK_LOCAL6 = 0x3FA     # fe80::/10, of an address its first 10 bits

cdef struct Hop6:
    uint8_t hop_count
    const uint8_t* link_address
    const uint8_t* peer_address
    Field options               # all of them, as they came
    # the first well-formed one of each, NULL where absent
    Field interface_id          # RFC 8415 section 21.18
    Field remote_id             # RFC 4649: enterprise number, then the identifier
    Field subscriber_id         # RFC 4580
    Field relay_id              # RFC 5460 section 5.4.1: a DUID
    Field link_layer            # RFC 6939: hardware type, then the client's address
    Field network               # RFC 6607: the virtual network
    Field supplied              # RFC 6422: options for the client
    Field echo_request          # RFC 4994: options that are to come back
    Field relay_port            # RFC 8357
    bint network_used           # set if `network` chose the tenant, for the reply

cdef struct Relays6:
    uint16_t count              # 0: the client's own datagram
    Ignored ignored
    Hop6 hops[MAX_HOPS]

cdef inline const Hop6* outermost6(const Relays6* relays) noexcept nogil:
    """Return NULL without relays.

    Its `relay_port` is set if the reply is sent to the datagram's source port (RFC 8357).
    """
    if relays.count == 0:
        return NULL
    return &relays.hops[0]

cdef inline const Hop6* innermost6(const Relays6* relays) noexcept nogil:
    """Return the relay next to the client, NULL without relays."""
    if relays.count == 0:
        return NULL
    return &relays.hops[relays.count - 1]

cdef inline bint names_link6(const Hop6* hop) noexcept nogil:
    """Return whether its link-address identifies a link: neither zeros, as of a switch (RFC 6221),
    nor a link-local address.
    """
    cdef uint64_t hi = load_u64(hop.link_address)
    return hi >> 54 != LINK_LOCAL6 and (hi != 0 or load_u64(hop.link_address + 8) != 0)

cdef inline int link_place6(const Relays6* relays) noexcept nogil:
    """Return which hop names the client's link, the nearest to the client first; -1: none does."""
    cdef int at
    for at in range(relays.count - 1, -1, -1):
        if names_link6(&relays.hops[at]):
            return at
    return -1

cdef inline Field remote_id6(const Relays6* relays) noexcept nogil:
    """Return the remote id of the nearest relay that sends one; `data` NULL: none does."""
    cdef int at
    for at in range(relays.count - 1, -1, -1):
        if relays.hops[at].remote_id.data != NULL:
            return relays.hops[at].remote_id
    return Field(NULL, 0)

cdef inline Field subscriber_id6(const Relays6* relays) noexcept nogil:
    """Return the subscriber id likewise."""
    cdef int at
    for at in range(relays.count - 1, -1, -1):
        if relays.hops[at].subscriber_id.data != NULL:
            return relays.hops[at].subscriber_id
    return Field(NULL, 0)

cdef bint is_well_formed_hop6(uint16_t code, Field value) noexcept nogil
cdef Fault6 open_relays6(Relays6* relays, const uint8_t* data, size_t length, Field* message) noexcept nogil
cdef uint16_t copy_relays6(
    const Relays6* relays, uint64_t peer_hi, uint64_t peer_lo, uint8_t* room, uint16_t size) noexcept nogil
cdef bint put_relays6(Reply6* reply, const Relays6* relays) noexcept nogil
