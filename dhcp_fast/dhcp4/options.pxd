"""The scopes whose options concern one client at one address, from the most specific to the widest."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.state.state cimport Client
from dhcp_fast.plan.compiled cimport MAX_CLASSES, Boot, CompiledOption, OptionSet
from dhcp_fast.wire.packet4 cimport Packet4

cdef enum:
    MOST_SCOPES = MAX_CLASSES + 3

cdef struct Scopes:
    const Packet4* packet
    const Octets* hostname          # the reservation's; NULL: none
    const OptionSet* reservation    # NULL: none
    uint64_t present[4]             # codes that one of the scopes has, by its boot server and boot file too
    Boot boot
    int count
    const OptionSet* at[MOST_SCOPES]

cdef void gather(Scopes* scopes, const Packet4* packet, const Client* client, uint32_t address) noexcept nogil
cdef inline bint is_known(const Scopes* scopes, uint8_t code) noexcept nogil:
    """Return whether a scope has the option, be it withheld or another client's."""
    return (scopes.present[code >> 6] >> (code & 63)) & 1

cdef Octets find_option(const Scopes* scopes, uint8_t code) noexcept nogil
cdef bint is_for_client(const CompiledOption* item, const Packet4* packet) noexcept nogil

cdef inline bint fits(const CompiledOption* item, const Packet4* packet) noexcept nogil:
    return item.vendor_class.length == 0 or is_for_client(item, packet)
