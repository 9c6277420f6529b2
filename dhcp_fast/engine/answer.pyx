"""What goes into a reply and where it goes (RFC 2131 tables 3 and section 4.1).

Options come in the order in which the client asked, each from the most specific scope that has it: reservation,
class by priority, pool, subnet with the global ones behind it (merged when the subnet was compiled). The protocol's own
options stand in front, so that a small reply loses the others first.
"""

from libc.stdint cimport uint16_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from dhcp_fast.alloc.leaseop cimport Octets
from dhcp_fast.alloc.pools cimport pool_covers
from dhcp_fast.engine.identify cimport in_class
from dhcp_fast.engine.plan cimport subnet_of_interface
from dhcp_fast.engine.view cimport CompiledOption, OptionSet, Subnet4
from dhcp_fast.io.datagram cimport BY_FRAME, BY_UDP
from dhcp_fast.wire.codes cimport (
    DHCPNAK, DHCPOFFER, OPT_BOOT_FILE_NAME, OPT_BROADCAST_ADDRESS,
    OPT_DHCP_CLIENT_IDENTIFIER, OPT_DHCP_LEASE_TIME, OPT_DHCP_PARAMETER_REQUEST_LIST, OPT_DHCP_REBINDING_TIME,
    OPT_DHCP_RENEWAL_TIME, OPT_DHCP_SERVER_IDENTIFIER, OPT_DOMAIN_NAME, OPT_DOMAIN_NAME_SERVERS, OPT_HOST_NAME,
    OPT_ROUTERS, OPT_SUBNET_MASK, OPT_TFTP_SERVER_NAME, OPT_VENDOR_CLASS_IDENTIFIER)
from dhcp_fast.wire.cursor cimport store_u16
from dhcp_fast.wire.packet4 cimport Packet4, has
from dhcp_fast.wire.reply4 cimport (
    Reply4, begin_reply, finish_reply, put_option, put_u32, set_addresses, set_boot_file)

cdef enum:
    SERVER_PORT = 67
    CLIENT_PORT = 68
    BROADCAST_FLAG = 0x8000
    INFINITE = 0xFFFFFFFF
    UNASKED = 6

# What a client gets that sends no parameter request list.
cdef uint8_t* USUAL = [
    OPT_SUBNET_MASK, OPT_ROUTERS, OPT_DOMAIN_NAME_SERVERS, OPT_HOST_NAME, OPT_DOMAIN_NAME, OPT_BROADCAST_ADDRESS]


# The options already in the reply.
cdef struct Sent:
    uint64_t words[4]


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
    cdef const Packet4* packet = &state.packet
    begin_reply(&reply, slot.tx.data, packet, message_type)
    memset(&sent, 0, sizeof(sent))
    set_addresses(&reply, 0 if message_type == DHCPOFFER else packet.ciaddr, address if lease_time else 0,
                  next_server(client))
    put_u32(&reply, OPT_DHCP_SERVER_IDENTIFIER, client.server_id)
    if lease_time:
        put_times(&reply, client.subnet, lease_time)
    echo_client_id(&reply, packet)
    put_requested(&reply, packet, client, address, &sent)
    put_unasked(&reply, packet, client, address, &sent)
    put_boot_file(&reply, client)
    slot.tx.length = finish_reply(&reply)


cdef void answer_nak(State* state, Slot* slot, const Client* client) noexcept nogil:
    """RFC 2131 section 4.3.2: a NAK through a relay carries the broadcast bit, as the client may have no address."""
    cdef Reply4 reply
    begin_reply(&reply, slot.tx.data, &state.packet, DHCPNAK)
    if state.packet.giaddr:
        store_u16(reply.data + 10, state.packet.flags | BROADCAST_FLAG)
    put_u32(&reply, OPT_DHCP_SERVER_IDENTIFIER, client.server_id)
    echo_client_id(&reply, &state.packet)
    slot.tx.length = finish_reply(&reply)


cdef inline void echo_client_id(Reply4* reply, const Packet4* packet) noexcept nogil:
    """RFC 6842 section 3: the client id comes back as it came."""
    if has(packet, OPT_DHCP_CLIENT_IDENTIFIER):
        put_option(reply, OPT_DHCP_CLIENT_IDENTIFIER, packet.options[OPT_DHCP_CLIENT_IDENTIFIER].data,
                   packet.options[OPT_DHCP_CLIENT_IDENTIFIER].length)


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


cdef inline bint is_protocol(uint8_t code) noexcept nogil:
    """Codes that no scope can answer: pad, END, and those that the protocol itself fills in."""
    return code == 0 or code == 255 or 50 <= code <= 59 or code == 61 or code == 82


cdef void put_requested(Reply4* reply, const Packet4* packet, const Client* client, uint32_t address,
                        Sent* sent) noexcept nogil:
    """The mask first (RFC 2132 section 3.3), then what was asked for in the order of asking."""
    cdef uint16_t i
    cdef const uint8_t* codes = USUAL
    cdef uint16_t count = UNASKED
    if has(packet, OPT_DHCP_PARAMETER_REQUEST_LIST):
        codes = packet.options[OPT_DHCP_PARAMETER_REQUEST_LIST].data
        count = packet.options[OPT_DHCP_PARAMETER_REQUEST_LIST].length
    put_scoped(reply, packet, client, address, OPT_SUBNET_MASK, sent)
    for i in range(count):
        if not is_protocol(codes[i]) and not was_sent(sent, codes[i]):
            put_scoped(reply, packet, client, address, codes[i], sent)


cdef void put_scoped(Reply4* reply, const Packet4* packet, const Client* client, uint32_t address, uint8_t code,
                     Sent* sent) noexcept nogil:
    cdef Octets value = find_option(packet, client, address, code)
    if value.data != NULL and put_option(reply, code, value.data, value.length):
        note_sent(sent, code)


cdef Octets find_option(const Packet4* packet, const Client* client, uint32_t address, uint8_t code) noexcept nogil:
    """The option's value from the most specific scope that has it; `data` NULL when none has."""
    cdef int i
    cdef Octets value
    cdef const Subnet4* subnet = client.subnet
    value.data = NULL
    if client.reservation != NULL:
        if look(&client.reservation.options, packet, code, &value):
            return value
        if code == OPT_HOST_NAME and client.reservation.hostname.data != NULL:
            return client.reservation.hostname
    for i in range(subnet.tenant.class_count):
        if in_class(&client.classes, i) and look(&subnet.tenant.classes[i].options, packet, code, &value):
            return value
    for i in range(subnet.pool_count):
        if pool_covers(&subnet.pools[i], address):
            if look(&subnet.pool_options[i], packet, code, &value):
                return value
            break
    if not look(&subnet.options, packet, code, &value):
        if code == OPT_TFTP_SERVER_NAME:
            return server_name(client)
        if code == OPT_BOOT_FILE_NAME:
            return boot_file(client)
    return value


cdef bint look(const OptionSet* options, const Packet4* packet, uint8_t code, Octets* value) noexcept nogil:
    cdef int i
    if not (options.present[code >> 6] >> (code & 63)) & 1:
        return False
    for i in range(options.count):
        if options.items[i].code == code and fits(&options.items[i], packet):
            value[0] = options.items[i].value
            return True
    return False


cdef bint fits(const CompiledOption* item, const Packet4* packet) noexcept nogil:
    """An option bound to a vendor class is for clients whose option 60 begins with it."""
    cdef uint16_t length = item.vendor_class.length
    if not length:
        return True
    return (has(packet, OPT_VENDOR_CLASS_IDENTIFIER)
            and packet.options[OPT_VENDOR_CLASS_IDENTIFIER].length >= length
            and memcmp(packet.options[OPT_VENDOR_CLASS_IDENTIFIER].data, item.vendor_class.data, length) == 0)


cdef void put_unasked(Reply4* reply, const Packet4* packet, const Client* client, uint32_t address,
                      Sent* sent) noexcept nogil:
    """Options marked always_send, whichever scope marks them; their value is still the most specific one."""
    cdef int i
    cdef const Subnet4* subnet = client.subnet
    if client.reservation != NULL:
        put_marked(reply, packet, client, address, &client.reservation.options, sent)
    for i in range(subnet.tenant.class_count):
        if in_class(&client.classes, i):
            put_marked(reply, packet, client, address, &subnet.tenant.classes[i].options, sent)
    for i in range(subnet.pool_count):
        if pool_covers(&subnet.pools[i], address):
            put_marked(reply, packet, client, address, &subnet.pool_options[i], sent)
    put_marked(reply, packet, client, address, &subnet.options, sent)


cdef void put_marked(Reply4* reply, const Packet4* packet, const Client* client, uint32_t address,
                     const OptionSet* options, Sent* sent) noexcept nogil:
    cdef int i
    for i in range(options.count):
        if options.items[i].always_send and not was_sent(sent, options.items[i].code):
            if fits(&options.items[i], packet):
                put_scoped(reply, packet, client, address, options.items[i].code, sent)


cdef uint32_t next_server(const Client* client) noexcept nogil:
    """siaddr: the first class that names a boot server, else the subnet's."""
    cdef int i
    for i in range(client.subnet.tenant.class_count):
        if in_class(&client.classes, i) and client.subnet.tenant.classes[i].next_server_name.data != NULL:
            return client.subnet.tenant.classes[i].next_server
    return client.subnet.next_server


cdef Octets server_name(const Client* client) noexcept nogil:
    cdef int i
    for i in range(client.subnet.tenant.class_count):
        if in_class(&client.classes, i) and client.subnet.tenant.classes[i].next_server_name.data != NULL:
            return client.subnet.tenant.classes[i].next_server_name
    return client.subnet.next_server_name


cdef Octets boot_file(const Client* client) noexcept nogil:
    cdef int i
    for i in range(client.subnet.tenant.class_count):
        if in_class(&client.classes, i) and client.subnet.tenant.classes[i].boot_file.data != NULL:
            return client.subnet.tenant.classes[i].boot_file
    return client.subnet.boot_file


cdef void put_boot_file(Reply4* reply, const Client* client) noexcept nogil:
    cdef Octets name = boot_file(client)
    if name.data != NULL:
        set_boot_file(reply, name.data, name.length)


cdef bint address_reply(State* state, Slot* slot, bint nak) noexcept nogil:
    """Where the reply goes, RFC 2131 section 4.1 from top to bottom. False: there is nowhere to send it."""
    cdef const Packet4* packet = &state.packet
    cdef uint32_t yiaddr
    slot.tx.way = BY_UDP
    slot.tx.socket = slot.rx.socket
    slot.tx.local = slot.rx.ours
    slot.tx.local_port = slot.rx.local_port
    slot.tx.ifindex = 0
    if packet.giaddr:
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
