from libc.stdint cimport INT64_MAX, int64_t, uint8_t, uint32_t, uint64_t

from dhcp_fast.leases.lease_operation cimport UNNAMED_BITS, LeaseOp
from dhcp_fast.leases.lease_table cimport Lease
from dhcp_fast.pg.bind cimport WonRow
from dhcp_fast.state.state cimport State
from dhcp_fast.structures.siphash cimport mix

# A row of the lease table or of its history, as far as the engine cares.
cdef struct LeaseRow:
    uint32_t tenant_no, subnet_no
    uint64_t hi, lo
    uint64_t version
    uint64_t client             # keyed hash of client_key
    int64_t renewed, expires, reuse     # microseconds since 2000-01-01
    uint32_t client_parts_hash, content_hash, relay_hash
    uint64_t relay, circuit     # as leases/circuits.pxd has them; 0: none
    uint8_t state
    uint8_t holding             # LEASE_OWN and so on, by sharing/lease_ownership.pxd
    bint brief                  # renewed, the three hashes, relay and circuit are missing
    bint of_nobody              # an address that answered a ping
    bint written_here           # by an operation of this process
    int64_t received            # then: its packet, by this machine's clock
    bint unnamed                # that operation left the row's name as it was,
    bint unrelayed              # and the options of its relay
    uint32_t holds              # or may hold: of HOLDS_BITS

cdef enum:
    MICROSECONDS = 1000000
    NEVER = 0xFFFFFFFF      # as a second: when an infinite lease ends

cdef inline int64_t countable(int64_t microseconds) noexcept nogil:
    """Return seconds, which are 32 bits here and end in 2136; later times, PostgreSQL's infinity
    too, become the last one.
    """
    return min(max(microseconds, 0), <int64_t>0xFFFFFFFF * MICROSECONDS)

cdef inline int64_t later_by(int64_t moment, uint32_t seconds) noexcept nogil:
    """Return a moment of the database so many seconds later; infinity stays."""
    return moment if moment == INT64_MAX else moment + <int64_t>seconds * MICROSECONDS

cdef inline uint32_t second_behind(uint32_t moment, uint32_t seconds) noexcept nogil:
    """Return the second behind; the last one counts as never."""
    return <uint32_t>min(<uint64_t>moment + seconds, <uint64_t>NEVER)

cdef inline uint32_t round_down(int64_t microseconds) noexcept nogil:
    return <uint32_t>(countable(microseconds) // MICROSECONDS)

cdef inline uint32_t round_up(int64_t microseconds) noexcept nogil:
    return <uint32_t>((countable(microseconds) + MICROSECONDS - 1) // MICROSECONDS)

cdef inline uint32_t content_hash_in(uint32_t content_hash, uint32_t subnet_no) noexcept nogil:
    """Return the content of a lease about its client and subnet, in one number; the name's part is unchanged.
    """
    return content_hash ^ (<uint32_t>mix(subnet_no) & UNNAMED_BITS)

cdef bint learn(State* state, const LeaseRow* row) noexcept nogil
cdef bint learn_first(State* state, const LeaseRow* row) noexcept nogil
cdef void learn_written(State* state, const LeaseOp* op, const WonRow* won) noexcept nogil
cdef bint is_newer(const State* state, const Lease* lease, int64_t received) noexcept nogil
