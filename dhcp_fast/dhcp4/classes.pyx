"""Client classes of the sender of a packet (decisions: Classes)."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memcmp

from dhcp_fast.clients.class_notes cimport begin_classes, note_class
from dhcp_fast.clients.recalled cimport recalled_giaddr
from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.plan.compiled cimport add_class, in_class
from dhcp_fast.plan.conditions cimport (
    BY_KNOWN, BY_LOCALLY_ADMINISTERED, BY_MAC_PREFIX, BY_MATCH, BY_USER_CLASS, BY_VENDOR_CLASS, CRITERIA, HOLDS,
    OF_CLASS, OF_CLIENT_ID, OF_DUID, OF_GIADDR, OF_HW_TYPE, OF_INTERFACE, OF_OPTION, OF_RELAY_OPTION, Leaf, block_of,
    is_met, names_interface, suboption_of, template_part)
from dhcp_fast.wire.codes cimport (
    OPT_DHCP_AGENT_OPTIONS, OPT_DHCP_CLIENT_IDENTIFIER, OPT_USER_CLASS, OPT_VENDOR_CLASS_IDENTIFIER)
from dhcp_fast.wire.packet4 cimport Field, has

cdef enum:
    RFC_4361 = 255          # the type octet of such a client id
    DUID_AT = 5             # behind it and the IAID


cdef bint match_classes(State* state, Slot* slot, Client* client) noexcept nogil:
    """Note each class that matches; False when one of them is denied service."""
    cdef int i
    cdef const Packet4* packet = &state.packet
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


cdef Field template_value(const Packet4* packet, const Slot* slot, const Client* client,
                          const ClientClass* wanted) noexcept nogil:
    """Return what the client brings to a template; `data` NULL: nothing, or the class is none."""
    cdef Field value = Field(NULL, 0)
    if wanted.is_template:
        value = template_part(&wanted.leaves[0], value_of(packet, slot, &wanted.leaves[0]))
    return value if value.length else Field(NULL, 0)


cdef bint is_given(const Client* client, uint32_t class_no) noexcept nogil:
    """Return whether the client's reservation puts it into the class, whatever that asks for."""
    return client.reservation != NULL and client.reservation.class_no != 0 and (
        client.reservation.class_no == class_no)


cdef inline bint matches(const Packet4* packet, const Slot* slot, const Client* client,
                         const ClientClass* wanted) noexcept nogil:
    return first_failing(packet, slot, client, wanted) == CRITERIA


cdef int first_failing(const Packet4* packet, const Slot* slot, const Client* client,
                       const ClientClass* wanted) noexcept nogil:
    """Return, of all that the class asks for the first that does not hold; CRITERIA: all does. Vendor class by prefix,
    user class whole, MAC by prefix."""
    if wanted.vendor_class.length and not begins_with(packet, OPT_VENDOR_CLASS_IDENTIFIER, &wanted.vendor_class):
        return BY_VENDOR_CLASS
    if wanted.user_class.length and not has_user_class(packet, &wanted.user_class):
        return BY_USER_CLASS
    if wanted.mac_prefix.length and not (
            packet.hlen >= wanted.mac_prefix.length
            and memcmp(packet.raw + 28, wanted.mac_prefix.data, wanted.mac_prefix.length) == 0):
        return BY_MAC_PREFIX
    if wanted.locally_administered >= 0 and not (
            packet.hlen == 6 and ((packet.raw[28] >> 1) & 1) == wanted.locally_administered):
        return BY_LOCALLY_ADMINISTERED
    if wanted.known >= 0 and (client.reservation != NULL) != wanted.known:
        return BY_KNOWN
    if wanted.leaf_count and not fulfils(packet, slot, client, wanted):
        return BY_MATCH
    return CRITERIA


cdef bint begins_with(const Packet4* packet, uint8_t code, const Octets* prefix) noexcept nogil:
    return (has(packet, code) and packet.options[code].length >= prefix.length
            and memcmp(packet.options[code].data, prefix.data, prefix.length) == 0)


cdef bint has_user_class(const Packet4* packet, const Octets* name) noexcept nogil:
    """Return whether it has option 77 as RFC 3004 section 4 has it (length and data, repeated), or bare as many boot
    loaders send it."""
    cdef const Field* field = &packet.options[OPT_USER_CLASS]
    cdef uint16_t at = 0
    if not has(packet, OPT_USER_CLASS):
        return False
    if field.length == name.length and memcmp(field.data, name.data, name.length) == 0:
        return True
    while at < field.length and at + 1 + field.data[at] <= field.length:
        if field.data[at] == name.length and memcmp(field.data + at + 1, name.data, name.length) == 0:
            return True
        at += 1 + field.data[at]
    return False


# --- conditions (plan/conditions.pxd)

cdef bint fulfils(const Packet4* packet, const Slot* slot, const Client* client,
                  const ClientClass* wanted) noexcept nogil:
    cdef bint met = False
    last_leaf(packet, slot, client, wanted, &met)
    return met


cdef int last_leaf(const Packet4* packet, const Slot* slot, const Client* client,
                   const ClientClass* wanted, bint* met) noexcept nogil:
    """Return the leaf that decided whether the class's conditions are `met`."""
    cdef int last = 0, at = 0
    while at >= 0:
        last = at
        at = wanted.leaves[at].yes if holds(packet, slot, client, &wanted.leaves[at]) else wanted.leaves[at].no
    met[0] = at == HOLDS
    return last


cdef bint is_of_class(const Packet4* packet, const Slot* slot, const Client* client, const Leaf* leaf) noexcept nogil:
    """Return whether the client is of the class that the leaf names; where it asks for values, by one of them."""
    if leaf.index < 0 or not in_class(&client.classes, leaf.index):
        return False
    return leaf.value_count == 0 or is_met(
        leaf, template_value(packet, slot, client, &client.subnet.tenant.classes[leaf.index]))


cdef bint holds(const Packet4* packet, const Slot* slot, const Client* client, const Leaf* leaf) noexcept nogil:
    if leaf.subject == OF_CLASS:
        return is_of_class(packet, slot, client, leaf)
    if leaf.subject == OF_INTERFACE:
        return names_interface(leaf, slot.rx.ifindex)
    return is_met(leaf, value_of(packet, slot, leaf))


cdef Field value_of(const Packet4* packet, const Slot* slot, const Leaf* leaf) noexcept nogil:
    """Return what the test looks at; `data` NULL: the packet does not have it."""
    if leaf.subject == OF_OPTION or leaf.subject == OF_RELAY_OPTION:
        return option_value(packet, leaf)
    if leaf.subject == OF_GIADDR:
        return Field(packet.raw + 24, 4) if packet.giaddr else recalled_giaddr(slot)
    if leaf.subject == OF_HW_TYPE:
        return Field(packet.raw + 1, 1)
    if not has(packet, OPT_DHCP_CLIENT_IDENTIFIER):
        return Field(NULL, 0)
    if leaf.subject == OF_CLIENT_ID:
        return packet.options[OPT_DHCP_CLIENT_IDENTIFIER]
    if leaf.subject == OF_DUID:
        return duid_in(packet.options[OPT_DHCP_CLIENT_IDENTIFIER])
    return Field(NULL, 0)


cdef Field option_value(const Packet4* packet, const Leaf* leaf) noexcept nogil:
    cdef Field value = Field(NULL, 0)
    cdef uint8_t code = <uint8_t>OPT_DHCP_AGENT_OPTIONS if leaf.subject == OF_RELAY_OPTION else <uint8_t>leaf.code
    if leaf.family != 4 or not has(packet, code):
        return value
    value = packet.options[code]
    if leaf.subject == OF_RELAY_OPTION:
        value = suboption_of(value, leaf.code)
    if leaf.vendor >= 0 and value.data != NULL:
        value = block_of(value, <uint32_t>leaf.vendor)
    if leaf.suboption >= 0 and value.data != NULL:
        value = suboption_of(value, leaf.suboption)
    return value


cdef inline Field duid_in(Field client_id) noexcept nogil:
    """Return the DUID of RFC 4361 section 6.1: behind the type 255 and an IAID of four octets."""
    if client_id.length <= DUID_AT or client_id.data[0] != RFC_4361:
        return Field(NULL, 0)
    return Field(client_id.data + DUID_AT, <uint16_t>(client_id.length - DUID_AT))
