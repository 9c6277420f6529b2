"""One write to the lease table, as the engine asks for it and as the lease statements take it.

What each operation demands of the row stands in ipam_core/db/sql/dhcp_lease.sql; times go as durations, because
only the database's clock counts.
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
    OP_SUPERSEDE = 115      # 's': the server's own release of an address whose client has another

    MAX_CLIENT_KEY = 258

cdef struct Octets:
    const uint8_t* data     # NULL: SQL NULL
    uint16_t length

cdef struct LeaseOp:
    uint8_t kind
    uint8_t hw_type
    bint unheld                 # bind: memory knows no row of the address
    uint32_t tenant_no, subnet_no
    uint64_t hi, lo             # the address
    int64_t fence               # of the configuration under which it was decided
    uint32_t lifetime           # seconds
    uint32_t margin             # seconds from expiry, or of quarantine, until others may have the address
    int64_t received            # boot clock, microseconds: when the packet came
    uint64_t version            # the one seen, 0: none
    uint64_t client             # keyed hash of client_key
    uint32_t client_parts_hash, content_hash, relay_hash
    uint64_t circuit            # keyed hash of the circuit id, 0: none
    uint32_t relay              # 0: none
    Octets client_key
    Octets hw_address
    Octets client_id
    Octets hostname             # sanitised: valid UTF-8 without NUL
    Octets circuit_id
    Octets remote_id
    uint8_t key_room[MAX_CLIENT_KEY]

cdef inline bint grants(const LeaseOp* op) noexcept nogil:
    return op.kind == OP_BIND or op.kind == OP_RENEW
