"""Record of the device in a grant, beside its identity. Leasequeries (RFC 5007), Reconfigure
messages, operators, and the classes of later messages without these options (recall.pyx) use it.

The octets point into the packet, or into its slot's spill; both last until the last of its leases is written.
"""

from libc.stdint cimport uint8_t, uint16_t

from dhcp_fast.dhcp6.client cimport MAC_ROOM
from dhcp_fast.dhcp6.kept_options cimport codes_to_keep, put_options
from dhcp_fast.leases.lease_operation cimport Device, Octets
from dhcp_fast.state.slot cimport SPILL
from dhcp_fast.wire.client_options cimport MOST_KEPT, CodeSet, has_code
from dhcp_fast.wire.codes6 cimport OPT6_ORO, OPT6_RECONF_ACCEPT, OPT6_VENDOR_CLASS
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.packet6 cimport Packet6, has6, option6
from dhcp_fast.wire.relay6 cimport Relays6, copy_relays6

cdef enum:
    LONGEST = 255               # octets of an option that are kept
    LONGEST_OF_RELAYS = 512     # relay data is stored whole or not at all


cdef void note_device(const State* state, Slot* packet, LeaseOp* op, const Tenant* tenant) noexcept nogil:
    """Note the device in an operation that grants a lease of the packet, which is the one being decided."""
    cdef const Packet6* message = &state.message6.packet
    cdef Device* device = &op.device
    op.tells_device = True
    device.accepts_reconfigure = has6(message, OPT6_RECONF_ACCEPT)
    device.relay_id = relay_id(&state.message6.relays)
    device.relay_info = relay_info(state, packet)
    device.vendor_class = device.parameter_list = device.client_options = Octets(NULL, 0)
    if state.keeps_details:
        device.parameter_list = kept(option6(message, OPT6_ORO), LONGEST - 1)
    if state.keeps_details or tenant.keeps_options6:
        note_options(message, packet, device, codes_to_keep(state, tenant))


cdef void note_options(const Packet6* message, Slot* packet, Device* device, CodeSet codes) noexcept nogil:
    """Note the first vendor class as far as it is kept, and all other options in the packet's spill behind its
    relays."""
    cdef uint8_t* room = packet.spill + packet.spill_used
    cdef uint16_t size = min(<uint16_t>MOST_KEPT, <uint16_t>(SPILL - packet.spill_used))
    if has_code(&codes, OPT6_VENDOR_CLASS):
        device.vendor_class = kept(option6(message, OPT6_VENDOR_CLASS), LONGEST)
    device.client_options.length = put_options(message, &codes, False, room, size)
    if device.client_options.length:
        device.client_options.data = room
        packet.spill_used += device.client_options.length


cdef Octets relay_id(const Relays6* relays) noexcept nogil:
    """Return the id of the nearest relay that has one (RFC 5460 section 5.4.1)."""
    cdef int at
    for at in range(relays.count - 1, -1, -1):
        if relays.hops[at].relay_id.data != NULL:
            return kept(relays.hops[at].relay_id, LONGEST)
    return Octets(NULL, 0)


cdef Octets relay_info(const State* state, Slot* packet) noexcept nogil:
    """Return what the relays said, in the form of RFC 5007 section 4.1.2.4, in the packet's spill behind the client's
    MAC."""
    cdef uint8_t* room = packet.spill + MAC_ROOM
    cdef uint16_t length = copy_relays6(
        &state.message6.relays, packet.rx.peer_hi, packet.rx.peer_lo, room, LONGEST_OF_RELAYS)
    packet.spill_used = MAC_ROOM + length
    if length == 0:
        return Octets(NULL, 0)
    return Octets(room, length)


cdef inline Octets kept(Field field, uint16_t longest) noexcept nogil:
    return Octets(field.data, min(field.length, longest) if field.data != NULL else 0)
