"""What a client is called: its reservation's name, its option 81 (RFC 4702) or its option 12.

The name is sanitised into the slot, because the operation may outlive the packet's buffer and the configuration; it is
what the lease row bears. A client that sends option 81 is told the same name, made whole by the subnet's ddns_domain,
and by the flags who updates DNS. Nothing of this is done for a client that sends neither option.
"""

from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memchr, memcpy

from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.plan.compiled cimport NAME_ALWAYS, NAME_WHEN_PRESENT, Naming
from dhcp_fast.wire.codes cimport DHCPDISCOVER, OPT_FQDN, OPT_HOST_NAME
from dhcp_fast.wire.packet4 cimport Field, has
from dhcp_fast.wire.reply4 cimport put_option

cdef enum:
    SERVER_UPDATES = 1      # flag S
    OVERRIDDEN = 2          # O
    WIRE_FORM = 4           # E
    NO_UPDATE = 8           # N
    HEADING = 3             # flags and two response codes
    RCODE = 255             # section 2.2: what a server sends there
    LONGEST_NAME = 253
    LONGEST_LABEL = 63
    ZERO = 48               # '0'
    ADDRESS_TEXT = 16       # -255-255-255-255

# A name in the making. `whole`: nothing is to be put behind it.
cdef struct Name:
    uint8_t* text           # HOST_NAME octets of room
    uint16_t length
    bint whole


cdef void note_host_name(const Packet4* packet, Slot* slot, const Client* client, uint32_t address) noexcept nogil:
    """The name of a client that has, or is to have, `address`, into the slot and its operation."""
    cdef Name name
    cdef bint asked = False
    name.text = slot.host_name
    name.length = 0
    name.whole = False
    if has(packet, OPT_FQDN):
        asked = read_fqdn(&name, &packet.options[OPT_FQDN])
        if not asked:
            name.length = 0
        elif client.subnet.naming.ddns:
            replace_name(&name, &client.subnet.naming, address)
    if client.reservation != NULL and client.reservation.hostname.data != NULL:
        name.length = min(client.reservation.hostname.length, <uint16_t>255)
        memcpy(name.text, client.reservation.hostname.data, name.length)
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


cdef inline uint8_t name_octet(uint8_t c) noexcept nogil:
    if b'a' <= c <= b'z' or b'A' <= c <= b'Z' or b'0' <= c <= b'9' or c == b'-' or c == b'.' or c == b'_':
        return c
    return b'-'


cdef bint read_fqdn(Name* name, const Field* field) noexcept nogil:
    """RFC 4702 section 2.3: the name in either encoding. False when the option is malformed: it then counts as not
    sent, since the lease does not depend on it."""
    if field.length < HEADING:
        return False
    if field.data[0] & WIRE_FORM:
        return read_labels(name, field.data + HEADING, <uint16_t>(field.length - HEADING))
    return read_ascii(name, field.data + HEADING, <uint16_t>(field.length - HEADING))


cdef bint read_ascii(Name* name, const uint8_t* text, uint16_t length) noexcept nogil:
    """Section 2.3.2, the old encoding. A name with a dot in it is taken as whole: clients leave out the last one."""
    cdef uint16_t i
    while length and (text[length - 1] == 0 or text[length - 1] == b'.'):
        length -= 1
    if length > LONGEST_NAME or length and not are_labels(text, length):
        return False
    for i in range(length):
        name.text[i] = name_octet(text[i])
    name.length = length
    name.whole = length and memchr(text, b'.', length) != NULL
    return True


cdef bint are_labels(const uint8_t* text, uint16_t length) noexcept nogil:
    """Whether no part between dots is empty or too long for DNS."""
    cdef uint16_t i, size = 0
    for i in range(length):
        if text[i] != b'.':
            size += 1
            if size > LONGEST_LABEL:
                return False
        elif not size:
            return False
        else:
            size = 0
    return size > 0


cdef bint read_labels(Name* name, const uint8_t* wire, uint16_t length) noexcept nogil:
    """Section 2.3.1, canonical wire format without compression; a name without the root label is partial."""
    cdef uint16_t at = 0, i, size
    cdef bint rooted = False
    while at < length and not rooted:
        size = wire[at]
        at += 1
        if size == 0:
            rooted = True
            continue
        if size > LONGEST_LABEL or at + size > length or name.length + size + (name.length > 0) > LONGEST_NAME:
            return False
        if name.length:
            name.text[name.length] = b'.'
            name.length += 1
        for i in range(size):
            name.text[name.length + i] = b'-' if wire[at + i] == b'.' else name_octet(wire[at + i])
        name.length += size
        at += size
    name.whole = rooted and memchr(name.text, b'.', name.length) != NULL
    return at == length


cdef void replace_name(Name* name, const Naming* naming, uint32_t address) noexcept nogil:
    """ddns_replace_client_name; a client that sends an empty name leaves it to the server in any case (section 3.1)."""
    cdef int shift
    if name.length and naming.replace != NAME_ALWAYS and naming.replace != NAME_WHEN_PRESENT:
        return
    name.whole = False
    name.length = min(naming.prefix.length, <uint16_t>(LONGEST_LABEL - ADDRESS_TEXT))
    if name.length:
        memcpy(name.text, naming.prefix.data, name.length)
    for shift in range(24, -8, -8):
        name.text[name.length] = b'-'
        name.length += 1
        put_decimal(name, (address >> shift) & 0xFF)


cdef void put_decimal(Name* name, uint32_t number) noexcept nogil:
    if number >= 10:
        put_decimal(name, number // 10)
    name.text[name.length] = <uint8_t>(ZERO + number % 10)
    name.length += 1


cdef void qualify(Name* name, const Octets* domain) noexcept nogil:
    """Put the subnet's domain behind a partial name, where there is one and it fits."""
    if not domain.length or name.length + 1 + domain.length > LONGEST_NAME:
        return
    name.text[name.length] = b'.'
    memcpy(name.text + name.length + 1, domain.data, domain.length)
    name.length += 1 + domain.length


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
    value[0] = update_flags(&client.subnet.naming, asked.data[0])
    value[1] = RCODE
    value[2] = RCODE
    if asked.data[0] & WIRE_FORM:
        length = write_labels(value + HEADING, slot.op.hostname.data, length)
    elif length:
        memcpy(value + HEADING, slot.op.hostname.data, length)
    put_option(reply, OPT_FQDN, value, <uint16_t>(HEADING + length))


cdef uint8_t update_flags(const Naming* naming, uint8_t asked) noexcept nogil:
    """Sections 2.1 and 4: S as the server will do, N where it does nothing at all, O where S is not what the client
    asked for, E as it came. A client that sets N means it, S beside it notwithstanding."""
    cdef uint8_t wanted = 0 if asked & NO_UPDATE else asked & SERVER_UPDATES
    cdef uint8_t given = wanted
    cdef uint8_t flags = asked & WIRE_FORM
    if not naming.ddns:
        given = 0
        flags |= NO_UPDATE
    elif asked & NO_UPDATE:
        given = SERVER_UPDATES if naming.override_no_update else 0
        flags |= 0 if given else NO_UPDATE
    elif naming.override_client_update:
        given = SERVER_UPDATES
    return flags | given | (OVERRIDDEN if given != wanted else 0)


cdef uint16_t write_labels(uint8_t* wire, const uint8_t* text, uint16_t length) noexcept nogil:
    """The name as DNS writes it; a name of one label is partial and has no root label. Its length on the wire.

    A stored host name that DNS could not hold (a reservation's may be anything) is left out.
    """
    cdef uint16_t i, start = 0
    if not length or length > LONGEST_NAME or not are_labels(text, length):
        return 0
    memcpy(wire + 1, text, length)
    for i in range(length + 1):
        if i == length or text[i] == b'.':
            wire[start] = <uint8_t>(i - start)
            start = i + 1
    if memchr(text, b'.', length) == NULL:
        return length + 1
    wire[length + 1] = 0
    return length + 2
