"""Who is asking: DUID and hardware address -> reservation, classes; with an association, the client key (rule 32).

A hardware address is what the relay says (RFC 6939), else what a DUID of kind LLT or LL was made of. The octets point
into the packet, which the slot keeps until the last of its leases is written.
"""

from libc.string cimport memcpy

from dhcp_fast.leases.client_identity cimport (
    BY_ASSOCIATION, BY_CIRCUIT, BY_DUID, BY_HARDWARE, ETHERNET, identity_hash)
from dhcp_fast.leases.lease_operation cimport MAX_CLIENT_KEY
from dhcp_fast.plan.subnets6 cimport next_on_wire
from dhcp_fast.structures.keymap cimport keymap_get
from dhcp_fast.structures.siphash cimport siphash
from dhcp_fast.wire.codes6 cimport OPT6_CLIENTID
from dhcp_fast.wire.cursor cimport load_u16, store_u16, store_u32
from dhcp_fast.wire.duid cimport DUID_LL, DUID_LLT, Duid, read_duid
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.packet6 cimport Packet6, has6
from dhcp_fast.wire.relay6 cimport innermost6

cdef enum:
    MAC = 6
    KEY_HEAD = 7            # kind, IA type, IAID
    ENTERPRISE = 4          # in front of a vendor class's pieces (RFC 8415 section 21.16)


cdef void identify(State* state, Slot* slot, Client6* client) noexcept nogil:
    """Identity and reservation of the message's sender; without a DUID it has neither."""
    cdef const Packet6* packet = &state.message6.packet
    cdef Field duid
    client.relay = innermost6(&state.message6.relays)
    if has6(packet, OPT6_CLIENTID):
        duid = packet.options[<int>OPT6_CLIENTID]
        client.duid = Octets(duid.data, duid.length)
    slot.op.association.duid = client.duid      # the log's, whatever becomes of the message
    slot.op.subnet_no = client.subnet.no
    find_hardware(client)
    client.reservation = NULL
    if client.subnet.reservation_count or client.subnet.next_on_wire != NULL:
        find_reservation(state, client)


cdef void find_hardware(Client6* client) noexcept nogil:
    """What the relay saw on the wire is surer than what the DUID was made of, perhaps on another machine."""
    cdef Duid duid
    cdef const Field* told
    client.hw_type = 0
    client.hw_address = Octets(NULL, 0)
    if client.relay != NULL and client.relay.link_layer.length > 2:
        told = &client.relay.link_layer
        note_hardware(client, load_u16(told.data), told.data + 2, <uint16_t>(told.length - 2))
    elif client.duid.data != NULL:
        duid = read_duid(Field(client.duid.data, client.duid.length))
        if duid.kind == DUID_LL or duid.kind == DUID_LLT:
            note_hardware(client, duid.hardware_type, duid.identifier.data, duid.identifier.length)


cdef inline void note_hardware(Client6* client, uint16_t kind, const uint8_t* address, uint16_t length) noexcept nogil:
    """Types above 255 (IANA, ARP parameters) and addresses longer than any are kept by nobody."""
    if kind < 256 and 0 < length <= 20:
        client.hw_type = <uint8_t>kind
        client.hw_address = Octets(address, length)


cdef void find_reservation(const State* state, Client6* client) noexcept nogil:
    """By DUID, then by hardware address, then by interface id; each in all subnets of the wire."""
    cdef Octets line
    if client.duid.data != NULL and reserved_for(
            client, BY_DUID, identity_hash(state.hash_key, BY_DUID, 0, &client.duid)):
        return
    if client.hw_type == ETHERNET and client.hw_address.length == MAC and reserved_for(
            client, BY_HARDWARE, identity_hash(state.hash_key, BY_HARDWARE, ETHERNET, &client.hw_address)):
        return
    if client.relay != NULL and 0 < client.relay.interface_id.length < 256:
        line = Octets(client.relay.interface_id.data, client.relay.interface_id.length)
        reserved_for(client, BY_CIRCUIT, identity_hash(state.hash_key, BY_CIRCUIT, 0, &line))


cdef bint reserved_for(Client6* client, int kind, uint64_t identity) noexcept nogil:
    """Note the reservation under this identity, of the client's subnet or of one that shares its wire."""
    cdef Subnet6* subnet = client.subnet
    cdef uint32_t index
    while subnet != NULL:
        index = 0
        if subnet.enabled and (subnet.reserved_kinds >> kind) & 1:
            index = keymap_get(&subnet.by_identity, identity)
        if index:
            client.reservation = &subnet.reservations[index - 1]
            client.reserved_in = subnet
            return True
        subnet = next_on_wire(subnet, client.subnet)
    return False


cdef uint64_t association_of(
        const State* state, const Client6* client, uint16_t ia_type, uint32_t iaid) noexcept nogil:
    """The keyed hash of the association's client key: who owns its leases, to the cache."""
    cdef uint8_t room[MAX_CLIENT_KEY]
    return siphash(state.hash_key, room, spell(client, ia_type, iaid, room))


cdef void own_lease(
        const State* state, const Client6* client, uint16_t ia_type, uint32_t iaid, LeaseOp* op) noexcept nogil:
    """The operation's lease is to be the association's."""
    op.client_key.data = op.key_room
    op.client_key.length = spell(client, ia_type, iaid, op.key_room)
    op.client = siphash(state.hash_key, op.key_room, op.client_key.length)


cdef inline uint16_t spell(const Client6* client, uint16_t ia_type, uint32_t iaid, uint8_t* room) noexcept nogil:
    """The client key; its length."""
    room[0] = BY_ASSOCIATION
    store_u16(room + 1, ia_type)
    store_u32(room + 3, iaid)
    memcpy(room + KEY_HEAD, client.duid.data, client.duid.length)
    return KEY_HEAD + client.duid.length
