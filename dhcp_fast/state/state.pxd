"""State of all decisions, in one struct of pointers: no Python object, no SQL, no socket."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.leases.circuits cimport CircuitTable
from dhcp_fast.leases.hold_ring cimport HoldRing
from dhcp_fast.leases.lease_operation cimport IPV4, LeaseOp, Octets
from dhcp_fast.leases.lease_table cimport LEASE_ACTIVE, Lease, LeaseTable
from dhcp_fast.leases.offers cimport OfferTable
from dhcp_fast.leases.pools cimport NodeRing
from dhcp_fast.net.reuseport cimport Share
from dhcp_fast.plan.compiled cimport ClassMask, PlanView, Reservation4, Subnet4, Tenant
from dhcp_fast.plan.compiled6 cimport PlanView6
from dhcp_fast.state.decline_table cimport DeclineTable
from dhcp_fast.state.own_addresses cimport OwnAddresses
from dhcp_fast.state.ping_table cimport PingTable
from dhcp_fast.state.queue cimport OpQueue
from dhcp_fast.state.reasons cimport NOTICE_OPTIONS_LEFT_OUT, NOTICE_ROOM, REASON_ROOM, Reason
from dhcp_fast.state.rendezvous cimport Rendezvous
from dhcp_fast.state.samples cimport Sample, keep_sample
from dhcp_fast.state.seen_relays cimport SeenRelays
from dhcp_fast.state.shared_identity cimport SharedIdentities, SharedIdentity, copied, room_for
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.token_bucket cimport RateLimit
from dhcp_fast.state.trace_entry cimport TracedClasses
from dhcp_fast.wire.ignored cimport Ignored, is_ignored
from dhcp_fast.wire.packet4 cimport Field, Packet4
from dhcp_fast.wire.packet6 cimport Packet6
from dhcp_fast.wire.relay6 cimport Relays6

cdef enum:
    MAX_SWITCHES = 64
    MESSAGE_TYPES = 40          # more than either family has
    REFRESH_LIST = 64
    UNKNOWN_RELAYS = 64
    MAX_DUID = 130              # RFC 8415 section 11.1
    MAX_SUPPLIED = 64

# A relay that nobody trusts, and how often it asked since it was last reported.
cdef struct UnknownRelay:
    uint64_t hi, lo         # giaddr is `lo`
    uint64_t count

# A client's DHCPv6 message, and the relays that it came through.
cdef struct Message6:
    Packet6 packet
    Relays6 relays

cdef enum Action:
    ACTION_DROP
    ACTION_REPLY
    ACTION_WRITE
    ACTION_DONE             # accepted, nothing to send
    ACTION_CHECK            # waits until the address has had time to answer a ping
    ACTION_OPEN             # other operations of the packet are still under way

# Which BOOTP clients are served (setting dhcp4_bootp).
cdef enum Bootp:
    BOOTP_OFF
    BOOTP_RESERVED
    BOOTP_ANY

cdef enum:
    REMEMBERED = 16384      # clients, a power of two
    REMEMBERED_ROOM = 238   # octets of their options: with the rest 256

cdef struct DatabaseClock:
    bint known
    int64_t offset          # database clock minus boot clock, microseconds
    int64_t bound           # the offset is known to within this
    int64_t paused_until    # boot clock: after a step takeovers and early renewals pause
    uint32_t shift          # seconds by which the database's clock was put forward: older leases end so much later
    uint32_t shifted_at     # where it stood then

# See clients/remembered.pxd.
cdef struct Remembered:
    uint64_t client         # keyed hash of its identity; of IPv6, of its DUID
    int64_t until           # boot clock, microseconds
    uint16_t length
    uint8_t options[REMEMBERED_ROOM]

cdef struct State:
    LeaseTable* leases
    OfferTable* offers
    Remembered* remembered      # REMEMBERED of them
    HoldRing* holds
    OpQueue* queue
    PingTable* pings
    DeclineTable* declines
    SeenRelays* seen_relays
    PlanView* plan              # in a DHCPv6 process it has no subnets
    PlanView6* plan6            # NULL in a DHCPv4 process
    NodeRing ring
    Share share                 # which of the host's clients are ours
    bint keeps_all              # the other workers' leases are kept like our own
    bint in_bulk                # the rows being learned are a table's, not events
    int64_t lost_at             # database clock: it may lack what was acknowledged before (rule 26); 0: no
    uint32_t doubts_end         # when the first subnet's addresses are to be doubted no more; 0: none are
    uint32_t others_leases      # entries of other workers' leases
    uint64_t hash_key[2]
    bint limited                # a limit on packets is set
    RateLimit client_limit, relay_limit
    CircuitTable circuits
    int adaptive_percent        # fuller pools give short leases; 0: never
    DatabaseClock clock
    int64_t now                 # boot clock, microseconds, read once a batch
    int64_t now_real            # real-time clock, nanoseconds: only to compare with kernel receive times
    int64_t feed_read           # boot clock: when what others wrote was last known
    int64_t plan_read           # boot clock: when the configuration was last known
    int64_t looks_until         # boot clock: up to when looks are used up (see plan_doubt.pxd)
    Bootp bootp
    Octets blocked_names        # labels that no client is called in DNS, one a line
    # a grant contains the client's name for itself, and the options that it requests
    bint keeps_details
    Reason away                 # why nothing is offered: the database takes no leases, or an operator drains us
    bint expirer                # this server is the one that writes expiry
    uint32_t freed_seconds      # after which an IPv6 lease that ended is forgotten; 0: never
    OwnAddresses own            # of this host's interfaces
    int switches[MAX_SWITCHES]  # interfaces behind which a switch puts option 82 into what clients send
    int switch_count
    uint32_t refresh[REFRESH_LIST]  # subnets whose leases should be read again before "exhausted" is true
    int refresh_count
    UnknownRelay unknown_relays[UNKNOWN_RELAYS]
    int unknown_relay_count
    TracedClasses* traced       # NULL: nobody watches a client
    uint64_t values_forgotten   # of templates, for others
    uint64_t received[MESSAGE_TYPES]
    uint64_t replied[MESSAGE_TYPES]
    uint64_t drops[<int>REASON_ROOM]
    uint64_t left_out[256]      # options that had no room in an answer, by code; of DHCPv6 those above 255 under 0
    uint64_t ignored[256]       # packets of which an option counted as absent, by its code
    Sample samples[<int>REASON_ROOM]
    int last_reason
    uint64_t noticed[<int>NOTICE_ROOM]
    Sample notices[<int>NOTICE_ROOM]
    int last_notice             # of the packet being decided, NOTICE_NONE: nothing unusual
    uint64_t early_renewals, offers_taken_back, lost
    uint64_t astray             # packets of clients of another worker
    uint64_t ended              # packets that were written and want no answer: releases and declines
    Packet4 packet              # the one being decided
    Message6* message6          # the same of DHCPv6; NULL in a DHCPv4 process
    SharedIdentities shared_identities      # since they were last reported
    Rendezvous* rendezvous      # with the other DHCPv6 servers; NULL in a DHCPv4 process
    Field server_id             # our DUID
    uint8_t server_id_room[MAX_DUID]
    uint16_t supplied[MAX_SUPPLIED]         # options that relays may supply for clients (RFC 6422 section 6)
    int supplied_count
    bint has_cluster_secret
    uint64_t cluster_secret[4]  # known to all servers; of it come the keys of Reconfigure messages (dhcp6/reconfigure)
    Subnet4 nowhere             # for clients of a subnet that is gone
    Tenant nobody
    int64_t began               # real-time clock, nanoseconds: since when packets are read

# Reason of the choice of a packet's tenant, for explain.
cdef enum TenantBy:
    BY_NOTHING              # it was dropped before
    BY_RELAY                # the entry of the relay
    BY_RELAY_NETWORK        # the virtual network that the relay names
    BY_CLIENT_NETWORK       # the one that the client names
    BY_LINK
    BY_LEASE                # the client's lease of the address that it sends from
    BY_REACH                # the subnet with that address, which a relay or a link of its tenant reaches
    BY_DEFAULT              # no other rule applied

# The packet's sender in its subnet.
cdef struct Client:
    Subnet4* subnet
    uint32_t tenant_no          # tenant of its relay; 0: without a relay
    TenantBy tenant_by
    uint64_t identity           # keyed hash of client_key
    uint64_t other_identity     # by the subnet's other setting of match_client_id; 0: none
    uint32_t client_parts_hash  # hash of hardware address and client id
    ClassMask classes
    Reservation4* reservation   # NULL: none
    Subnet4* reserved_in        # its subnet, on a shared network perhaps a sibling; NULL: the tenant's
    uint32_t override_id        # server identifier that its relay requests; 0: none
    uint32_t named_id           # the address of ours that it names; 0: none
    uint32_t lease_time
    bint shuns                  # it declined one address too many within the hour: some may be kept from it

cdef inline int64_t database_now(const State* state) noexcept nogil:
    """Return microseconds since 2000-01-01 by the database's clock."""
    return state.now + state.clock.offset

cdef inline int64_t database_at(const State* state, int64_t moment) noexcept nogil:
    """Return what the database's clock said at the least when the boot clock said `moment`; 0: we do not know."""
    return moment + state.clock.offset - state.clock.bound if state.clock.known else 0

cdef inline uint32_t shift_of(const State* state, const Lease* lease) noexcept nogil:
    """Return seconds by which the lease ends later than its times say, because the database's clock was put forward
    meanwhile: its client counts by a clock that was not."""
    return state.clock.shift if lease.renewed <= state.clock.shifted_at else 0

cdef inline bint clock_in_doubt(const State* state) noexcept nogil:
    return state.now < state.clock.paused_until

cdef inline bint runs(const State* state, const Lease* lease) noexcept nogil:
    """Return whether it is not free to others yet; while the clock is in doubt, an active lease never is (engine rule
    16)."""
    return (<uint64_t>lease.reuse + shift_of(state, lease) > <uint64_t>(database_now(state) // 1000000)
            or lease.state == LEASE_ACTIVE and clock_in_doubt(state))

cdef inline bint database_may_err(const State* state) noexcept nogil:
    """Return whether it might give an address to another than who has it: its clock was put forward, or it has lost
    what was acknowledged. Then what memory knows counts before it is asked."""
    return clock_in_doubt(state) or state.clock.shift != 0 or state.lost_at != 0

cdef inline uint32_t forgotten_at(const State* state, const Lease* lease) noexcept nogil:
    """Return when the database deletes the row, which then means nothing to anybody (setting freed_lease_days)."""
    return <uint32_t>min(<uint64_t>lease.reuse + state.freed_seconds, <uint64_t>0xFFFFFFFF)

cdef inline void notice(State* state, const Slot* slot, int kind, uint32_t address) noexcept nogil:
    """Note an unusual decision about the slot's packet."""
    state.noticed[kind] += 1
    state.last_notice = kind
    keep_sample(&state.notices[kind], slot.request, slot.rx.length, slot.rx.peer, slot.op.subnet_no, address)

cdef inline void note_without_room(State* state, const Slot* slot, uint32_t address) noexcept nogil:
    """Note that an answer left options out; another notice about the packet stays its last one."""
    cdef int before = state.last_notice
    notice(state, slot, NOTICE_OPTIONS_LEFT_OUT, address)
    if before:
        state.last_notice = before

cdef inline void count_ignored(State* state, const Ignored* ignored) noexcept nogil:
    """Count the ignored options once a packet for each code."""
    cdef int code
    for code in range(256):
        state.ignored[code] += is_ignored(ignored, <uint8_t>code)

cdef inline void note_shared_identity(State* state, const LeaseOp* op, uint32_t subnet_no) noexcept nogil:
    """Note that the operation renews a lease whose row another client has meanwhile."""
    cdef SharedIdentity* one = room_for(&state.shared_identities, subnet_no, op.hi, op.lo)
    cdef const Octets* identity = &op.client_id if op.ia_type == IPV4 else &op.association.duid
    if one == NULL:
        return
    one.subnet_no = subnet_no
    one.hi = op.hi
    one.lo = op.lo
    one.card_length = copied(one.card, op.hw_address.data, op.hw_address.length, sizeof(one.card))
    one.identity_length = copied(one.identity, identity.data, identity.length, sizeof(one.identity))

cdef inline Action drop(State* state, int reason) noexcept nogil:
    state.drops[reason] += 1
    state.last_reason = reason
    return ACTION_DROP
