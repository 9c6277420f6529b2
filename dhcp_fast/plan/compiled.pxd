"""The compiled configuration as the packet path sees it: C structs, immutable but for the pools' free bitmaps.

Addresses are numbers in host byte order, times are seconds, texts are octets that the owning Python
object keeps alive (described.pyx). A class's index in its tenant's array is its priority; a
`ClassMask` contains the classes that matched.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.leases.pools cimport AddressSpace, Pool
from dhcp_fast.plan.conditions cimport (
    BY_KNOWN, BY_LOCALLY_ADMINISTERED, BY_MAC_PREFIX, BY_MATCH, BY_USER_CLASS, BY_VENDOR_CLASS, Leaf)
from dhcp_fast.plan.relays cimport RelayTable
from dhcp_fast.structures.keymap cimport KeyMap
from dhcp_fast.structures.recent_values cimport ValueTable
from dhcp_fast.wire.client_options cimport CodeSet

cdef enum:
    MAX_CLASSES = 256

cdef struct ClassMask:
    uint64_t words[4]

cdef struct CompiledOption:
    uint16_t code
    uint8_t always_send     # 1 or 0
    uint8_t more            # 1 or 0: the next one is a further option of the same row (RFC 5908 section 4)
    uint32_t enterprise     # 124, 125 and DHCPv6's 17: for clients of this enterprise number; 0: by vendor_class
    Octets value            # `data` NULL: withheld here, whatever wider scopes say
    Octets vendor_class     # length 0: for everybody

cdef struct OptionSet:
    uint64_t present[4]     # of the codes below 256
    CompiledOption* items   # by code; within a code, those bound to a vendor class first; their octets behind them
    int count
    bint marked             # one of them is to be sent unasked

cdef enum:
    SERVER_INHERITED = 0xFFFFFFFF       # of a class that only names its boot server: the address of a wider scope

# Where a client boots from.
cdef struct Boot:
    uint32_t server         # siaddr; 0 when the server is known by a name only
    bint names_server       # in sname too
    Octets server_name, file

# When a name is made from the address instead of the client's: ddns_replace_client_name.
cdef enum:
    NAME_NEVER
    NAME_ALWAYS
    NAME_WHEN_PRESENT
    NAME_WHEN_NOT_PRESENT

# DNS updates and names of a subnet's clients.
cdef struct Naming:
    bint ddns, override_no_update, override_client_update
    uint8_t replace
    Octets domain, prefix
    Octets client_domains       # in which clients choose their names, one a line; see clients/naming.pyx

cdef struct ClientClass:
    uint32_t no
    Octets vendor_class, user_class, mac_prefix    # length 0: not asked
    int locally_administered, known                # -1: not asked
    int leaf_count
    Leaf* leaves                                   # conditions
    bint is_template                               # of which the only leaf reads a value
    ValueTable* values                             # that its clients brought; NULL: they are not counted
    Octets name
    bint deny
    Boot boot
    OptionSet options

# The client that holds a reserved lease (clients/tenure.pxd), as far as it is known.
cdef struct Tenure:
    uint64_t version        # of the row that was looked at; 0: none was
    bint same               # its client has the reservation's identity
    uint8_t rivals          # renewals within the hour of a lease that another client with the identity has taken over
    uint32_t rivals_at      # seconds of the database's clock: the latest of these

cdef struct Reservation4:
    uint32_t address        # 0: none
    uint32_t no
    uint32_t class_no       # that its client is put into; 0: none
    Octets hostname
    OptionSet* options      # NULL: none
    Tenure tenure

# A lease over a reserved prefix that begins elsewhere, as it was read with the plan.
cdef struct Holder6:
    uint64_t hi, lo
    uint64_t client             # keyed hash of its client key
    uint32_t client_parts_hash  # of its DUID

# The part of a delegated prefix for the link of the delegating router (RFC 6603): its bits after
# the delegated ones.
cdef struct Excluded6:
    uint8_t length              # of the excluded prefix; 0: none is excluded
    uint64_t hi, lo             # to be or-ed to the delegated prefix

cdef struct Reservation6:
    uint32_t no
    uint32_t class_no       # that its client is put into; 0: none
    bint has_address
    uint64_t hi, lo
    uint8_t prefix_length       # of the reserved prefix; 0: none
    uint64_t prefix_hi, prefix_lo
    Excluded6 excluded
    int holder_count
    Holder6* holders
    Octets hostname
    OptionSet* options          # NULL: none
    Tenure tenure, prefix_tenure

# `reserved`: the reservations that hold in all of its subnets, which give no address; of the family that is served.
cdef struct Tenant:
    uint32_t no
    int class_count
    ClientClass* classes
    bint asks_relays                        # membership of a class, or what is reserved, may depend on option 82
    bint keeps_options, keeps_options6      # something is in:
    CodeSet kept, kept6                     # options of DHCPv4 and DHCPv6 that its classes and options ask for
    bint keeps_others                       # one of DHCPv4 is in, beside the vendor class
    bint kept_by_all                        # by clients of no class too: they would be of one without an option
    bint looks_further                      # one of these, or it has reservations of its own
    int reserved_count
    uint32_t reserved_kinds                 # as a subnet's
    Reservation4* reserved
    Reservation6* reserved6
    KeyMap by_identity

cdef struct Subnet4:
    uint32_t no
    int64_t fence
    uint32_t network, mask, last, gateway
    bint enabled, authoritative, match_client_id, rapid_commit, ping_check
    uint32_t lease_time, min_lease_time, max_lease_time
    int64_t renew_time, rebind_time         # -1: the usual share of the lease
    uint32_t quarantine, reuse_margin
    double cache_threshold
    Boot boot
    Naming naming
    OptionSet options
    int pool_count
    Pool* pools
    OptionSet* pool_options                 # one a pool; NULL: no pool has any
    int reservation_count
    Reservation4* reservations
    KeyMap by_identity                      # hash of kind and identity -> reservation
    uint32_t reserved_kinds                 # the bit 1 << kind of each kind of identity in it
    Tenant* tenant
    AddressSpace* space
    Subnet4* next_on_wire                   # ring of the subnets of a shared network; NULL: alone on its wire
    int relay_room                          # relays in its pools that may be withheld beside those known by all servers
    bint has_interface                      # an admin without a tenant bound it to a link
    bint reachable                          # by a relay or a link of its tenant, as of `reach_version`
    uint32_t reach_version                  # of the relays; 0: not looked yet

cdef struct Range4:
    uint32_t first, last
    Subnet4* subnet

cdef enum:
    BLOCK_BITS = 16         # a /16
    BLOCKS = 65536

cdef struct TenantRanges:
    uint32_t tenant_no
    int count, room
    Range4* ranges          # by first address; they never overlap
    uint32_t* firsts        # their first addresses by themselves: a search among many touches few cache lines
    uint32_t* blocks        # of each /16 and behind the last how many ranges begin before it; NULL among few
    bint stale              # the blocks have to be counted anew

cdef struct RelayAddress:
    uint32_t giaddr
    Subnet4* subnet

cdef struct LocalSubnet:
    int ifindex
    bint is_bound           # by `interface`; else by an address of the interface
    Subnet4* subnet

# Fields to match a packet: small and flat.
cdef struct PlanView:
    int tenant_count
    TenantRanges* tenants   # the default tenant first
    RelayTable relays
    int relay_address_count, relay_address_room
    RelayAddress* relay_addresses   # by giaddr
    int local_count, local_room
    LocalSubnet* locals
    KeyMap by_no            # subnet number -> index in subnets, plus one
    int subnet_count, subnet_room
    Subnet4** subnets       # NULL: gone

cdef extern from *:
    int __builtin_ctzll(unsigned long long) noexcept nogil

cdef inline int next_class(const ClassMask* mask, int start) noexcept nogil:
    """Return the index of the first class from `start` on; -1 when there is none."""
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

cdef inline void add_class(ClassMask* mask, int index) noexcept nogil:
    mask.words[index >> 6] |= <uint64_t>1 << (index & 63)

cdef inline bint in_class(const ClassMask* mask, int index) noexcept nogil:
    return (mask.words[index >> 6] >> (index & 63)) & 1

cdef inline int last_asked(const ClientClass* wanted) noexcept nogil:
    """Return the last of its criteria that a class sets."""
    if wanted.leaf_count:
        return BY_MATCH
    if wanted.known >= 0:
        return BY_KNOWN
    if wanted.locally_administered >= 0:
        return BY_LOCALLY_ADMINISTERED
    if wanted.mac_prefix.length:
        return BY_MAC_PREFIX
    return BY_USER_CLASS if wanted.user_class.length else BY_VENDOR_CLASS
