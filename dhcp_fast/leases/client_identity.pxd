from libc.stdint cimport uint8_t, uint32_t, uint64_t

from dhcp_fast.leases.lease_operation cimport LeaseOp, Octets

cdef enum:
    BY_NOBODY = 0       # kinds of identity, the first octet of a client key; this one: of an address that is in use
    BY_HARDWARE = 1
    BY_CLIENT_ID = 2
    BY_CIRCUIT = 3
    BY_DUID = 4         # of reservations only
    BY_LINE_ADDRESS = 5     # of reservations only: the address that a circuit has
    BY_ASSOCIATION = 6      # DHCPv6: IA type (16 bits), IAID, DUID
    BY_REGISTRATION = 7     # an address that its host made itself (RFC 9686): DUID
    BY_REMOTE_ID = 8    # of reservations only
    BY_SUBSCRIBER_ID = 9    # of reservations only
    BY_LINE_ALONE = 10      # among kinds only: a reservation without an address, for options of a relay
    ETHERNET = 1

cdef uint64_t identity_hash(
    const uint64_t* key, uint8_t kind, uint8_t hw_type, const Octets* octets) noexcept nogil
cdef void note_hashes(const uint64_t* key, LeaseOp* op) noexcept nogil
cdef uint32_t duid_hash(const uint64_t* key, const Octets* duid) noexcept nogil
