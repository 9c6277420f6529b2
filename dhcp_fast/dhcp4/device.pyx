"""What a grant tells of the device beside its identity: for leasequeries (RFC 4388), and for people who ask what it is.

The octets point into the packet, or into the slot's spill, as those of its identity do (client.pyx).
"""

from libc.stdint cimport uint8_t

from dhcp_fast.dhcp4.client cimport keep
from dhcp_fast.leases.lease_operation cimport Device, Octets
from dhcp_fast.wire.codes cimport OPT_DHCP_PARAMETER_REQUEST_LIST, OPT_VENDOR_CLASS_IDENTIFIER
from dhcp_fast.wire.packet4 cimport Packet4, has


cdef void note_device(const State* state, Slot* slot) noexcept nogil:
    """Into the slot's operation, which grants; the packet is the one being decided."""
    cdef const Packet4* packet = &state.packet
    cdef Device* device = &slot.op.device
    slot.op.tells_device = True
    keep(slot, packet, &packet.relay_id, &device.relay_id)
    keep(slot, packet, &packet.relay_said, &device.relay_info)
    device.vendor_class = device.parameter_list = Octets(NULL, 0)
    if state.keeps_details:
        note_option(slot, packet, OPT_VENDOR_CLASS_IDENTIFIER, &device.vendor_class)
        note_option(slot, packet, OPT_DHCP_PARAMETER_REQUEST_LIST, &device.parameter_list)


cdef inline void note_option(Slot* slot, const Packet4* packet, uint8_t code, Octets* octets) noexcept nogil:
    if has(packet, code):
        keep(slot, packet, &packet.options[code], octets)
