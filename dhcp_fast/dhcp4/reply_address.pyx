"""Choice of where a reply goes, by the state of its client, the broadcast flag and the packet's source (RFC 2131
section 4.1; decisions: Reply address). docs/reference/reply-address.md has the whole table."""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy

from dhcp_fast.dhcp4.server_id cimport is_unicast
from dhcp_fast.net.datagram cimport BY_FRAME, BY_UDP
from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.plan.subnets cimport local_subnet_of, subnet_of_interface
from dhcp_fast.wire.codes cimport DHCPDISCOVER, DHCPREQUEST, OPT_DHCP_SERVER_IDENTIFIER
from dhcp_fast.wire.cursor cimport load_u16, load_u32
from dhcp_fast.wire.packet4 cimport Packet4, has

cdef enum:
    SERVER_PORT = 67
    CLIENT_PORT = 68
    BROADCAST_FLAG = 0x8000

cdef uint32_t EVERYBODY = 0xFFFFFFFF        # 255.255.255.255


cdef bint address_reply(State* state, Slot* slot, bint nak) noexcept nogil:
    """Return the way to the relay, else to the address that the client has, else to its hardware address or to
    everybody on its link (RFC 2131 section 4.1). False: there is nowhere to send it."""
    cdef uint32_t address
    slot.tx.way = BY_UDP
    slot.tx.socket = slot.rx.socket
    slot.tx.local_port = slot.rx.local_port
    slot.tx.ifindex = slot.tx.relay_ifindex = 0
    if state.packet.giaddr:
        address_relay(slot, &state.packet)
        return True
    slot.tx.port = CLIENT_PORT
    address = address_of_client(&state.packet, slot)
    # A NAK to a client on a link is for everybody there. Through routers no broadcast would reach it.
    if not address or nak and subnet_of_interface(state.plan, slot.rx.ifindex) != NULL:
        return address_on_link(slot, &state.packet, nak)
    slot.tx.peer = address
    if is_on_link(state, slot, address):
        slot.tx.ifindex = slot.rx.ifindex
    return True


cdef inline void address_relay(Slot* slot, const Packet4* packet) noexcept nogil:
    slot.tx.peer = packet.giaddr
    slot.tx.port = slot.rx.port if packet.relay_port else SERVER_PORT       # RFC 8357 section 5.2
    if slot.rx.peer == packet.giaddr:       # else the way back may be another
        slot.tx.relay_ifindex = slot.rx.ifindex


cdef uint32_t address_of_client(const Packet4* packet, const Slot* slot) noexcept nogil:
    """Return where a client with an address is reached; 0: it sends from none, or its state has none. In SELECTING
    ciaddr is to be 0 (table 5): it counts where the client sends from it."""
    if not slot.rx.peer or packet.message_type == DHCPDISCOVER or not is_unicast(packet.ciaddr):
        return 0
    if packet.message_type == DHCPREQUEST and has(packet, OPT_DHCP_SERVER_IDENTIFIER):
        return packet.ciaddr if packet.ciaddr == slot.rx.peer else 0
    return packet.ciaddr


cdef bint is_on_link(const State* state, const Slot* slot, uint32_t address) noexcept nogil:
    """Return whether the address is of a subnet on the link where the packet came in: its client is there, whatever
    other interface leads to a network with the same addresses."""
    cdef const Subnet4* subnet = NULL
    if state.plan.local_count:
        subnet = local_subnet_of(state.plan, slot.rx.ifindex, address)
    return subnet != NULL and subnet.network <= address <= subnet.last


cdef bint address_on_link(Slot* slot, const Packet4* packet, bint nak) noexcept nogil:
    """Return a frame to the hardware address where the client takes one, else to everybody."""
    cdef uint32_t address = read_yiaddr(slot)
    slot.tx.ifindex = slot.rx.ifindex
    slot.tx.peer = EVERYBODY
    if not address:
        address = packet.ciaddr     # of an INFORM
    if nak or packet.flags & BROADCAST_FLAG or not has_station(packet) or not is_unicast(address):
        return slot.rx.ifindex != 0
    slot.tx.way = BY_FRAME
    slot.tx.peer = address
    memcpy(slot.tx.mac, packet.raw + 28, 6)
    return True


cdef inline bint has_station(const Packet4* packet) noexcept nogil:
    """Return whether a frame can be sent to chaddr: an Ethernet address of one station."""
    cdef const uint8_t* mac = packet.raw + 28
    return (packet.htype == 1 and packet.hlen == 6 and not mac[0] & 1
            and (load_u16(mac) | load_u32(mac + 2)) != 0)


cdef inline uint32_t read_yiaddr(const Slot* slot) noexcept nogil:
    return load_u32(slot.reply + 16)
