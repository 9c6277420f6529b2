from libc.stdint cimport uint8_t, uint32_t, uint64_t

from dhcp_fast.leases.lease_operation cimport LeaseOp, Octets
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Client, State
from dhcp_fast.state.reasons cimport Reason
from dhcp_fast.plan.compiled cimport ClassMask, ClientClass, Subnet4
from dhcp_fast.wire.codes cimport OPT_DHCP_REQUESTED_ADDRESS, OPT_DHCP_SERVER_IDENTIFIER
from dhcp_fast.wire.packet4 cimport Packet4, has, option_u32

cdef enum:
    BY_HARDWARE = 1     # kinds of identity, the first octet of a client key
    BY_CLIENT_ID = 2
    BY_CIRCUIT = 3
    BY_DUID = 4         # of reservations only
    BY_LINE_ADDRESS = 5     # of reservations only: the address that a circuit has
    ETHERNET = 1

cdef Reason identify(State* state, Slot* slot, Client* client) noexcept nogil
cdef void enter_subnet(Slot* slot, Client* client, Subnet4* subnet) noexcept nogil
cdef uint64_t identity_hash(
    const uint64_t* key, uint8_t kind, uint8_t hw_type, const Octets* octets) noexcept nogil
cdef void note_facts(const uint64_t* key, LeaseOp* op) noexcept nogil
cdef bint matches(const Packet4* packet, const ClientClass* wanted) noexcept nogil

cdef inline uint32_t named_address(const Packet4* packet) noexcept nogil:
    """Which address the client speaks of: in answer to an OFFER option 50's, else ciaddr's, else option 50's."""
    if packet.ciaddr and not (has(packet, OPT_DHCP_SERVER_IDENTIFIER) and has(packet, OPT_DHCP_REQUESTED_ADDRESS)):
        return packet.ciaddr
    return option_u32(packet, OPT_DHCP_REQUESTED_ADDRESS)

cdef extern from *:
    int __builtin_ctzll(unsigned long long) noexcept nogil

cdef inline int next_class(const ClassMask* mask, int start) noexcept nogil:
    """The place of the first class from `start` on; -1 when there is none."""
    cdef uint64_t word
    cdef int at = start >> 6
    if at > 3:
        return -1
    word = mask.words[at] >> (start & 63) << (start & 63)
    while not word:
        at += 1
        if at > 3:
            return -1
        word = mask.words[at]
    return at * 64 + __builtin_ctzll(word)

cdef inline bint in_class(const ClassMask* mask, int index) noexcept nogil:
    return (mask.words[index >> 6] >> (index & 63)) & 1
