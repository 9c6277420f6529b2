"""The scopes whose options concern one client, from the most specific to the widest."""

from libc.stdint cimport uint8_t, uint64_t

from dhcp_fast.dhcp6.client cimport Client6
from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.plan.compiled cimport MAX_CLASSES, OptionSet
from dhcp_fast.plan.compiled6 cimport Subnet6
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State
from dhcp_fast.wire.packet6 cimport Packet6
from dhcp_fast.wire.relay6 cimport Relays6
from dhcp_fast.wire.reply6 cimport Reply6

cdef enum:
    MOST_SCOPES = MAX_CLASSES + 3
    WIDE_WORDS = 1024           # a bit for each code there is

cdef struct Scopes:
    uint64_t present[4]             # codes that one of the scopes has
    Octets boot_url
    int count
    const OptionSet* at[MOST_SCOPES]
    uint64_t sent[4]                # codes that the answer has, or has no room for
    bint has_wide                   # one beyond 255 among them; else `wide` holds nothing yet
    uint64_t wide[WIDE_WORDS]       # those beyond 255

cdef void gather(Scopes* scopes, const State* state, const Slot* slot, const Client6* client,
                 const Subnet6* subnet) noexcept nogil
cdef void put_options(
    Reply6* reply, const Packet6* packet, Scopes* scopes, const Subnet6* subnet, uint8_t kind) noexcept nogil
cdef void put_important(Reply6* reply, const Packet6* packet, Scopes* scopes) noexcept nogil
cdef void forget_sent(Scopes* scopes) noexcept nogil
cdef void put_supplied(Reply6* reply, const State* state, const Scopes* scopes) noexcept nogil
