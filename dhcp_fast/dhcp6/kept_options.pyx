"""Choice of which options of a client are kept for its later messages, and their octets; see dhcp4/kept_options.pyx."""

from libc.stdint cimport uint64_t

from dhcp_fast.wire.client_options cimport add_code, put_option, take_lowest
from dhcp_fast.wire.codes6 cimport OPT6_CLIENT_ARCH_TYPE, OPT6_USER_CLASS, OPT6_VENDOR_CLASS, OPT6_VENDOR_OPTS
from dhcp_fast.wire.cursor cimport Cursor
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.packet6 cimport instances6, next_instance6


cdef uint16_t put_options(const Packet6* packet, const CodeSet* codes, bint with_class, uint8_t* room,
                          uint16_t size) noexcept nogil:
    """Write those of the codes that the message has, of 16 and 17 one for each enterprise; octets used. The first
    vendor class is left out unless `with_class`: a row has it in a column of its own."""
    cdef int word, code
    cdef uint64_t found
    cdef uint16_t used = 0
    for word in range(4):
        found = codes.words[word] & packet.present[word]
        while found:
            code = 64 * word + take_lowest(&found)
            used = put_instances(packet, <uint8_t>code, not with_class and code == OPT6_VENDOR_CLASS, room, used, size)
    return used


cdef uint16_t put_instances(const Packet6* packet, uint8_t code, bint skips_first, uint8_t* room, uint16_t used,
                            uint16_t size) noexcept nogil:
    """Return octets of the room in use afterwards."""
    cdef Cursor c = instances6(packet, code)
    cdef Field value
    cdef bint repeats = code == OPT6_VENDOR_CLASS or code == OPT6_VENDOR_OPTS
    while next_instance6(&c, code, &value):
        if not skips_first:
            used = put_option(room, used, size, code, value)
        skips_first = False
        if not repeats:
            break
    return used


cdef CodeSet codes_to_keep(const State* state, const Tenant* tenant) noexcept nogil:
    """Return the codes that classes and options of the tenant need and, unless the setting is off,
    those that distinguish devices.
    """
    cdef CodeSet codes = tenant.kept6
    if state.keeps_details:
        add_code(&codes, OPT6_USER_CLASS)
        add_code(&codes, OPT6_VENDOR_CLASS)
        add_code(&codes, OPT6_CLIENT_ARCH_TYPE)
    return codes
