"""The compiled IPv6 configuration as the packet path sees it; compiled.pxd has the structs of both families.

An address is two numbers of 64 bits in host byte order, `hi` and `lo`. A pool is a range of indices
with a base and a shift (engine rule 33): index 0 is its first address or delegated prefix, and the
next one lies 1 << shift further. A pool of at most 1 << INDEX_BITS indices has a bitmap over them
and an address space. For a larger one, such as a whole /64, nothing is stored: a client's address
there is a keyed hash of its identity, and one look shows whether it is free.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.leases.pools cimport AddressSpace, Pool
from dhcp_fast.plan.compiled cimport Excluded6, Naming, OptionSet, Reservation6, Tenant
from dhcp_fast.plan.relays cimport RelayTable
from dhcp_fast.structures.keymap cimport KeyMap

cdef enum:
    INDEX_BITS = 24
    NO_INDEX = -1
    MOST_RELAYS = 8             # of a subnet, that are seen in its pools

# Interface identifiers of 64 bits that are anycast on each link: of its routers (RFC 4291 section 2.6.1), and the 128
# that are reserved (RFC 2526 section 2; RFC 5453).
cdef enum:
    ROUTERS_IDENTIFIER = 0
    RESERVED_COUNT = 128

cdef inline uint64_t reserved_identifiers() noexcept nogil:
    return 0xFDFFFFFFFFFFFF80

cdef struct Subnet6

cdef struct Range6:
    uint64_t first_hi, first_lo, last_hi, last_lo       # inclusive

cdef struct Pool6:
    uint32_t no
    Range6 span                 # from its first address to its last one, of the last prefix too
    uint16_t ia_type            # OPT6_IA_NA or OPT6_IA_PD
    uint8_t prefix_length       # 128, or of each delegated prefix
    uint8_t shift               # 128 - prefix_length
    bint hashed                 # has neither `indices` nor `space`
    uint64_t size               # indices; of a hashed one at most 1 << 63
    Pool indices               # class_index and sequential count for hashed ones too
    AddressSpace* space         # of its indices; base 0
    Excluded6 excluded
    OptionSet options
    Subnet6* subnet

cdef struct Subnet6:
    uint32_t no
    int64_t fence
    Range6 span
    bint whole_links            # its addresses have identifiers of 64 bits
    bint enabled, authoritative, rapid_commit, address_registration
    int preference              # of an Advertise; 0 is not sent (RFC 8415 section 21.8)
    uint32_t lease_time, min_lease_time, max_lease_time     # valid lifetime
    int64_t preferred_time                  # -1: the usual share of the valid lifetime
    int64_t renew_time, rebind_time         # T1 and T2; -1: the usual share of the preferred lifetime
    uint32_t quarantine, reuse_margin
    double cache_threshold
    Octets boot_url             # option 59; length 0: none
    Naming naming
    OptionSet options
    int pool_count
    Pool6* pools
    int forbidden_count
    Range6* forbidden           # by first address, without overlaps: never allocated
    int reservation_count
    Reservation6* reservations
    KeyMap by_identity          # hash of kind and identity -> reservation
    uint32_t reserved_kinds     # the bit 1 << kind of each kind of identity in it
    Octets interface_id         # length 0: none
    Tenant* tenant
    Subnet6* next_on_wire       # ring of the subnets of a shared network; NULL: alone on its wire
    int relay_count, relay_room
    Range6 relays[MOST_RELAYS]  # withheld until all servers know them; addresses
    bint has_interface          # an admin without a tenant bound it to a link
    bint reachable              # by a relay or a link of its tenant, as of `reach_version`
    uint32_t reach_version      # of the relays; 0: not looked yet

# Ranges without overlaps, by their first address.
cdef struct Span6:
    Range6 span
    void* what              # a Subnet6 or a Pool6

cdef struct Spans6:
    int count, room
    Span6* at

# Objects by their number.
cdef struct Numbers6:
    KeyMap index            # number -> index in `what`, plus one
    int count, room
    uint32_t* numbers
    void** what             # a Subnet6 or a Pool6; NULL: gone
    int number_room

cdef struct TenantSpans6:
    uint32_t tenant_no
    Spans6 subnets
    Spans6 pools           # address pools and delegation pools

cdef struct RelayAddress6:
    uint64_t hi, lo
    Subnet6* subnet

cdef struct LocalSubnet6:
    int ifindex
    bint is_bound               # by `interface`; else by an address of the interface
    Subnet6* subnet

# Fields to match a message: small and flat.
cdef struct PlanView6:
    int tenant_count
    TenantSpans6* tenants  # the default tenant first
    RelayTable relays
    int relay_address_count, relay_address_room
    RelayAddress6* relay_addresses      # by address, then by number
    int local_count, local_room
    LocalSubnet6* locals
    int interface_id_count, interface_id_room
    Subnet6** interface_ids     # the subnets that have one, by its length and octets, then by number
    Numbers6 subnets, pools
    int linkless_count
    Subnet6** linkless      # of each tenant one without addresses, which speaks where a link has no subnet

cdef inline bint range_holds(const Range6* span, uint64_t hi, uint64_t lo) noexcept nogil:
    return ((hi > span.first_hi or hi == span.first_hi and lo >= span.first_lo)
            and (hi < span.last_hi or hi == span.last_hi and lo <= span.last_lo))

cdef inline int64_t index_of(const Pool6* pool, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return the index of the address, or of the prefix that begins there; NO_INDEX when the pool has none such."""
    cdef uint64_t far_hi, far_lo
    cdef uint8_t shift = pool.shift
    if not range_holds(&pool.span, hi, lo):
        return NO_INDEX
    far_lo = lo - pool.span.first_lo
    far_hi = hi - pool.span.first_hi - (lo < pool.span.first_lo)
    if shift == 0:
        return <int64_t>far_lo if far_hi == 0 and far_lo >> 63 == 0 else NO_INDEX
    if shift >= 64:
        if far_lo or far_hi & ((<uint64_t>1 << (shift - 64)) - 1):
            return NO_INDEX
        return <int64_t>(far_hi >> (shift - 64))
    if far_lo & ((<uint64_t>1 << shift) - 1) or far_hi >> shift:
        return NO_INDEX
    return <int64_t>(far_lo >> shift | far_hi << (64 - shift))

cdef inline void address_at(const Pool6* pool, uint64_t index, uint64_t* hi, uint64_t* lo) noexcept nogil:
    """Load the address, or the first one of the prefix, at the index."""
    cdef uint64_t far_lo = index << pool.shift if pool.shift < 64 else 0
    cdef uint64_t far_hi = 0
    if pool.shift >= 64:
        far_hi = index << (pool.shift - 64)
    elif pool.shift:
        far_hi = index >> (64 - pool.shift)
    lo[0] = pool.span.first_lo + far_lo
    hi[0] = pool.span.first_hi + far_hi + (lo[0] < far_lo)
