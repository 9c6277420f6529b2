"""Contents of a reply (RFC 2131 table 3); reply_address.pyx has its destination.

Options come in the order in which the client asked, each from the most specific scope that has it
(options.pyx). The protocol's own options come first. If not all fit, the options that a client
cannot work without are put first (decisions: Options without room).
"""

from libc.stdint cimport uint16_t, uint64_t
from libc.string cimport memchr, memcmp

from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.dhcp4.hostname cimport put_fqdn
from dhcp_fast.dhcp4.server_id cimport sign
from dhcp_fast.dhcp4.options cimport Scopes, find_option, fits, gather, is_known
from dhcp_fast.plan.compiled cimport Boot, OptionSet, Subnet4
from dhcp_fast.wire.codes cimport (
    DHCPACK, DHCPDISCOVER, DHCPNAK, OPT_BOOT_FILE_NAME, OPT_BROADCAST_ADDRESS,
    OPT_CLASSLESS_STATIC_ROUTE, OPT_DHCP_CLIENT_IDENTIFIER, OPT_DHCP_LEASE_TIME, OPT_DHCP_PARAMETER_REQUEST_LIST,
    OPT_DHCP_REBINDING_TIME, OPT_DHCP_RENEWAL_TIME, OPT_DHCP_SERVER_IDENTIFIER, OPT_DOMAIN_NAME,
    OPT_DOMAIN_NAME_SERVERS, OPT_FQDN, OPT_HOST_NAME, OPT_MS_CLASSLESS_STATIC_ROUTES,
    OPT_RAPID_COMMIT, OPT_ROUTERS, OPT_SUBNET_MASK, OPT_SUBNET_SELECTION, OPT_TFTP_SERVER_NAME, OPT_UUID_GUID,
    OPT_VENDOR_CLASS_IDENTIFIER, OPT_VIRTUAL_SUBNET_SELECTION, only_answers)
from dhcp_fast.state.state cimport note_without_room
from dhcp_fast.wire.cursor cimport load_u32, store_u16
from dhcp_fast.wire.packet4 cimport BOOTP, Field, Packet4, has
from dhcp_fast.wire.reply4 cimport (
    LONGEST_FILE, LONGEST_SNAME, Reply4, allow_overload, begin_reply, finish_reply, put_option, put_u32,
    reserve_relay_information, rewind, set_addresses, set_boot_file, set_server_name)

cdef enum:
    BROADCAST_FLAG = 0x8000
    INFINITE = 0xFFFFFFFF
    UNASKED = 6
    HTTP_CLIENT_LENGTH = 10
    IMPORTANT = 8

# Options for a client without a parameter request list.
cdef uint8_t* USUAL = [
    OPT_SUBNET_MASK, OPT_ROUTERS, OPT_DOMAIN_NAME_SERVERS, OPT_HOST_NAME, OPT_DOMAIN_NAME, OPT_BROADCAST_ADDRESS]

# Options that a client cannot work without, in the order of its request; the mask precedes them
# anyway.
cdef uint8_t* IMPORTANT_CODES = [
    OPT_ROUTERS, OPT_CLASSLESS_STATIC_ROUTE, OPT_MS_CLASSLESS_STATIC_ROUTES, OPT_DOMAIN_NAME_SERVERS,
    OPT_BOOT_FILE_NAME, OPT_TFTP_SERVER_NAME, OPT_VENDOR_CLASS_IDENTIFIER, OPT_DOMAIN_NAME]


cdef const char* HTTP_CLIENT = b"HTTPClient"


# The options already in the reply.
cdef struct Sent:
    uint64_t words[4]

# From the start: pad, END, what the protocol fills in itself (50 to 55, 57 to 59, 61, 82), and what only answers or
# repeats what the client said (80, 81, 97, 118, 221).
cdef Sent NOT_FROM_SCOPES
NOT_FROM_SCOPES.words = [
    1 | <uint64_t>0x3F << 50 | <uint64_t>7 << 57 | <uint64_t>1 << 61,
    1 << 16 | 1 << 17 | 1 << 18 | <uint64_t>1 << 33 | <uint64_t>1 << 54,
    0,
    1 << 29 | <uint64_t>1 << 63]

# Codes of `only_answers`.
cdef Sent ONLY_ANSWERS

cdef uint64_t ECHOED = <uint64_t>1 << 33 | <uint64_t>1 << 54       # 97 and 118, in the second word


cdef inline bint was_sent(const Sent* sent, uint8_t code) noexcept nogil:
    return (sent.words[code >> 6] >> (code & 63)) & 1


cdef inline void note_sent(Sent* sent, uint8_t code) noexcept nogil:
    sent.words[code >> 6] |= <uint64_t>1 << (code & 63)


cdef void note_answers() noexcept nogil:
    cdef int code
    for code in range(256):
        if only_answers(<uint8_t>code):
            note_sent(&ONLY_ANSWERS, <uint8_t>code)


note_answers()


cdef inline void begin_sent(Sent* sent, const Packet4* packet) noexcept nogil:
    """Begin with options that must not be sent as sent already."""
    cdef int i
    for i in range(4):
        sent.words[i] = NOT_FROM_SCOPES.words[i] | ONLY_ANSWERS.words[i] & ~packet.present[i]


cdef void answer(State* state, Slot* slot, const Client* client, uint8_t message_type, uint32_t address,
                 uint32_t lease_time) noexcept nogil:
    """Write an OFFER or ACK for `address` into the slot's reply; without `lease_time` an ACK to the INFORM of a client
    that has it (its pool's options count)."""
    cdef Reply4 reply
    cdef Scopes scopes
    cdef uint16_t begun
    cdef const Packet4* packet = &state.packet
    cdef uint32_t server_id = sign(state, slot, client)
    gather(&scopes, packet, client, address)
    begin_reply(&reply, slot.tx.data, packet, message_type)
    set_addresses(&reply, 0 if packet.message_type == DHCPDISCOVER else load_u32(packet.raw + 12),
                  address if lease_time else 0, scopes.boot.server)
    if message_type != BOOTP:       # RFC 1534 section 2: no option that is DHCP's own
        put_protocol(&reply, packet, client, server_id, message_type, lease_time)
    reserve_relay_information(&reply, packet)
    if packet.used_network.data != NULL and has(packet, OPT_VIRTUAL_SUBNET_SELECTION):
        put_field(&reply, OPT_VIRTUAL_SUBNET_SELECTION, &packet.used_network)       # RFC 6607 section 7.1
    if reply.incomplete:
        note_left_out(state, slot, &reply, address)
    set_boot_texts(&reply, &scopes.boot, message_type)
    begun = reply.used
    put_planned(&reply, state, slot, client, &scopes, address, lease_time, False)
    if reply.incomplete:
        rewind(&reply, begun)
        put_planned(&reply, state, slot, client, &scopes, address, lease_time, True)
        if reply.incomplete:
            note_left_out(state, slot, &reply, address)
    slot.tx.length = finish_reply(&reply)


cdef void set_boot_texts(Reply4* reply, const Boot* boot, uint8_t message_type) noexcept nogil:
    """Set the header's sname and file; the one that is free takes options. A text too long for it goes into an
    option."""
    cdef bint named = boot.names_server and set_server_name(reply, boot.server_name.data, boot.server_name.length)
    cdef bint boots = boot.file.data != NULL and set_boot_file(reply, boot.file.data, boot.file.length)
    if message_type != BOOTP:       # which knows no option 52
        allow_overload(reply, not boots, not named)


cdef void put_planned(Reply4* reply, State* state, Slot* slot, const Client* client, const Scopes* scopes,
                      uint32_t address, uint32_t lease_time, bint important_first) noexcept nogil:
    """Put the options of the plan, and the client's name."""
    cdef Sent sent
    begin_sent(&sent, scopes.packet)
    if important_first:
        put_important(reply, scopes, &sent)
    put_requested(reply, scopes, &sent)
    if has(scopes.packet, OPT_FQDN) and lease_time:
        put_fqdn(reply, state, slot, client, address)
    put_unasked(reply, scopes, &sent)
    put_boot_options(reply, scopes, &sent)


cdef void note_left_out(State* state, Slot* slot, Reply4* reply, uint32_t address) noexcept nogil:
    """Count each option that had no room."""
    cdef int code
    for code in range(256):
        state.left_out[code] += (reply.left_out[code >> 6] >> (code & 63)) & 1
    note_without_room(state, slot, address)


cdef void put_protocol(Reply4* reply, const Packet4* packet, const Client* client, uint32_t server_id,
                       uint8_t message_type, uint32_t lease_time) noexcept nogil:
    """Put the options of the protocol itself, before those of the plan."""
    put_u32(reply, OPT_DHCP_SERVER_IDENTIFIER, server_id)
    if lease_time:
        put_times(reply, client.subnet, lease_time)
    if message_type == DHCPACK and packet.message_type == DHCPDISCOVER:
        put_option(reply, OPT_RAPID_COMMIT, NULL, 0)        # RFC 4039 section 3.1
    echo_client_id(reply, packet)
    if packet.present[1] & ECHOED:
        put_echoes(reply, packet)


cdef void answer_nak(State* state, Slot* slot, const Client* client) noexcept nogil:
    """Answer with (RFC 2131 section 4.3.2) a NAK through a relay carries the broadcast bit, as the client may have no
    address."""
    cdef Reply4 reply
    begin_reply(&reply, slot.tx.data, &state.packet, DHCPNAK)
    if state.packet.giaddr:
        store_u16(reply.data + 10, state.packet.flags | BROADCAST_FLAG)
    put_u32(&reply, OPT_DHCP_SERVER_IDENTIFIER, sign(state, slot, client))
    echo_client_id(&reply, &state.packet)
    reserve_relay_information(&reply, &state.packet)
    slot.tx.length = finish_reply(&reply)


cdef inline void echo_client_id(Reply4* reply, const Packet4* packet) noexcept nogil:
    """Echo the client id as it came (RFC 6842 section 3)."""
    if has(packet, OPT_DHCP_CLIENT_IDENTIFIER):
        put_field(reply, OPT_DHCP_CLIENT_IDENTIFIER, &packet.options[OPT_DHCP_CLIENT_IDENTIFIER])


cdef void put_echoes(Reply4* reply, const Packet4* packet) noexcept nogil:
    """Put what comes back because it came: subnet selection (RFC 3011 section 2, whatever chose the subnet) and the
    machine's identifier (RFC 4578 section 2.3)."""
    if has(packet, OPT_SUBNET_SELECTION):
        put_field(reply, OPT_SUBNET_SELECTION, &packet.options[OPT_SUBNET_SELECTION])
    if has(packet, OPT_UUID_GUID):
        put_field(reply, OPT_UUID_GUID, &packet.options[OPT_UUID_GUID])


cdef inline void put_field(Reply4* reply, uint8_t code, const Field* field) noexcept nogil:
    put_option(reply, code, field.data, field.length)


cdef void put_times(Reply4* reply, const Subnet4* subnet, uint32_t lease_time) noexcept nogil:
    """Put lease time, T1 and T2 (RFC 2131 section 4.4.5): half and seven eighths unless the subnet
    sets others; infinite for an infinite lease (section 3.3).

    T1 must be earlier than T2, and T2 than the end of the lease; a lease of a second or two has no
    room for them.
    """
    cdef uint32_t t1, t2
    put_u32(reply, OPT_DHCP_LEASE_TIME, lease_time)
    if lease_time < 3:
        return
    t1 = INFINITE if lease_time == INFINITE else lease_time // 2
    t2 = INFINITE if lease_time == INFINITE else lease_time - (lease_time + 7) // 8
    if 0 <= subnet.rebind_time < lease_time:
        t2 = <uint32_t>subnet.rebind_time
    if 0 <= subnet.renew_time < lease_time:
        t1 = <uint32_t>subnet.renew_time
    t2 = max(t2, <uint32_t>2)
    put_u32(reply, OPT_DHCP_RENEWAL_TIME, t1 if t1 < t2 or t2 == INFINITE else t2 - 1)
    put_u32(reply, OPT_DHCP_REBINDING_TIME, t2)


cdef struct Wishes:
    const uint8_t* codes
    uint16_t count


cdef inline Wishes wishes_of(const Packet4* packet) noexcept nogil:
    """Return the codes that the client asks for."""
    cdef const Field* asked = &packet.options[OPT_DHCP_PARAMETER_REQUEST_LIST]
    if has(packet, OPT_DHCP_PARAMETER_REQUEST_LIST):
        return Wishes(asked.data, asked.length)
    return Wishes(USUAL, UNASKED)


cdef void put_important(Reply4* reply, const Scopes* scopes, Sent* sent) noexcept nogil:
    """Put the options among IMPORTANT_CODES that the client requests or needs for booting."""
    cdef int i
    cdef Wishes wishes = wishes_of(scopes.packet)
    put_scoped(reply, scopes, OPT_SUBNET_MASK, sent)
    for i in range(IMPORTANT):
        if memchr(wishes.codes, IMPORTANT_CODES[i], wishes.count) != NULL:
            put_scoped(reply, scopes, IMPORTANT_CODES[i], sent)
    put_boot_options(reply, scopes, sent)


cdef void put_requested(Reply4* reply, const Scopes* scopes, Sent* sent) noexcept nogil:
    """Put the mask first (RFC 2132 section 3.3), then the requested options in the order of asking."""
    cdef uint16_t i
    cdef Wishes wishes = wishes_of(scopes.packet)
    put_scoped(reply, scopes, OPT_SUBNET_MASK, sent)
    for i in range(wishes.count):
        put_scoped(reply, scopes, wishes.codes[i], sent)


cdef inline void put_scoped(Reply4* reply, const Scopes* scopes, uint8_t code, Sent* sent) noexcept nogil:
    """Put the option once; `sent` also where it had no room."""
    cdef Octets value
    if was_sent(sent, code) or not is_known(scopes, code):
        return
    value = find_option(scopes, code)
    if value.data != NULL:
        put_option(reply, code, value.data, value.length)
        note_sent(sent, code)


cdef void put_unasked(Reply4* reply, const Scopes* scopes, Sent* sent) noexcept nogil:
    """Put options marked always_send, whichever scope marks them; their value is still the most specific one."""
    cdef int i
    for i in range(scopes.count):
        if scopes.at[i].marked:
            put_marked(reply, scopes, scopes.at[i], sent)


cdef void put_marked(Reply4* reply, const Scopes* scopes, const OptionSet* options, Sent* sent) noexcept nogil:
    cdef int i
    for i in range(options.count):
        if options.items[i].always_send and fits(&options.items[i], scopes.packet):
            put_scoped(reply, scopes, <uint8_t>options.items[i].code, sent)


cdef void put_boot_options(Reply4* reply, const Scopes* scopes, Sent* sent) noexcept nogil:
    """Put options 66 and 67 where the header's fields are too short (RFC 2132 sections 9.4, 9.5), asked for or not.

    Firmware that boots by HTTP takes no answer without "HTTPClient" in option 60 (UEFI 2.10 section 24.7.3.1). It is
    said where the boot file is one that it can fetch; a PXE client gets an option 60 only if one is stored, since it
    would then look for a boot server.
    """
    cdef const Octets* name = &scopes.boot.file
    if name.length > LONGEST_FILE:
        put_scoped(reply, scopes, OPT_BOOT_FILE_NAME, sent)
    if scopes.boot.names_server and scopes.boot.server_name.length > LONGEST_SNAME:
        put_scoped(reply, scopes, OPT_TFTP_SERVER_NAME, sent)
    if name.length >= 4 and memcmp(name.data, b"http", 4) == 0 and is_http_client(scopes.packet):
        if not was_sent(sent, OPT_VENDOR_CLASS_IDENTIFIER):
            put_option(reply, OPT_VENDOR_CLASS_IDENTIFIER, <const uint8_t*>HTTP_CLIENT, HTTP_CLIENT_LENGTH)
            note_sent(sent, OPT_VENDOR_CLASS_IDENTIFIER)


cdef inline bint is_http_client(const Packet4* packet) noexcept nogil:
    cdef const Field* told = &packet.options[OPT_VENDOR_CLASS_IDENTIFIER]
    return (has(packet, OPT_VENDOR_CLASS_IDENTIFIER) and told.length >= HTTP_CLIENT_LENGTH
            and memcmp(told.data, HTTP_CLIENT, HTTP_CLIENT_LENGTH) == 0)
