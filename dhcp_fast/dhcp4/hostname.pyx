"""What a client is called: its reservation's name, its option 81 (RFC 4702) or its option 12.

The name is sanitised into the slot, because the operation may outlive the packet's buffer and the configuration; it is
what the lease row bears. A client that sends option 81 is told the same name, made whole by the subnet's ddns_domain,
and by the flags who updates DNS. Nothing of this is done for a client that sends neither option.
"""

from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memchr, memcpy

from dhcp_fast.leases.lease_operation cimport FQDN_PLANNED
from dhcp_fast.plan.compiled cimport Naming
from dhcp_fast.state.naming cimport (
    Name, begin_generated, is_replaced, name_octet, put_number, qualify, read_ascii, read_labels,
    stored_flags, update_flags, write_labels)
from dhcp_fast.wire.codes cimport DHCPDISCOVER, OPT_FQDN, OPT_HOST_NAME
from dhcp_fast.wire.packet4 cimport Field, has
from dhcp_fast.wire.reply4 cimport put_option

cdef enum:
    WIRE_FORM = 4           # flag E
    NO_UPDATE = 8           # N
    HEADING = 3             # flags and two response codes
    RCODE = 255             # section 2.2: what a server sends there
    ADDRESS_TEXT = 16       # -255-255-255-255


cdef void note_host_name(const Packet4* packet, Slot* slot, const Client* client, uint32_t address) noexcept nogil:
    """The name of a client that has, or is to have, `address`, into the slot and its operation."""
    cdef Name name
    cdef bint asked = False
    name.text = slot.host_name
    name.length = 0
    name.whole = False
    slot.op.fqdn_flags = 0
    if has(packet, OPT_FQDN):
        asked = read_fqdn(&name, &packet.options[OPT_FQDN])
        if asked:
            slot.op.fqdn_flags = stored_flags(packet.options[OPT_FQDN].data[0], NO_UPDATE)
        if not asked:
            name.length = 0
        elif is_replaced(&name, &client.subnet.naming):
            generate_name(&name, &client.subnet.naming, address)
    if client.reservation != NULL and client.reservation.hostname.data != NULL:
        name.length = min(client.reservation.hostname.length, <uint16_t>255)
        memcpy(name.text, client.reservation.hostname.data, name.length)
        slot.op.fqdn_flags = FQDN_PLANNED
        name.whole = memchr(name.text, b'.', name.length) != NULL
    if not name.length and has(packet, OPT_HOST_NAME):
        read_host_name(&name, &packet.options[OPT_HOST_NAME])
    if asked and name.length and not name.whole and client.subnet.naming.ddns:
        qualify(&name, &client.subnet.naming.domain)
    slot.op.hostname.data = name.text if name.length else NULL
    slot.op.hostname.length = name.length


cdef void read_host_name(Name* name, const Field* field) noexcept nogil:
    """Option 12 (RFC 2132 section 3.14), with what is not a host name's character made '-'."""
    cdef uint16_t i, length = min(field.length, <uint16_t>255)
    while length and field.data[length - 1] == 0:      # some clients send the C string's end too
        length -= 1
    for i in range(length):
        name.text[i] = name_octet(field.data[i])
    name.length = length
    name.whole = memchr(name.text, b'.', length) != NULL


cdef bint read_fqdn(Name* name, const Field* field) noexcept nogil:
    """RFC 4702 section 2.3: the name in either encoding. False when the option is malformed: it then counts as not
    sent, since the lease does not depend on it."""
    if field.length < HEADING:
        return False
    if field.data[0] & WIRE_FORM:
        return read_labels(name, field.data + HEADING, <uint16_t>(field.length - HEADING))
    return read_ascii(name, field.data + HEADING, <uint16_t>(field.length - HEADING))


cdef void generate_name(Name* name, const Naming* naming, uint32_t address) noexcept nogil:
    cdef int shift
    begin_generated(name, naming, ADDRESS_TEXT)
    for shift in range(24, -8, -8):
        name.text[name.length] = b'-'
        name.length += 1
        put_number(name, (address >> shift) & 0xFF, 10)


# --- the answer

cdef void put_fqdn(Reply4* reply, const Packet4* packet, Slot* slot, const Client* client,
                   uint32_t address) noexcept nogil:
    """RFC 4702 section 4: option 81 in the answer to a client that sent it, and only then (section 3.1), in the
    encoding that the client used."""
    cdef uint8_t value[HEADING + 257]
    cdef uint16_t length = slot.op.hostname.length
    cdef const Field* asked = &packet.options[OPT_FQDN]
    cdef Name scratch
    scratch.text = value
    scratch.length = 0
    if not read_fqdn(&scratch, asked):
        return
    if packet.message_type == DHCPDISCOVER:     # only now is the address known that the name may be made of
        note_host_name(packet, slot, client, address)
        length = slot.op.hostname.length
    value[0] = update_flags(
        &client.subnet.naming, asked.data[0], NO_UPDATE, slot.op.fqdn_flags & FQDN_PLANNED) | asked.data[0] & WIRE_FORM
    value[1] = RCODE
    value[2] = RCODE
    if asked.data[0] & WIRE_FORM:
        length = write_labels(value + HEADING, slot.op.hostname.data, length)
    elif length:
        memcpy(value + HEADING, slot.op.hostname.data, length)
    put_option(reply, OPT_FQDN, value, <uint16_t>(HEADING + length))
