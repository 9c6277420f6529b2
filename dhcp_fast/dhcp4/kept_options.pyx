"""Choice of which options of a client are kept for its later messages, and their octets (wire/client_options.pxd)."""

from libc.stdint cimport uint64_t

from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.state.slot cimport SPILL
from dhcp_fast.wire.client_options cimport MOST_KEPT, add_code, drop_code, put_option, take_lowest
from dhcp_fast.wire.codes cimport OPT_CLIENT_SYSTEM, OPT_USER_CLASS, OPT_VENDOR_CLASS_IDENTIFIER


cdef uint16_t put_options(const Packet4* packet, const CodeSet* codes, uint8_t* room, uint16_t size) noexcept nogil:
    """Write the options of the packet that are among the codes; return the number of octets.

    An option that does not fit into `size` is left out.
    """
    cdef int word, code
    cdef uint64_t found
    cdef uint16_t used = 0
    for word in range(4):
        found = codes.words[word] & packet.present[word]
        while found:
            code = 64 * word + take_lowest(&found)
            used = put_option(room, used, size, <uint16_t>code, packet.options[code])
    return used


cdef CodeSet codes_to_keep(const State* state, const Tenant* tenant) noexcept nogil:
    """Return the codes that classes and options of the tenant need and, unless the setting is off,
    those that distinguish devices.
    """
    cdef CodeSet codes = tenant.kept
    if state.keeps_details:
        add_code(&codes, OPT_USER_CLASS)
        add_code(&codes, OPT_CLIENT_SYSTEM)
    return codes


cdef void note_others(const State* state, Slot* slot, const Tenant* tenant) noexcept nogil:
    """Note in a slot that grants all but the vendor class, in its spill as far as that has room."""
    cdef Octets* octets = &slot.op.device.client_options
    cdef uint16_t size = min(<uint16_t>MOST_KEPT, <uint16_t>(SPILL - slot.spill_used))
    cdef CodeSet codes = codes_to_keep(state, tenant)
    drop_code(&codes, OPT_VENDOR_CLASS_IDENTIFIER)
    octets.length = put_options(&state.packet, &codes, slot.spill + slot.spill_used, size)
    if octets.length:
        octets.data = slot.spill + slot.spill_used
        slot.spill_used += octets.length
