"""A write to the lease table, as the engine requests it and as the lease statements take it.

The conditions of each operation on the row are in ipam_core/db/sql/dhcp_lease.sql; times are
durations, because only the database's clock counts.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    OP_BIND = 98        # 'b'
    OP_RENEW = 110      # 'n'
    OP_RELEASE = 114    # 'r'
    OP_DECLINE = 100    # 'd'
    OP_REVOKE = 118     # 'v'
    OP_EXPIRE = 120     # 'x'
    OP_QUARANTINE = 113     # 'q'
    OP_REGISTER = 105       # 'i': an address that its host made itself (RFC 9686)
    OP_SUPERSEDE = 115      # 's': the server's own release of an address whose client has another

    MAX_CLIENT_KEY = 258

    # Kinds of association, by the codes of their options (RFC 8415 sections 21.4, 21.21).
    IPV4 = 0
    IA_NA = 3
    IA_NONE = 5         # an address in no association, by the code of its own option: registered
    IA_PD = 25

    # The client's request by option 81 or 39 about updates of DNS (RFC 4702, RFC 4704); 0: it sent
    # neither.
    FQDN_SERVER = 1     # S
    FQDN_NOBODY = 2     # N
    FQDN_SENT = 4
    FQDN_PLANNED = 8    # the name is a reservation's, and the server's to update
    FQDN_EMPTY = 16     # the client left its name to the server; with FQDN_UNMADE
    FQDN_UNMADE = 32    # the subnet did not update DNS, so the name is as it was sent

    # Lifetimes in seconds. The lease statements take the infinite one as -1, and no longer one that ends.
    INFINITE_LIFETIME = 0xFFFFFFFF
    LONGEST_LIFETIME = 0x7FFFFFFF

    UNNAMED_BITS = 0xFFFF   # of content_hash, those that the name is no part of
    NAME_BITS = 0x3FFF      # of the name's hash, those that are part of it

    # Of content_hash, which of its client's options the row holds.
    HOLDS_VENDOR_CLASS = 0x80000000
    HOLDS_OTHERS = 0x40000000
    HOLDS_BITS = 0xC0000000

cdef struct Octets:
    const uint8_t* data     # NULL: SQL NULL
    uint16_t length

# Of IPv6: which identity association the lease is of, and where its client is.
cdef struct Association:
    uint8_t prefix_length       # 128, or of the delegated prefix
    bint has_link
    uint32_t iaid
    uint32_t preferred          # lifetime, seconds
    uint64_t link_hi, link_lo
    uint64_t relay_hi, relay_lo     # the relay that names the link; both 0: none
    uint64_t next_hop_hi, next_hop_lo   # the client's own address on the link; both 0: unknown
    Octets interface_id         # of that relay
    Octets duid

# Data of the device in a grant; absent data is NULL.
cdef struct Device:
    Octets relay_id             # a DUID (RFC 5460, RFC 6925)
    Octets relay_info           # options of the relays, as received
    Octets vendor_class
    Octets parameter_list
    bint accepts_reconfigure    # of IPv6: the client is willing (RFC 8415 section 21.20)
    Octets client_options       # clients/recalled.pxd has their form

cdef struct LeaseOp:
    uint8_t kind
    uint8_t hw_type
    uint8_t ia_type             # IPV4, or the association's kind
    bint tells_device           # `device` is filled in: of a grant
    uint8_t fqdn_flags
    bint unheld                 # bind: memory knows no row of the address
    uint32_t tenant_no, subnet_no
    uint64_t hi, lo             # the address, or the first one of the prefix
    int64_t fence               # of the configuration under which it was decided
    uint32_t lifetime           # seconds
    uint32_t margin             # seconds from expiry, or of quarantine, until others may have the address
    int64_t received            # boot clock, microseconds: when the packet came
    uint64_t version            # the one seen, 0: none
    uint64_t client             # keyed hash of client_key
    uint32_t client_parts_hash, content_hash, relay_hash
    uint64_t circuit            # keyed hash of the circuit id, 0: none
    uint32_t relay              # of IPv4; 0: none
    Octets client_key
    Octets hw_address
    Octets client_id
    Octets hostname             # sanitised: valid UTF-8 without NUL
    Octets circuit_id
    Octets remote_id
    Association association     # of IPv6
    Device device
    uint8_t key_room[MAX_CLIENT_KEY]

cdef inline bint is_unnamed(const LeaseOp* op) noexcept nogil:
    """Return whether its packet had no name, and leaves the row's as it is (see dhcp_lease.sql)."""
    return op.hostname.data == NULL and not op.fqdn_flags

cdef inline bint grants(const LeaseOp* op) noexcept nogil:
    return op.kind == OP_BIND or op.kind == OP_RENEW

cdef inline uint32_t within(uint32_t asked, uint32_t least, uint32_t most) noexcept nogil:
    """Return the lifetime asked for between the bounds; one beyond LONGEST_LIFETIME asks for an infinite one."""
    if asked > <uint32_t>LONGEST_LIFETIME:
        asked = INFINITE_LIFETIME
    return min(max(asked, least), most)
