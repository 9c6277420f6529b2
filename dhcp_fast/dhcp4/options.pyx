"""Choice of which options a client gets, and from which scope (decisions: Options).

The most specific scope that has an option wins: reservation, class by priority, pool, subnet with the global ones
behind it (merged when the subnet was compiled). The scopes that concern the client are gathered once a reply; after
that an option that none of them has costs one look at a bit.
"""

from libc.stdint cimport uint16_t
from libc.string cimport memcmp, memset

from dhcp_fast.leases.pools cimport pool_covers
from dhcp_fast.plan.compiled cimport SERVER_INHERITED, Subnet4, next_class
from dhcp_fast.wire.codes cimport (
    OPT_BOOT_FILE_NAME, OPT_HOST_NAME, OPT_TFTP_SERVER_NAME, OPT_VENDOR_CLASS_IDENTIFIER, OPT_VIVCO_SUBOPTIONS,
    OPT_VIVSO_SUBOPTIONS)
from dhcp_fast.wire.cursor cimport load_u32
from dhcp_fast.wire.packet4 cimport Field, has


cdef void gather(Scopes* scopes, const Packet4* packet, const Client* client, uint32_t address) noexcept nogil:
    """Gather the scopes of a client that has, or is to have, `address`."""
    cdef int i
    cdef const Subnet4* subnet = client.subnet
    scopes.packet = packet
    scopes.hostname = NULL
    scopes.reservation = NULL
    scopes.count = 0
    memset(scopes.present, 0, sizeof(scopes.present))
    memset(&scopes.boot, 0, sizeof(Boot))
    if client.reservation != NULL:
        note_reservation(scopes, client)
    i = next_class(&client.classes, 0)
    while i >= 0:
        add(scopes, &subnet.tenant.classes[i].options)
        inherit(&scopes.boot, &subnet.tenant.classes[i].boot)
        i = next_class(&client.classes, i + 1)
    for i in range(subnet.pool_count):
        if subnet.pool_options != NULL and pool_covers(&subnet.pools[i], address):
            add(scopes, &subnet.pool_options[i])
            break
    add(scopes, &subnet.options)
    inherit(&scopes.boot, &subnet.boot)
    if scopes.boot.server_name.data != NULL:
        scopes.present[1] |= <uint64_t>1 << (OPT_TFTP_SERVER_NAME - 64)
    if scopes.boot.file.data != NULL:
        scopes.present[1] |= <uint64_t>1 << (OPT_BOOT_FILE_NAME - 64)


cdef void note_reservation(Scopes* scopes, const Client* client) noexcept nogil:
    scopes.reservation = client.reservation.options
    if client.reservation.options != NULL:
        add(scopes, client.reservation.options)
    if client.reservation.hostname.data != NULL:
        scopes.hostname = &client.reservation.hostname
        scopes.present[0] |= 1 << OPT_HOST_NAME


cdef inline void add(Scopes* scopes, const OptionSet* options) noexcept nogil:
    cdef int i
    if not options.count:
        return
    scopes.at[scopes.count] = options
    scopes.count += 1
    for i in range(4):
        scopes.present[i] |= options.present[i]


cdef inline void inherit(Boot* boot, const Boot* wider) noexcept nogil:
    """Inherit boot server and boot file from the first class that names one, else from the subnet; the address of a
    server that has a name alone too."""
    if boot.server_name.data == NULL:
        boot.server = wider.server
        boot.names_server = wider.names_server
        boot.server_name = wider.server_name
    elif boot.server == SERVER_INHERITED:
        boot.server = wider.server
    if boot.file.data == NULL:
        boot.file = wider.file


cdef Octets find_option(const Scopes* scopes, uint8_t code) noexcept nogil:
    """Return the option's value from the most specific scope that has it; `data` NULL when none has.

    A reservation's host name counts as its option 12; boot server and file are 66 and 67 where none is stored.
    """
    cdef int i
    cdef Octets value
    value.data = NULL
    value.length = 0
    if code == OPT_HOST_NAME and scopes.hostname != NULL and (
            scopes.reservation == NULL or not look(scopes.reservation, scopes.packet, code, &value)):
        return scopes.hostname[0]
    for i in range(scopes.count):
        if look(scopes.at[i], scopes.packet, code, &value):
            return value
    if code == OPT_TFTP_SERVER_NAME:
        return scopes.boot.server_name
    if code == OPT_BOOT_FILE_NAME:
        return scopes.boot.file
    return value


cdef bint look(const OptionSet* options, const Packet4* packet, uint8_t code, Octets* value) noexcept nogil:
    """Return the first that is for this client: the items are in the order of their codes."""
    cdef const CompiledOption* item = options.items
    if not (options.present[code >> 6] >> (code & 63)) & 1:
        return False
    while item.code != code:
        item += 1
    while not fits(item, packet):
        item += 1
        if item == options.items + options.count or item.code != code:
            return False
    value[0] = item.value
    return True


cdef bint is_for_client(const CompiledOption* item, const Packet4* packet) noexcept nogil:
    """Return whether the option is for the client.

    An option bound to a vendor class is for clients whose option 60 begins with it; 124 and 125 may
    be bound to an enterprise number of the client (RFC 3925 sections 3 and 4).
    """
    cdef uint16_t length = item.vendor_class.length
    if item.enterprise and item.code >= OPT_VIVCO_SUBOPTIONS:
        return (names(packet, OPT_VIVCO_SUBOPTIONS, item.enterprise)
                or names(packet, OPT_VIVSO_SUBOPTIONS, item.enterprise))
    return (has(packet, OPT_VENDOR_CLASS_IDENTIFIER)
            and packet.options[OPT_VENDOR_CLASS_IDENTIFIER].length >= length
            and memcmp(packet.options[OPT_VENDOR_CLASS_IDENTIFIER].data, item.vendor_class.data, length) == 0)


cdef bint names(const Packet4* packet, uint8_t code, uint32_t enterprise) noexcept nogil:
    """Return whether one of the option's blocks (enterprise number, length, data) is that enterprise's."""
    cdef const Field* field = &packet.options[code]
    cdef uint16_t at = 0
    if not has(packet, code):
        return False
    while at + 5 <= field.length:
        if load_u32(field.data + at) == enterprise:
            return True
        at += 5 + field.data[at + 4]
    return False
