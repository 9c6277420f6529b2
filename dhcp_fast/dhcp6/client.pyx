"""Identification of a client: DUID and hardware address -> reservation, classes; with an
association, the client key (rule 32).

The hardware address is the one that the relay adds (RFC 6939), else the one in a DUID of kind LLT
or LL, else the one in the client's link-local address. The octets point into the packet or the
slot's room, which it keeps until the last of its leases is written.
"""

from libc.string cimport memcpy

from dhcp_fast.leases.client_identity cimport (
    BY_ASSOCIATION, BY_CIRCUIT, BY_DUID, BY_HARDWARE, BY_REMOTE_ID, BY_SUBSCRIBER_ID, ETHERNET, identity_hash)
from dhcp_fast.leases.lease_operation cimport MAX_CLIENT_KEY
from dhcp_fast.plan.compiled cimport Tenant
from dhcp_fast.plan.subnets6 cimport next_on_wire
from dhcp_fast.structures.keymap cimport keymap_get
from dhcp_fast.structures.siphash cimport siphash
from dhcp_fast.wire.codes6 cimport OPT6_CLIENTID
from dhcp_fast.wire.cursor cimport load_u16, load_u64, store_u16, store_u32, store_u64
from dhcp_fast.wire.duid cimport DUID_LL, DUID_LLT, Duid, read_duid
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.packet6 cimport Packet6, has6
from dhcp_fast.wire.relay6 cimport innermost6, remote_id6, subscriber_id6

cdef enum:
    MAC = 6
    LONGEST = 255           # octets of an identity that a reservation may have
    KEY_HEAD = 7            # kind, IA type, IAID
    ENTERPRISE = 4          # in front of a remote id (RFC 4649 section 3)
    EUI_64 = 0xFFFE         # in the middle of an interface identifier that was made of a MAC
    UNIVERSAL = 2           # the bit of a MAC's first octet that is turned over there (RFC 4291 appendix A)

cdef uint64_t LINK = 0xFE80000000000000     # the first half of a link-local address


cdef void identify(State* state, Slot* slot, Client6* client) noexcept nogil:
    """Identify the message's sender by identity and reservation; without a DUID it has neither."""
    cdef const Packet6* packet = &state.message6.packet
    cdef Field duid
    client.relays = &state.message6.relays
    client.relay = innermost6(&state.message6.relays)
    if has6(packet, OPT6_CLIENTID):
        duid = packet.options[<int>OPT6_CLIENTID]
        client.duid = Octets(duid.data, duid.length)
    slot.op.association.duid = client.duid      # the log's, whatever becomes of the message
    slot.op.subnet_no = client.subnet.no
    find_hardware(slot, client)
    client.reservation = NULL
    client.for_tenant = False
    if client.subnet.reservation_count or client.subnet.next_on_wire != NULL:
        find_reservation(state, client)
    if client.reservation == NULL and client.subnet.tenant.reserved_count:
        client.for_tenant = True
        find_reservation(state, client)


cdef void find_hardware(Slot* slot, Client6* client) noexcept nogil:
    """Find the hardware address.

    The relay saw it on the link, so it is more reliable than that of the DUID, which may come from
    another machine. A link-local address may only look as if it contained a MAC.
    """
    cdef Duid duid
    cdef const Field* seen
    client.hw_type = 0
    client.hw_address = Octets(NULL, 0)
    if client.relay != NULL and client.relay.link_layer.length > 2:
        seen = &client.relay.link_layer
        note_hardware(client, load_u16(seen.data), seen.data + 2, <uint16_t>(seen.length - 2))
    elif client.duid.data != NULL:
        duid = read_duid(Field(client.duid.data, client.duid.length))
        if duid.kind == DUID_LL or duid.kind == DUID_LLT:
            note_hardware(client, duid.hardware_type, duid.identifier.data, duid.identifier.length)
    if client.hw_address.data == NULL:
        find_in_address(slot, client)


cdef void find_in_address(Slot* slot, Client6* client) noexcept nogil:
    """Find the MAC in the client's own address on its link, as its relay or we saw it."""
    cdef uint64_t hi = slot.rx.peer_hi, lo = slot.rx.peer_lo
    if client.relay != NULL:
        hi = load_u64(client.relay.peer_address)
        lo = load_u64(client.relay.peer_address + 8)
    if hi != LINK or (lo >> 24) & 0xFFFF != EUI_64:
        return
    store_u64(slot.spill, ((lo >> 40) << 24 | (lo & 0xFFFFFF)) << 16)
    slot.spill[0] ^= UNIVERSAL
    note_hardware(client, ETHERNET, slot.spill, MAC)


cdef inline void note_hardware(Client6* client, uint16_t kind, const uint8_t* address, uint16_t length) noexcept nogil:
    """Note the hardware address; types above 255 (IANA, ARP parameters) and addresses longer than any are kept by
    nobody."""
    if kind < 256 and 0 < length <= 20:
        client.hw_type = <uint8_t>kind
        client.hw_address = Octets(address, length)


cdef void find_reservation(const State* state, Client6* client) noexcept nogil:
    """Find it by DUID, then by hardware address, then by what relays send; each in all subnets of the wire."""
    if client.duid.data != NULL and reserved_for(
            client, BY_DUID, identity_hash(state.hash_key, BY_DUID, 0, &client.duid)):
        return
    if client.hw_type == ETHERNET and client.hw_address.length == MAC and reserved_for(
            client, BY_HARDWARE, identity_hash(state.hash_key, BY_HARDWARE, ETHERNET, &client.hw_address)):
        return
    if client.relay != NULL:
        find_by_line(state, client)


cdef void find_by_line(const State* state, Client6* client) noexcept nogil:
    """Find it by interface id, then remote id, then subscriber id. A remote id may be reserved with the enterprise
    number in front of it or without."""
    cdef Field remote = remote_id6(client.relays)
    if told(state, client, BY_CIRCUIT, client.relay.interface_id) or told(state, client, BY_REMOTE_ID, remote):
        return
    if remote.length > ENTERPRISE and told(state, client, BY_REMOTE_ID, Field(
            remote.data + ENTERPRISE, <uint16_t>(remote.length - ENTERPRISE))):
        return
    told(state, client, BY_SUBSCRIBER_ID, subscriber_id6(client.relays))


cdef bint told(const State* state, Client6* client, uint8_t kind, Field value) noexcept nogil:
    """Return whether an identifier of the relay has a reservation, and note it."""
    cdef Octets octets = Octets(value.data, value.length)
    return 0 < value.length <= LONGEST and reserved_for(client, kind, identity_hash(state.hash_key, kind, 0, &octets))


cdef bint reserved_for(Client6* client, int kind, uint64_t identity) noexcept nogil:
    """Note the reservation under this identity, of the client's subnet or of one that shares its wire."""
    cdef Subnet6* subnet = client.subnet
    cdef uint32_t index
    if client.for_tenant:
        return tenant_reserves(client, kind, identity)
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


cdef bint tenant_reserves(Client6* client, int kind, uint64_t identity) noexcept nogil:
    """Note the reservation under this identity that holds in all of the tenant's subnets."""
    cdef const Tenant* tenant = client.subnet.tenant
    cdef uint32_t index = keymap_get(&tenant.by_identity, identity) if (tenant.reserved_kinds >> kind) & 1 else 0
    if index:
        client.reservation = &tenant.reserved6[index - 1]
        client.reserved_in = NULL
    return index != 0


cdef uint64_t association_of(
        const State* state, const Client6* client, uint16_t ia_type, uint32_t iaid) noexcept nogil:
    """Return the keyed hash of the association's client key, which identifies the owner of its
    leases in the cache.
    """
    cdef uint8_t room[MAX_CLIENT_KEY]
    return siphash(state.hash_key, room, spell(client, ia_type, iaid, room))


cdef void own_lease(
        const State* state, const Client6* client, uint16_t ia_type, uint32_t iaid, LeaseOp* op) noexcept nogil:
    """Make the operation's lease the association's."""
    op.client_key.data = op.key_room
    op.client_key.length = spell(client, ia_type, iaid, op.key_room)
    op.client = siphash(state.hash_key, op.key_room, op.client_key.length)


cdef inline uint16_t spell(const Client6* client, uint16_t ia_type, uint32_t iaid, uint8_t* room) noexcept nogil:
    """Return the client key; its length."""
    room[0] = BY_ASSOCIATION
    store_u16(room + 1, ia_type)
    store_u32(room + 3, iaid)
    memcpy(room + KEY_HEAD, client.duid.data, client.duid.length)
    return KEY_HEAD + client.duid.length
