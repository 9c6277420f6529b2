"""What goes into a reply and where it goes (RFC 2131 tables 3 and section 4.1).

Options come in the order in which the client asked, each from the most specific scope that has it (options.pyx). The
protocol's own options stand in front, so that a small reply loses the others first.
"""

from libc.stdint cimport uint16_t, uint64_t
from libc.string cimport memcmp, memcpy

from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.dhcp4.hostname cimport put_fqdn
from dhcp_fast.plan.subnets cimport subnet_of_interface
from dhcp_fast.dhcp4.options cimport Scopes, find_option, fits, gather
from dhcp_fast.plan.compiled cimport OptionSet, Subnet4
from dhcp_fast.net.datagram cimport BY_FRAME, BY_UDP
from dhcp_fast.wire.codes cimport (
    DHCPACK, DHCPDISCOVER, DHCPNAK, DHCPOFFER, OPT_BOOT_FILE_NAME, OPT_BROADCAST_ADDRESS, OPT_DHCP_CLIENT_IDENTIFIER,
    OPT_DHCP_LEASE_TIME, OPT_DHCP_PARAMETER_REQUEST_LIST, OPT_DHCP_REBINDING_TIME, OPT_DHCP_RENEWAL_TIME,
    OPT_DHCP_SERVER_IDENTIFIER, OPT_DOMAIN_NAME, OPT_DOMAIN_NAME_SERVERS, OPT_FQDN, OPT_HOST_NAME, OPT_RAPID_COMMIT,
    OPT_ROUTERS, OPT_SUBNET_MASK, OPT_SUBNET_SELECTION, OPT_UUID_GUID, OPT_VENDOR_CLASS_IDENTIFIER,
    OPT_VIRTUAL_SUBNET_SELECTION)
from dhcp_fast.wire.cursor cimport store_u16
from dhcp_fast.wire.packet4 cimport BOOTP, Field, Packet4, has
from dhcp_fast.wire.reply4 cimport (
    Reply4, begin_reply, finish_reply, put_option, put_u32, reserve_relay_information, set_addresses, set_boot_file,
    set_server_name)

cdef enum:
    SERVER_PORT = 67
    CLIENT_PORT = 68
    BROADCAST_FLAG = 0x8000
    INFINITE = 0xFFFFFFFF
    UNASKED = 6

# What a client gets that sends no parameter request list.
cdef uint8_t* USUAL = [
    OPT_SUBNET_MASK, OPT_ROUTERS, OPT_DOMAIN_NAME_SERVERS, OPT_HOST_NAME, OPT_DOMAIN_NAME, OPT_BROADCAST_ADDRESS]


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

cdef uint64_t ECHOED = <uint64_t>1 << 33 | <uint64_t>1 << 54       # 97 and 118, in the second word


cdef inline bint was_sent(const Sent* sent, uint8_t code) noexcept nogil:
    return (sent.words[code >> 6] >> (code & 63)) & 1


cdef inline void note_sent(Sent* sent, uint8_t code) noexcept nogil:
    sent.words[code >> 6] |= <uint64_t>1 << (code & 63)


cdef void answer(State* state, Slot* slot, const Client* client, uint8_t message_type, uint32_t address,
                 uint32_t lease_time) noexcept nogil:
    """An OFFER or ACK for `address` into the slot's reply; without `lease_time` an ACK to the INFORM of a client that
    has it (its pool's options count)."""
    cdef Reply4 reply
    cdef Sent sent
    cdef Scopes scopes
    cdef const Packet4* packet = &state.packet
    gather(&scopes, packet, client, address)
    begin_reply(&reply, slot.tx.data, packet, message_type)
    sent = NOT_FROM_SCOPES
    set_addresses(&reply, 0 if message_type == DHCPOFFER else packet.ciaddr, address if lease_time else 0,
                  scopes.boot.server)
    if scopes.boot.names_server:
        set_server_name(&reply, scopes.boot.server_name.data, scopes.boot.server_name.length)
    if message_type != BOOTP:       # RFC 1534 section 2: no option that is DHCP's own
        put_protocol(&reply, packet, client, message_type, lease_time)
    reserve_relay_information(&reply, packet)
    if packet.used_network.data != NULL and has(packet, OPT_VIRTUAL_SUBNET_SELECTION):
        put_field(&reply, OPT_VIRTUAL_SUBNET_SELECTION, &packet.used_network)       # RFC 6607 section 7.1
    put_requested(&reply, packet, &scopes, &sent)
    if has(packet, OPT_FQDN) and lease_time:
        put_fqdn(&reply, state, slot, client, address)
    put_unasked(&reply, &scopes, &sent)
    if scopes.boot.file.data != NULL:
        put_boot_file(&reply, packet, &scopes.boot.file, &sent)
    slot.tx.length = finish_reply(&reply)


cdef void put_protocol(Reply4* reply, const Packet4* packet, const Client* client, uint8_t message_type,
                       uint32_t lease_time) noexcept nogil:
    """What the protocol itself says, before the options of the plan."""
    put_u32(reply, OPT_DHCP_SERVER_IDENTIFIER, client.server_id)
    if lease_time:
        put_times(reply, client.subnet, lease_time)
    if message_type == DHCPACK and packet.message_type == DHCPDISCOVER:
        put_option(reply, OPT_RAPID_COMMIT, NULL, 0)        # RFC 4039 section 3.1
    echo_client_id(reply, packet)
    if packet.present[1] & ECHOED:
        put_echoes(reply, packet)


cdef void answer_nak(State* state, Slot* slot, const Client* client) noexcept nogil:
    """RFC 2131 section 4.3.2: a NAK through a relay carries the broadcast bit, as the client may have no address."""
    cdef Reply4 reply
    begin_reply(&reply, slot.tx.data, &state.packet, DHCPNAK)
    if state.packet.giaddr:
        store_u16(reply.data + 10, state.packet.flags | BROADCAST_FLAG)
    put_u32(&reply, OPT_DHCP_SERVER_IDENTIFIER, client.server_id)
    echo_client_id(&reply, &state.packet)
    reserve_relay_information(&reply, &state.packet)
    slot.tx.length = finish_reply(&reply)


cdef inline void echo_client_id(Reply4* reply, const Packet4* packet) noexcept nogil:
    """RFC 6842 section 3: the client id comes back as it came."""
    if has(packet, OPT_DHCP_CLIENT_IDENTIFIER):
        put_field(reply, OPT_DHCP_CLIENT_IDENTIFIER, &packet.options[OPT_DHCP_CLIENT_IDENTIFIER])


cdef void put_echoes(Reply4* reply, const Packet4* packet) noexcept nogil:
    """What comes back because it came: subnet selection (RFC 3011 section 2, whatever chose the subnet) and the
    machine's identifier (RFC 4578 section 2.3)."""
    if has(packet, OPT_SUBNET_SELECTION):
        put_field(reply, OPT_SUBNET_SELECTION, &packet.options[OPT_SUBNET_SELECTION])
    if has(packet, OPT_UUID_GUID):
        put_field(reply, OPT_UUID_GUID, &packet.options[OPT_UUID_GUID])


cdef inline void put_field(Reply4* reply, uint8_t code, const Field* field) noexcept nogil:
    put_option(reply, code, field.data, field.length)


cdef void put_times(Reply4* reply, const Subnet4* subnet, uint32_t lease_time) noexcept nogil:
    """Lease time, T1 and T2 (RFC 2131 section 4.4.5): half and seven eighths unless the subnet says otherwise.

    T1 must be earlier than T2, and T2 than the end of the lease; one of a second or two has no room for them.
    """
    cdef uint32_t t1, t2
    put_u32(reply, OPT_DHCP_LEASE_TIME, lease_time)
    if lease_time == INFINITE or lease_time < 3:
        return
    t1 = lease_time // 2
    t2 = lease_time - (lease_time + 7) // 8
    if 0 <= subnet.rebind_time < lease_time:
        t2 = <uint32_t>subnet.rebind_time
    if 0 <= subnet.renew_time < lease_time:
        t1 = <uint32_t>subnet.renew_time
    t2 = max(t2, <uint32_t>2)
    put_u32(reply, OPT_DHCP_RENEWAL_TIME, min(t1, t2 - 1))
    put_u32(reply, OPT_DHCP_REBINDING_TIME, t2)


cdef void put_requested(Reply4* reply, const Packet4* packet, const Scopes* scopes, Sent* sent) noexcept nogil:
    """The mask first (RFC 2132 section 3.3), then what was asked for in the order of asking."""
    cdef uint16_t i
    cdef const uint8_t* codes = USUAL
    cdef uint16_t count = UNASKED
    if has(packet, OPT_DHCP_PARAMETER_REQUEST_LIST):
        codes = packet.options[OPT_DHCP_PARAMETER_REQUEST_LIST].data
        count = packet.options[OPT_DHCP_PARAMETER_REQUEST_LIST].length
    put_scoped(reply, scopes, OPT_SUBNET_MASK, sent)
    for i in range(count):
        if not was_sent(sent, codes[i]):
            put_scoped(reply, scopes, codes[i], sent)


cdef void put_scoped(Reply4* reply, const Scopes* scopes, uint8_t code, Sent* sent) noexcept nogil:
    cdef Octets value = find_option(scopes, code)
    if value.data != NULL and put_option(reply, code, value.data, value.length):
        note_sent(sent, code)


cdef void put_unasked(Reply4* reply, const Scopes* scopes, Sent* sent) noexcept nogil:
    """Options marked always_send, whichever scope marks them; their value is still the most specific one."""
    cdef int i
    for i in range(scopes.count):
        if scopes.at[i].marked:
            put_marked(reply, scopes, scopes.at[i], sent)


cdef void put_marked(Reply4* reply, const Scopes* scopes, const OptionSet* options, Sent* sent) noexcept nogil:
    cdef int i
    for i in range(options.count):
        if options.items[i].always_send and not was_sent(sent, options.items[i].code):
            if fits(&options.items[i], scopes.packet):
                put_scoped(reply, scopes, options.items[i].code, sent)


cdef void put_boot_file(Reply4* reply, const Packet4* packet, const Octets* name, const Sent* sent) noexcept nogil:
    """The header's `file`, or option 67 where the name is too long for it (RFC 2132 section 9.5).

    Firmware that boots by HTTP takes no answer without "HTTPClient" in option 60 (UEFI 2.10 section 24.7.3.1). It is
    said where the boot file is one that it can fetch; a PXE client gets an option 60 only if one is stored, since it
    would then look for a boot server.
    """
    if not set_boot_file(reply, name.data, name.length) and not was_sent(sent, OPT_BOOT_FILE_NAME):
        put_option(reply, OPT_BOOT_FILE_NAME, name.data, name.length)
    if begins(name.data, name.length, b"http", 4) and not was_sent(sent, OPT_VENDOR_CLASS_IDENTIFIER):
        if has(packet, OPT_VENDOR_CLASS_IDENTIFIER) and begins(
                packet.options[OPT_VENDOR_CLASS_IDENTIFIER].data,
                packet.options[OPT_VENDOR_CLASS_IDENTIFIER].length, HTTP_CLIENT, 10):
            put_option(reply, OPT_VENDOR_CLASS_IDENTIFIER, <const uint8_t*>HTTP_CLIENT, 10)


cdef inline bint begins(const uint8_t* text, uint16_t length, const char* with_this, uint16_t size) noexcept nogil:
    return length >= size and memcmp(text, with_this, size) == 0


cdef bint address_reply(State* state, Slot* slot, bint nak) noexcept nogil:
    """Where the reply goes, RFC 2131 section 4.1 from top to bottom. False: there is nowhere to send it."""
    cdef const Packet4* packet = &state.packet
    cdef uint32_t yiaddr
    slot.tx.way = BY_UDP
    slot.tx.socket = slot.rx.socket
    slot.tx.local = slot.rx.ours
    slot.tx.local_port = slot.rx.local_port
    slot.tx.ifindex = slot.tx.relay_ifindex = 0
    if packet.giaddr:
        if slot.rx.peer == packet.giaddr:      # else the way back may be another
            slot.tx.relay_ifindex = slot.rx.ifindex
        slot.tx.peer = packet.giaddr
        slot.tx.port = slot.rx.port if packet.relay_port else SERVER_PORT      # RFC 8357 section 5.2
        return True
    slot.tx.port = CLIENT_PORT
    if packet.ciaddr and not (nak and subnet_of_interface(state.plan, slot.rx.ifindex) != NULL):
        slot.tx.peer = packet.ciaddr    # a NAK too, where the client came through routers and no broadcast reaches it
        return True
    slot.tx.ifindex = slot.rx.ifindex
    slot.tx.peer = INFINITE                                             # 255.255.255.255
    yiaddr = read_yiaddr(slot)
    if nak or packet.flags & BROADCAST_FLAG or packet.htype != 1 or packet.hlen != 6 or not yiaddr:
        return slot.rx.ifindex != 0
    slot.tx.way = BY_FRAME
    slot.tx.peer = yiaddr
    memcpy(slot.tx.mac, packet.raw + 28, 6)
    return True


cdef inline uint32_t read_yiaddr(const Slot* slot) noexcept nogil:
    return ((<uint32_t>slot.reply[16] << 24) | (<uint32_t>slot.reply[17] << 16) | (<uint32_t>slot.reply[18] << 8)
            | slot.reply[19])
