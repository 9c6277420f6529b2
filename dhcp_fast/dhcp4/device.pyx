"""Data of the device in a grant, beside its identity: for leasequeries (RFC 4388), for operators,
and for the classes of later messages without these options (recall.pyx).

The octets point into the packet, or into the slot's spill, as those of its identity do (client.pyx).
"""

from libc.stdint cimport uint8_t, uint64_t

from dhcp_fast.dhcp4.client cimport keep
from dhcp_fast.dhcp4.kept_options cimport note_others
from dhcp_fast.leases.lease_operation cimport Device, Octets
from dhcp_fast.wire.client_options cimport has_code
from dhcp_fast.wire.codes cimport OPT_DHCP_PARAMETER_REQUEST_LIST, OPT_VENDOR_CLASS_IDENTIFIER
from dhcp_fast.wire.packet4 cimport Packet4, has

# Codes of codes_to_keep (kept_options.pyx) in the second word of a set.
cdef extern from *:
    """
    #define DETAILS (1ULL << (77 - 64) | 1ULL << (93 - 64))
    """
    const uint64_t DETAILS


cdef void note_device(const State* state, Slot* slot, const Tenant* tenant) noexcept nogil:
    """Note the device in the slot's operation, which grants; the packet is the one being decided."""
    cdef const Packet4* packet = &state.packet
    cdef Device* device = &slot.op.device
    slot.op.tells_device = True
    keep(slot, packet, &packet.relay_id, &device.relay_id)
    keep(slot, packet, &packet.relay_said, &device.relay_info)
    device.vendor_class = device.parameter_list = device.client_options = Octets(NULL, 0)
    if state.keeps_details:
        note_option(slot, packet, OPT_DHCP_PARAMETER_REQUEST_LIST, &device.parameter_list)
    if state.keeps_details or has_code(&tenant.kept, OPT_VENDOR_CLASS_IDENTIFIER):
        note_option(slot, packet, OPT_VENDOR_CLASS_IDENTIFIER, &device.vendor_class)
    if has_others(state, packet, tenant):
        note_others(state, slot, tenant)


cdef inline void note_option(Slot* slot, const Packet4* packet, uint8_t code, Octets* octets) noexcept nogil:
    if has(packet, code):
        keep(slot, packet, &packet.options[code], octets)


cdef inline bint has_others(const State* state, const Packet4* packet, const Tenant* tenant) noexcept nogil:
    """Return whether the packet may have an option to keep beside its vendor class; most have none."""
    return packet.present[1] & DETAILS != 0 and state.keeps_details or tenant.keeps_others
