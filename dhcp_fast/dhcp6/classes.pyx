"""Which client classes the sender of a message is in (decisions: Classes)."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memcmp

from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.plan.compiled cimport add_class, in_class
from dhcp_fast.plan.conditions cimport (
    HOLDS, OF_CLASS, OF_CLIENT_ID, OF_DUID, OF_GIADDR, OF_HW_TYPE, OF_INTERFACE, OF_OPTION, OF_RELAY_OPTION, Leaf,
    is_met, names_interface)
from dhcp_fast.wire.codes6 cimport OPT6_USER_CLASS, OPT6_VENDOR_CLASS
from dhcp_fast.wire.cursor cimport Cursor, cursor, remaining
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.packet6 cimport ADDRESS6, has6, next_piece6, option6, option_in, vendor_part6

cdef enum:
    MAC = 6
    ENTERPRISE = 4          # in front of a vendor class's pieces (RFC 8415 section 21.16)


cdef bint match_classes(const Packet6* packet, const Slot* slot, Client6* client) noexcept nogil:
    """Note each class that matches; False when one of them is denied service."""
    cdef int i
    cdef const ClientClass* classes = client.subnet.tenant.classes
    for i in range(client.subnet.tenant.class_count):
        if is_given(client, classes[i].no) or matches(packet, slot, client, &classes[i]):
            if classes[i].deny:
                return False
            add_class(&client.classes, i)
    return True


cdef inline bint is_given(const Client6* client, uint32_t class_no) noexcept nogil:
    """Whether the client's reservation puts it into the class, whatever that asks for."""
    return client.reservation != NULL and client.reservation.class_no != 0 and (
        client.reservation.class_no == class_no)


cdef bint matches(const Packet6* packet, const Slot* slot, const Client6* client,
                  const ClientClass* wanted) noexcept nogil:
    """All that the class asks for must hold: vendor class by prefix, user class whole, MAC by prefix."""
    if wanted.vendor_class.length and not has_piece(packet, OPT6_VENDOR_CLASS, ENTERPRISE, &wanted.vendor_class, False):
        return False
    if wanted.user_class.length and not has_piece(packet, OPT6_USER_CLASS, 0, &wanted.user_class, True):
        return False
    if wanted.mac_prefix.length and not (
            client.hw_address.length >= wanted.mac_prefix.length
            and memcmp(client.hw_address.data, wanted.mac_prefix.data, wanted.mac_prefix.length) == 0):
        return False
    if wanted.locally_administered >= 0 and not (
            client.hw_address.length == MAC and ((client.hw_address.data[0] >> 1) & 1) == wanted.locally_administered):
        return False
    if wanted.known >= 0 and (client.reservation != NULL) != wanted.known:
        return False
    return not wanted.leaf_count or fulfils(packet, slot, client, wanted)


cdef bint has_piece(const Packet6* packet, uint8_t code, uint16_t behind, const Octets* wanted,
                    bint whole) noexcept nogil:
    """Whether one of the pieces of a user class or vendor class is, or begins with, what is wanted."""
    cdef Cursor c
    cdef Field piece
    if not has6(packet, code) or packet.options[code].length < behind:
        return False
    c = cursor(packet.options[code].data + behind, packet.options[code].length - behind)
    while remaining(&c) and next_piece6(&c, &piece):
        if (piece.length == wanted.length or not whole and piece.length > wanted.length) and memcmp(
                piece.data, wanted.data, wanted.length) == 0:
            return True
    return False


# --- conditions (plan/conditions.pxd)

cdef bint fulfils(const Packet6* packet, const Slot* slot, const Client6* client,
                  const ClientClass* wanted) noexcept nogil:
    cdef int at = 0
    while at >= 0:
        at = wanted.leaves[at].yes if holds(packet, slot, client, &wanted.leaves[at]) else wanted.leaves[at].no
    return at == HOLDS


cdef bint holds(const Packet6* packet, const Slot* slot, const Client6* client, const Leaf* leaf) noexcept nogil:
    if leaf.subject == OF_CLASS:
        return leaf.index >= 0 and in_class(&client.classes, leaf.index)
    if leaf.subject == OF_INTERFACE:
        return names_interface(leaf, slot.rx.ifindex)
    return is_met(leaf, value_of(packet, client, leaf))


cdef Field value_of(const Packet6* packet, const Client6* client, const Leaf* leaf) noexcept nogil:
    """What the test looks at; `data` NULL: the message does not have it."""
    if leaf.subject == OF_OPTION and leaf.family == 6:
        return part_of(
            option6(packet, leaf.code) if leaf.vendor < 0 or leaf.code > 255 else
            vendor_part6(packet, <uint8_t>leaf.code, <uint32_t>leaf.vendor), leaf)
    if leaf.subject == OF_RELAY_OPTION and leaf.family == 6 and client.relay != NULL:
        return part_of(option_in(client.relay.options, leaf.code), leaf)
    if leaf.subject == OF_GIADDR and client.relay != NULL:
        return Field(client.relay.link_address, ADDRESS6)
    if leaf.subject == OF_HW_TYPE and client.hw_address.data != NULL:
        return Field(&client.hw_type, 1)
    if leaf.subject == OF_CLIENT_ID or leaf.subject == OF_DUID:
        return Field(client.duid.data, client.duid.length)
    return Field(NULL, 0)


cdef inline Field part_of(Field value, const Leaf* leaf) noexcept nogil:
    return value if leaf.suboption < 0 or value.data == NULL else option_in(value, <uint16_t>leaf.suboption)
