"""Client classes of the sender of a message (decisions: Classes)."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memcmp

from dhcp_fast.clients.class_notes cimport begin_classes, note_class
from dhcp_fast.dhcp6.client cimport link_hop
from dhcp_fast.plan.compiled cimport add_class, in_class
from dhcp_fast.plan.conditions cimport (
    BY_KNOWN, BY_LOCALLY_ADMINISTERED, BY_MAC_PREFIX, BY_MATCH, BY_USER_CLASS, BY_VENDOR_CLASS, CRITERIA, HOLDS,
    OF_CLASS, OF_CLIENT_ID, OF_DUID, OF_GIADDR, OF_HW_TYPE, OF_INTERFACE, OF_OPTION, OF_RELAY_OPTION, Leaf, is_met,
    names_interface, template_part)
from dhcp_fast.wire.codes6 cimport OPT6_USER_CLASS, OPT6_VENDOR_CLASS
from dhcp_fast.wire.cursor cimport Cursor, cursor, remaining
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.packet6 cimport (
    ADDRESS6, has6, instances6, next_instance6, next_piece6, option6, option_in, vendor_part6)
from dhcp_fast.wire.relay6 cimport Relays6, is_well_formed_hop6

cdef enum:
    MAC = 6
    ENTERPRISE = 4          # in front of a vendor class's pieces (RFC 8415 section 21.16)


cdef bint match_classes(State* state, Slot* slot, Client6* client) noexcept nogil:
    """Note each class that matches; False when one of them is denied service."""
    cdef int i
    cdef const Packet6* packet = &state.message6.packet
    cdef const ClientClass* classes = client.subnet.tenant.classes
    if state.traced != NULL:
        begin_classes(state)
    for i in range(client.subnet.tenant.class_count):
        if is_given(client, classes[i].no) or matches(packet, slot, client, &classes[i]):
            if classes[i].is_template or state.traced != NULL:
                note_class(state, slot, &classes[i], template_value(packet, slot, client, &classes[i]))
            if classes[i].deny:
                return False
            add_class(&client.classes, i)
    slot.counted = True
    return True


cdef Field template_value(const Packet6* packet, const Slot* slot, const Client6* client,
                          const ClientClass* wanted) noexcept nogil:
    """Return what the client brings to a template; `data` NULL: nothing, or the class is none."""
    cdef Field value = Field(NULL, 0)
    if wanted.is_template:
        value = template_part(&wanted.leaves[0], value_of(packet, client, &wanted.leaves[0]))
    return value if value.length else Field(NULL, 0)


cdef bint is_given(const Client6* client, uint32_t class_no) noexcept nogil:
    """Return whether the client's reservation puts it into the class, whatever that asks for."""
    return client.reservation != NULL and client.reservation.class_no != 0 and (
        client.reservation.class_no == class_no)


cdef inline bint matches(const Packet6* packet, const Slot* slot, const Client6* client,
                         const ClientClass* wanted) noexcept nogil:
    return first_failing(packet, slot, client, wanted) == CRITERIA


cdef int first_failing(const Packet6* packet, const Slot* slot, const Client6* client,
                       const ClientClass* wanted) noexcept nogil:
    """Return, of all that the class asks for the first that does not hold; CRITERIA: all does. Vendor class by prefix,
    user class whole, MAC by prefix."""
    if wanted.vendor_class.length and not has_vendor_class(packet, &wanted.vendor_class):
        return BY_VENDOR_CLASS
    if wanted.user_class.length and not has_user_class(packet, &wanted.user_class):
        return BY_USER_CLASS
    if wanted.mac_prefix.length and not (
            client.hw_address.length >= wanted.mac_prefix.length
            and memcmp(client.hw_address.data, wanted.mac_prefix.data, wanted.mac_prefix.length) == 0):
        return BY_MAC_PREFIX
    if wanted.locally_administered >= 0 and not (
            client.hw_address.length == MAC and ((client.hw_address.data[0] >> 1) & 1) == wanted.locally_administered):
        return BY_LOCALLY_ADMINISTERED
    if wanted.known >= 0 and (client.reservation != NULL) != wanted.known:
        return BY_KNOWN
    if wanted.leaf_count and not fulfils(packet, slot, client, wanted):
        return BY_MATCH
    return CRITERIA


cdef bint has_vendor_class(const Packet6* packet, const Octets* wanted) noexcept nogil:
    """Return whether a piece of a vendor class begins so, whichever enterprise it is of (RFC 8415 section 21.16)."""
    cdef Cursor c = instances6(packet, OPT6_VENDOR_CLASS)
    cdef Field value
    while next_instance6(&c, OPT6_VENDOR_CLASS, &value):
        if has_piece(value, wanted):
            return True
    return False


cdef bint has_piece(Field vendor_class, const Octets* wanted) noexcept nogil:
    cdef Cursor pieces
    cdef Field piece
    pieces = cursor(vendor_class.data + ENTERPRISE, vendor_class.length - ENTERPRISE)
    while remaining(&pieces) and next_piece6(&pieces, &piece):
        if piece.length >= wanted.length and memcmp(piece.data, wanted.data, wanted.length) == 0:
            return True
    return False


cdef bint has_user_class(const Packet6* packet, const Octets* name) noexcept nogil:
    """Return whether one of the pieces of the user class is that one."""
    cdef Cursor c
    cdef Field piece
    if not has6(packet, OPT6_USER_CLASS):
        return False
    c = cursor(packet.options[<int>OPT6_USER_CLASS].data, packet.options[<int>OPT6_USER_CLASS].length)
    while remaining(&c) and next_piece6(&c, &piece):
        if piece.length == name.length and memcmp(piece.data, name.data, name.length) == 0:
            return True
    return False


# --- conditions (plan/conditions.pxd)

cdef bint fulfils(const Packet6* packet, const Slot* slot, const Client6* client,
                  const ClientClass* wanted) noexcept nogil:
    cdef bint met = False
    last_leaf(packet, slot, client, wanted, &met)
    return met


cdef int last_leaf(const Packet6* packet, const Slot* slot, const Client6* client,
                   const ClientClass* wanted, bint* met) noexcept nogil:
    """Return the leaf that decided whether the class's conditions are `met`."""
    cdef int last = 0, at = 0
    while at >= 0:
        last = at
        at = wanted.leaves[at].yes if holds(packet, slot, client, &wanted.leaves[at]) else wanted.leaves[at].no
    met[0] = at == HOLDS
    return last


cdef bint is_of_class(const Packet6* packet, const Slot* slot, const Client6* client, const Leaf* leaf) noexcept nogil:
    """Return whether the client is of the class that the leaf names; where it asks for values, by one of them."""
    if leaf.index < 0 or not in_class(&client.classes, leaf.index):
        return False
    return leaf.value_count == 0 or is_met(
        leaf, template_value(packet, slot, client, &client.subnet.tenant.classes[leaf.index]))


cdef bint holds(const Packet6* packet, const Slot* slot, const Client6* client, const Leaf* leaf) noexcept nogil:
    if leaf.subject == OF_CLASS:
        return is_of_class(packet, slot, client, leaf)
    if leaf.subject == OF_INTERFACE:
        return names_interface(leaf, slot.rx.ifindex)
    return is_met(leaf, value_of(packet, client, leaf))


cdef Field value_of(const Packet6* packet, const Client6* client, const Leaf* leaf) noexcept nogil:
    """Return what the test looks at; `data` NULL: the message does not have it."""
    if leaf.subject == OF_OPTION and leaf.family == 6:
        return part_of(
            option6(packet, leaf.code) if leaf.vendor < 0 or leaf.code > 255 else
            vendor_part6(packet, <uint8_t>leaf.code, <uint32_t>leaf.vendor), leaf)
    if leaf.subject == OF_RELAY_OPTION and leaf.family == 6 and client.relay != NULL:
        return part_of(said_by_relays(client.relays, leaf.code), leaf)
    if leaf.subject == OF_GIADDR and link_hop(client) >= 0:
        return Field(client.relays.hops[link_hop(client)].link_address, ADDRESS6)
    if leaf.subject == OF_HW_TYPE and client.hw_address.data != NULL:
        return Field(&client.hw_type, 1)
    if leaf.subject == OF_CLIENT_ID or leaf.subject == OF_DUID:
        return Field(client.duid.data, client.duid.length)
    return Field(NULL, 0)


cdef Field said_by_relays(const Relays6* relays, uint16_t code) noexcept nogil:
    """Return the option of the relay nearest to the client that has it."""
    cdef Field value
    cdef int at
    for at in range(relays.count - 1, -1, -1):
        value = option_in(relays.hops[at].options, code)
        if value.data != NULL and is_well_formed_hop6(code, value):
            return value
    return Field(NULL, 0)


cdef inline Field part_of(Field value, const Leaf* leaf) noexcept nogil:
    return value if leaf.suboption < 0 or value.data == NULL else option_in(value, <uint16_t>leaf.suboption)
