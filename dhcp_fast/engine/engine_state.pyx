"""The memory of an engine: plan, leases, clocks and limits, made, set and given back."""

from weakref import WeakValueDictionary

from libc.stdint cimport int64_t, uint8_t, uint16_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from dhcp_fast.dhcp4.protocol cimport protocol4
from dhcp_fast.dhcp6.protocol cimport protocol6
from dhcp_fast.leases.circuits cimport circuits_clear
from dhcp_fast.leases.hold_ring cimport HoldRing
from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.leases.lease_table cimport leases_free, leases_new
from dhcp_fast.leases.offers cimport offers_free, offers_new
from dhcp_fast.plan.compile cimport ServedView, SubnetView
from dhcp_fast.plan.compile6 cimport SubnetView6
from dhcp_fast.plan.subnets cimport Plan
from dhcp_fast.plan.subnets6 cimport Plan6
from dhcp_fast.state.clock cimport note_database_clock, note_time
from dhcp_fast.state.decline_table cimport DeclineTable
from dhcp_fast.state.occupancy cimport drop_offers
from dhcp_fast.state.occupancy6 cimport drop_offers as drop_offers6
from dhcp_fast.state.ping_table cimport PingTable
from dhcp_fast.state.queue cimport queue_free, queue_new
from dhcp_fast.state.reasons cimport REASON_DATABASE_AWAY, REASON_DRAINED, REASON_NONE, REASON_STARTING
from dhcp_fast.state.rendezvous cimport Rendezvous
from dhcp_fast.state.seen_relays cimport SeenRelays
from dhcp_fast.state.state cimport REMEMBERED, Message6, Remembered
from dhcp_fast.state.token_bucket cimport limit_clear
from dhcp_fast.state.undecided cimport discard
from ipam_core.host_labels import BLOCKED_NAMES

cdef enum:
    LONGEST_LIST = 65535    # octets of names that no client is called


cdef class EngineState:
    """EngineState(key, family): `key` is the cluster's hash key, two 64-bit numbers; family 4 or 6."""

    def __cinit__(self, tuple key, int family=4):
        memset(&self.state, 0, sizeof(State))
        self.family = family
        self.discard_packets(False)
        self.state.leases = leases_new(family == 6)
        self.state.offers = offers_new()
        self.state.remembered = <Remembered*>calloc(REMEMBERED, sizeof(Remembered))
        self.state.holds = <HoldRing*>calloc(1, sizeof(HoldRing))
        self.state.queue = queue_new()
        self.state.pings = <PingTable*>calloc(1, sizeof(PingTable))
        self.state.declines = <DeclineTable*>calloc(1, sizeof(DeclineTable))
        self.state.seen_relays = <SeenRelays*>calloc(1, sizeof(SeenRelays))
        if (self.state.leases == NULL or self.state.offers == NULL or self.state.holds == NULL
                or self.state.queue == NULL or self.state.pings == NULL or self.state.declines == NULL
                or self.state.seen_relays == NULL or self.state.remembered == NULL):
            raise MemoryError
        self.state.hash_key[0], self.state.hash_key[1] = key
        self.state.share.count = 1
        self.state.nowhere.tenant = &self.state.nobody
        self.state.nowhere.authoritative = True
        self.sockets = []
        self.templates = WeakValueDictionary()
        self.block_names(BLOCKED_NAMES)
        self.know_plan()

    def block_names(self, labels):
        """Set the labels, in lower case, that clients are not called in DNS. Raises ValueError if they do not fit."""
        text = "\n".join(labels).encode()
        if len(text) > LONGEST_LIST:
            raise ValueError(f"ddns_blocked_names: {len(text)} octets, and {LONGEST_LIST} fit")
        self.blocked_names = text
        self.state.blocked_names = Octets(<const uint8_t*><const char*>self.blocked_names, <uint16_t>len(text))

    def __dealloc__(self):
        leases_free(self.state.leases)
        offers_free(self.state.offers)
        free(self.state.remembered)
        free(self.state.holds)
        queue_free(self.state.queue)
        limit_clear(&self.state.client_limit)
        limit_clear(&self.state.relay_limit)
        circuits_clear(&self.state.circuits)
        free(self.state.pings)
        free(self.state.declines)
        free(self.state.own.entries)
        free(self.state.seen_relays)
        free(self.state.message6)
        free(self.state.rendezvous)

    cdef void know_plan(self):
        """Create an empty one, of our family; that of the other stays so, for what asks it of an address of ours."""
        self.plan4 = self.plan = Plan()
        self.state.plan = &self.plan4.view
        if self.family == 6:
            self.plan6 = self.plan = Plan6()
            self.state.plan6 = &self.plan6.view
            self.state.message6 = <Message6*>calloc(1, sizeof(Message6))
            self.state.rendezvous = <Rendezvous*>calloc(1, sizeof(Rendezvous))
            if self.state.message6 == NULL or self.state.rendezvous == NULL:
                raise MemoryError

    # --- configuration

    def put_subnet(self, ServedView view, relay_addresses=(), interfaces=(), bint counted=True, bound=()):
        """Add or replace a subnet. True: its leases are to be counted anew; Plan.put has the other arguments."""
        self.drop_offers(view.no)
        view.tenant.count_values(self.templates)
        return bool(self.plan.put(view, relay_addresses, interfaces, counted, bound))

    def set_linkless(self, views):
        """Set each tenant's options for clients of DHCPv6 on links without a subnet (Plan6.set_linkless)."""
        for view in views:
            (<ServedView>view).tenant.count_values(self.templates)
        self.plan.set_linkless(views)

    def drop_subnet(self, no):
        """Serve it no more, with all its offers; nothing where the plan has no such subnet. Its leases stay known."""
        self.drop_offers(no)
        self.plan.drop(no)

    def drop_offers(self, no):
        """Drop offers, which were made under the old configuration; their clients ask again."""
        view = self.plan.subnets.get(no)
        if view is None:
            return
        if self.family == 4:
            drop_offers(&self.state, &(<SubnetView?>view).subnet)
        else:
            drop_offers6(&self.state, &(<SubnetView6?>view).subnet)

    def set_expirer(self, bint chosen):
        """Set whether this server is the one that writes expiry (rule 17)."""
        self.state.expirer = chosen

    def note_plan_read(self, int64_t when):
        """Note that all changes of the plan that were committed before `when` (boot clock, microseconds) are in the
        engine."""
        self.state.plan_read = when

    def note_feed_read(self, int64_t when):
        """Note that all leases that others wrote before `when` (boot clock, microseconds) are; not while that is
        `set_unsure`."""
        self.state.feed_read = when if not self.unsure else 0

    def set_away(self, bint away, bint drained=False):
        """Offer nothing: while the database is `away` nothing could be kept; a `drained` server keeps no new client."""
        self.state.away = REASON_DRAINED if drained else REASON_DATABASE_AWAY if away else REASON_NONE

    def discard_packets(self, bint discards):
        """Drop each packet unread from now on, or decide packets again."""
        self.protocol = protocol6() if self.family == 6 else protocol4()
        if discards:
            self.protocol.on_packet = discard

    def begin_reading(self):
        """Begin the reading. Packets that came before now waited for the server's start, and so did those that found no
        room. Of a worker's sockets its host counts the latter."""
        self.read_clocks()
        self.state.began = self.state.now_real
        if self.state.share.count == 1:
            for sock in self.sockets:
                self.state.drops[<int>REASON_STARTING] += sock.pass_over_drops()

    def set_unsure(self, bint unsure):
        """Stop answering early renewals from memory: the database may still lose recent commits."""
        self.unsure = unsure
        if unsure:
            self.state.feed_read = 0

    def set_clock(self, int64_t database, int64_t before, int64_t after):
        """Set the clock: the database's clock said `database` (microseconds since 2000) between two looks at the boot
        clock."""
        self.read_clocks()
        note_database_clock(&self.state, database, before, after)

    cdef void read_clocks(self) noexcept nogil:
        note_time(&self.state)
