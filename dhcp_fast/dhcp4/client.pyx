"""Identification of a client: hardware address or client id -> identity, reservation, classes.

The data of the client for a later write is noted in the slot's operation. Its octets point into the
packet, or into the slot's spill if the codec joined them from pieces; the host name is sanitized
into the slot.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from dhcp_fast.structures.siphash cimport siphash
from dhcp_fast.leases.client_identity cimport (
    BY_CIRCUIT, BY_CLIENT_ID, BY_DUID, BY_HARDWARE, BY_LINE_ADDRESS, BY_LINE_ALONE, BY_REMOTE_ID, BY_SUBSCRIBER_ID,
    ETHERNET, identity_hash, note_hashes)
from dhcp_fast.leases.lease_operation cimport LeaseOp, Octets
from dhcp_fast.leases.lease_table cimport LEASE_ACTIVE, NO_LEASE, lease_at, lease_at_address
from dhcp_fast.structures.keymap cimport keymap_get
from dhcp_fast.dhcp4.classes cimport match_classes
from dhcp_fast.dhcp4.hostname cimport note_host_name
from dhcp_fast.dhcp4.recall cimport recall_row, remember
from dhcp_fast.plan.subnets cimport next_on_wire
from dhcp_fast.state.slot cimport RECALL_WANTED, SPILL
from dhcp_fast.state.reasons cimport REASON_DENIED_CLASS, REASON_NONE, REASON_NO_IDENTITY
from dhcp_fast.plan.compiled cimport Subnet4, Tenant
from dhcp_fast.wire.codes cimport DHCPDISCOVER, OPT_DHCP_CLIENT_IDENTIFIER
from dhcp_fast.wire.cursor cimport store_u32
from dhcp_fast.wire.packet4 cimport Field, Packet4, has

cdef enum:
    RFC_4361 = 255          # the type octet of such a client id
    DUID_AT = 5             # behind it and the IAID
    MAC = 6
    LONGEST = 255           # octets of an identity that a reservation may have


cdef Reason identify(State* state, Slot* slot, Client* client) noexcept nogil:
    """Identify the packet's sender: identity, reservation and classes, noted in `client` and in the slot's
    operation."""
    cdef Packet4* packet = &state.packet
    cdef LeaseOp* op = &slot.op
    note_client(state, slot, client.subnet)
    if op.client_id.length < client_id_length(packet) or not choose_key(state, op, client):
        return REASON_NO_IDENTITY
    op.client = client.identity
    client.reservation = NULL
    if client.subnet.reservation_count or client.subnet.next_on_wire != NULL:
        find_reservation(state, slot, client)
    if client.subnet.tenant.looks_further:
        look_further(state, slot, client)
    note_host_name(state, slot, client, named_address(packet))
    note_hashes(state.hash_key, op)
    client.client_parts_hash = op.client_parts_hash
    memset(&client.classes, 0, sizeof(client.classes))
    if client.subnet.tenant.class_count and slot.recall != RECALL_WANTED and not match_classes(state, slot, client):
        return REASON_DENIED_CLASS
    if packet.message_type == DHCPDISCOVER and client.subnet.tenant.keeps_options:
        remember(state, client)
    return REASON_NONE


cdef void look_further(State* state, Slot* slot, Client* client) noexcept nogil:
    """Look for a reservation of the tenant if it has any, or by the relay's options if they count;
    the subnet's own reservations come first.
    """
    recall_row(state, slot, client, client.subnet.tenant.asks_relays)
    if client.reservation == NULL and client.subnet.tenant.reserved_count:
        find_for_tenant(state, &slot.op, client)


cdef inline uint16_t client_id_length(const Packet4* packet) noexcept nogil:
    """Return the length as sent. One joined from pieces to over 255 octets can neither be kept nor, as RFC 6842
    demands, sent back."""
    return packet.options[OPT_DHCP_CLIENT_IDENTIFIER].length if has(packet, OPT_DHCP_CLIENT_IDENTIFIER) else 0


cdef void note_client(State* state, Slot* slot, const Subnet4* subnet) noexcept nogil:
    cdef Packet4* packet = &state.packet
    cdef LeaseOp* op = &slot.op
    cdef Field hardware
    slot.spill_used = 0
    op.tenant_no = subnet.tenant.no
    op.subnet_no = subnet.no
    op.fence = subnet.fence
    op.hi = 0
    op.version = 0
    op.tells_device = False
    op.hw_type = packet.htype
    op.relay = packet.giaddr
    hardware.data = packet.raw + 28 if packet.hlen else NULL
    hardware.length = packet.hlen
    keep(slot, packet, &hardware, &op.hw_address)
    if has(packet, OPT_DHCP_CLIENT_IDENTIFIER):
        keep(slot, packet, &packet.options[OPT_DHCP_CLIENT_IDENTIFIER], &op.client_id)
    else:
        op.client_id.data = NULL
    keep(slot, packet, &packet.circuit_id, &op.circuit_id)
    keep(slot, packet, &packet.remote_id, &op.remote_id)


cdef void keep(Slot* slot, const Packet4* packet, const Field* field, Octets* octets) noexcept nogil:
    """Point at the field for as long as the slot lives; at most 255 octets of it count."""
    octets.data = field.data
    octets.length = min(field.length, <uint16_t>255)
    if field.data == NULL:
        octets.length = 0
    elif packet.scratch <= field.data <= packet.scratch + packet.scratch_used:
        octets.length = min(octets.length, <uint16_t>(SPILL - slot.spill_used))
        octets.data = slot.spill + slot.spill_used
        memcpy(slot.spill + slot.spill_used, field.data, octets.length)
        slot.spill_used += octets.length


cdef bint choose_key(State* state, LeaseOp* op, Client* client) noexcept nogil:
    """Choose the client key: the MAC, or option 61 if the subnet prefers it (RFC 2131 section 4.2
    leaves the choice).
    """
    cdef bint by_client_id = op.client_id.data != NULL and (client.subnet.match_client_id or not has_hardware(op))
    client.other_identity = 0
    op.client_key.data = op.key_room
    if by_client_id:
        if has_hardware(op):
            client.other_identity = identity_hash(state.hash_key, BY_HARDWARE, op.hw_type, &op.hw_address)
        op.key_room[0] = BY_CLIENT_ID
        memcpy(op.key_room + 1, op.client_id.data, op.client_id.length)
        op.client_key.length = 1 + op.client_id.length
    elif has_hardware(op):
        if op.client_id.data != NULL:
            client.other_identity = identity_hash(state.hash_key, BY_CLIENT_ID, 0, &op.client_id)
        op.key_room[0] = BY_HARDWARE
        op.key_room[1] = op.hw_type
        memcpy(op.key_room + 2, op.hw_address.data, op.hw_address.length)
        op.client_key.length = 2 + op.hw_address.length
    else:
        return False
    client.identity = siphash(state.hash_key, op.key_room, op.client_key.length)
    return True


cdef inline bint has_hardware(const LeaseOp* op) noexcept nogil:
    """Return whether it has a hardware address; one of zeros is one like any other (decisions: Reservations)."""
    return op.hw_address.length != 0


cdef void find_reservation(State* state, Slot* slot, Client* client) noexcept nogil:
    """Find the reservation by MAC, then by client id and the DUID in it, then by the relay's
    options; each in all subnets of the link.
    """
    cdef const LeaseOp* op = &slot.op
    if op.hw_address.length == 6 and are_reserved(client, BY_HARDWARE) and reserved_for(
            client, hardware_identity(state, op, client)):
        return
    if op.client_id.data != NULL and are_reserved(client, BY_CLIENT_ID) and reserved_for(client, identity_hash(
            state.hash_key, BY_CLIENT_ID, 0, &op.client_id)):
        return
    if op.client_id.length > DUID_AT and are_reserved(client, BY_DUID) and find_by_duid(state, op, client):
        return
    if op.circuit_id.data != NULL and are_reserved(client, BY_CIRCUIT) and reserved_for(client, identity_hash(
            state.hash_key, BY_CIRCUIT, 0, &op.circuit_id)):
        return
    if have_kinds(client, 1 << BY_REMOTE_ID | 1 << BY_SUBSCRIBER_ID) and find_subscriber(
            state, &state.packet, client):
        return
    if (state.packet.ciaddr and not state.packet.giaddr
            and have_kinds(client, 1 << BY_LINE_ADDRESS | 1 << BY_LINE_ALONE) and op.circuit_id.data == NULL
            and op.remote_id.data == NULL and state.packet.subscriber_id.data == NULL):
        find_line(state, slot, client)


cdef inline bint have_kinds(const Client* client, uint32_t wanted) noexcept nogil:
    """Return whether a reservation on the wire is for one of these kinds of identity."""
    cdef uint32_t kinds = client.subnet.reserved_kinds
    cdef Subnet4* subnet = next_on_wire(client.subnet, client.subnet)
    while subnet != NULL:
        kinds |= subnet.reserved_kinds
        subnet = next_on_wire(subnet, client.subnet)
    return kinds & wanted != 0


cdef void find_line(State* state, Slot* slot, Client* client) noexcept nogil:
    """Find the line.

    A client that renews by unicast has no relay (RFC 3046 section 2.1). Its lease there identifies
    the line, by the address if that is a line's, else by the options stored in the row.
    """
    cdef const Packet4* packet = &state.packet
    cdef Octets circuit
    find_by_lease(state, client, packet.ciaddr)
    if client.reservation != NULL or not have_kinds(client, 1 << BY_LINE_ALONE):
        return
    recall_row(state, slot, client, True)
    circuit = Octets(packet.circuit_id.data, packet.circuit_id.length)
    if circuit.data == NULL or not reserved_for(client, identity_hash(state.hash_key, BY_CIRCUIT, 0, &circuit)):
        find_subscriber(state, packet, client)


cdef bint find_subscriber(const State* state, const Packet4* packet, Client* client) noexcept nogil:
    """Find it by remote id (RFC 3046), then by subscriber id (RFC 3993)."""
    cdef Octets remote = Octets(packet.remote_id.data, packet.remote_id.length)
    cdef Octets subscriber = Octets(packet.subscriber_id.data, packet.subscriber_id.length)
    if remote.data != NULL and reserved_for(client, identity_hash(state.hash_key, BY_REMOTE_ID, 0, &remote)):
        return True
    return subscriber.data != NULL and reserved_for(
        client, identity_hash(state.hash_key, BY_SUBSCRIBER_ID, 0, &subscriber))


cdef void find_by_lease(State* state, Client* client, uint32_t address) noexcept nogil:
    """Find it by the lease, as long as its address is a line's."""
    cdef uint32_t index = lease_at_address(state.leases, client.identity, client.subnet.tenant.no, address)
    cdef uint8_t room[4]
    cdef Octets octets
    if index == NO_LEASE or lease_at(state.leases, index).state != LEASE_ACTIVE:
        return
    store_u32(room, address)
    octets.data = room
    octets.length = sizeof(room)
    reserved_for(client, identity_hash(state.hash_key, BY_LINE_ADDRESS, 0, &octets))


cdef bint find_by_duid(const State* state, const LeaseOp* op, Client* client) noexcept nogil:
    cdef Octets duid = duid_of(op)
    return duid.data != NULL and reserved_for(client, identity_hash(state.hash_key, BY_DUID, 0, &duid))


cdef inline uint64_t hardware_identity(const State* state, const LeaseOp* op, const Client* client) noexcept nogil:
    """Return the identity as reservations have it: most often the client's own."""
    if op.key_room[0] == BY_HARDWARE and op.hw_type == ETHERNET:
        return client.identity
    return identity_hash(state.hash_key, BY_HARDWARE, ETHERNET, &op.hw_address)


cdef inline bint are_reserved(const Client* client, int kind) noexcept nogil:
    """Return whether some reservation may be for an identity of that kind."""
    return client.subnet.next_on_wire != NULL or (client.subnet.reserved_kinds >> kind) & 1


cdef bint reserved_for(Client* client, uint64_t identity) noexcept nogil:
    """Note the reservation under this identity, of the client's subnet or of one that shares its wire."""
    cdef Subnet4* subnet = client.subnet
    cdef uint32_t index
    while subnet != NULL:
        index = keymap_get(&subnet.by_identity, identity) if subnet.enabled else 0
        if index:
            client.reservation = &subnet.reservations[index - 1]
            client.reserved_in = subnet
            return True
        subnet = next_on_wire(subnet, client.subnet)
    return False


cdef void find_for_tenant(const State* state, const LeaseOp* op, Client* client) noexcept nogil:
    """Search in the same order among the reservations that apply in all of the tenant's subnets."""
    cdef const Packet4* packet = &state.packet
    cdef Octets duid = duid_of(op), subscriber = Octets(packet.subscriber_id.data, packet.subscriber_id.length)
    cdef Octets circuit = Octets(packet.circuit_id.data, packet.circuit_id.length)
    cdef Octets remote = Octets(packet.remote_id.data, packet.remote_id.length)
    if op.hw_address.length == MAC and tenant_reserves(state, client, BY_HARDWARE, ETHERNET, &op.hw_address):
        return
    if tenant_reserves(state, client, BY_CLIENT_ID, 0, &op.client_id):
        return
    if tenant_reserves(state, client, BY_DUID, 0, &duid) or tenant_reserves(state, client, BY_CIRCUIT, 0, &circuit):
        return
    if not tenant_reserves(state, client, BY_REMOTE_ID, 0, &remote):
        tenant_reserves(state, client, BY_SUBSCRIBER_ID, 0, &subscriber)


cdef bint tenant_reserves(
        const State* state, Client* client, uint8_t kind, uint8_t hw_type, const Octets* octets) noexcept nogil:
    """Note the tenant's reservation for this identity."""
    cdef const Tenant* tenant = client.subnet.tenant
    cdef uint32_t index
    if octets.data == NULL or octets.length > LONGEST or not (tenant.reserved_kinds >> kind) & 1:
        return False
    index = keymap_get(&tenant.by_identity, identity_hash(state.hash_key, kind, hw_type, octets))
    if index:
        client.reservation = &tenant.reserved[index - 1]
        client.reserved_in = NULL
    return index != 0


cdef inline Octets duid_of(const LeaseOp* op) noexcept nogil:
    """Return the DUID of a client id of type 255 (RFC 4361 section 6.1), an IAID of four octets and the client's
    DUID."""
    if op.client_id.data == NULL or op.client_id.length <= DUID_AT or op.client_id.data[0] != RFC_4361:
        return Octets(NULL, 0)
    return Octets(op.client_id.data + DUID_AT, <uint16_t>(op.client_id.length - DUID_AT))


cdef void enter_subnet(Slot* slot, Client* client, Subnet4* subnet) noexcept nogil:
    """Enter this subnet of the client's shared network, and write for it from now on."""
    client.subnet = subnet
    slot.op.subnet_no = subnet.no
    slot.op.fence = subnet.fence
