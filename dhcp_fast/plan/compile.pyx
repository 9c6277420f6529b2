"""Python descriptions of tenants and subnets (database/plan/plan_reader.py) -> the C structs of compiled.pxd.

A compiled object owns its arrays and keeps every bytes object that the structs point into; it is never changed after
it was made, but for the free bitmaps of its pools. Errors in a description are programming errors: rows were checked
before they came here.
"""

from typing import NamedTuple

from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

from dhcp_fast.leases.client_identity cimport BY_CIRCUIT, BY_REMOTE_ID, BY_SUBSCRIBER_ID
from dhcp_fast.leases.lease_operation cimport INFINITE_LIFETIME
from dhcp_fast.leases.pools cimport pool_clear, pool_forbid, pool_init, pool_open
from dhcp_fast.plan.compiled cimport MAX_CLASSES, SERVER_INHERITED, Boot, ClientClass, CompiledOption, Naming, Tenant
from dhcp_fast.plan.conditions cimport (
    OF_GIADDR, OF_OPTION, OF_RELAY_OPTION, Leaf, fill_conditions, free_conditions)
from dhcp_fast.structures.cache_lines cimport lines_new
from dhcp_fast.structures.keymap cimport keymap_init, keymap_put
from dhcp_fast.structures.recent_values cimport RecentValues
from dhcp_fast.structures.siphash cimport siphash
from dhcp_fast.wire.client_options cimport CodeSet, add_code, drop_code
from dhcp_fast.wire.codes cimport (
    OPT_DHCP_AGENT_OPTIONS, OPT_USER_CLASS, OPT_VENDOR_CLASS_IDENTIFIER, OPT_VIVCO_SUBOPTIONS, OPT_VIVSO_SUBOPTIONS)
from dhcp_fast.wire.codes6 cimport OPT6_USER_CLASS, OPT6_VENDOR_CLASS, OPT6_VENDOR_OPTS
from libc.stdint cimport int64_t, uint8_t


cdef enum:
    LINES = 1 << BY_CIRCUIT | 1 << BY_REMOTE_ID | 1 << BY_SUBSCRIBER_ID     # kinds of relays' identifiers


cdef void* array(size_t count, size_t size) except NULL:
    cdef void* memory = lines_new(count, size)
    if memory == NULL:
        raise MemoryError
    return memory


MOST_CLASSES = MAX_CLASSES
# RFC 3925 and, of DHCPv6, RFC 8415 section 21.17: a vendor class that is a number is an enterprise number.
IDENTIFIED_VENDORS = (124, 125, 17)
# Never stored for another message: options of the message, the client's identity and name, its requests,
# relays' options.
NEVER_KEPT = frozenset(
    (0, 12, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 61, 66, 67, 80, 81, 82, 116, 118, 145, 221, 255))
NEVER_KEPT6 = frozenset((*range(15), 18, 19, 20, 25, 26, 37, 38, 39, 68, 79, 82, 83, 135, 148))
REPLACEMENTS = ("never", "always", "when_present", "when_not_present")     # by NAME_NEVER and so on


cdef class TenantView:
    """TenantView(no, classes, reserved, binds).

    It has at most MOST_CLASSES `classes` by priority, dicts with ClientClass's fields. `reserved`
    is the ReservationSet of all of its IPv4 subnets, or None. `binds` is true if there are options
    for clients of a vendor class.
    """

    def __init__(self, no, classes=(), ReservationSet reserved=None, bint binds=False):
        if len(classes) > MAX_CLASSES:
            raise ValueError(f"at most {MAX_CLASSES} classes")
        self.keep = []
        self.templates = []
        self.view.no = no
        if binds:
            keep_vendors(&self.view)
        self.view.kept_by_all = binds
        self.view.class_count = len(classes)
        self.view.classes = <ClientClass*>array(len(classes), sizeof(ClientClass))
        for index, row in enumerate(classes):
            fill_class(self, &self.view.classes[index], row)
            self.view.asks_relays |= asks_relays(&self.view.classes[index])
            keep_asked(&self.view, &self.view.classes[index])
            self.view.kept_by_all |= self.view.classes[index].leaf_count != 0
            if self.view.classes[index].is_template:
                self.templates.append((index, (row.get("no", 0), str(row["match"]))))
        if reserved is not None:
            self.reserved = reserved
            self.view.reserved_count = reserved.count
            self.view.reserved = reserved.at
            self.view.by_identity = reserved.by_identity
            self.view.reserved_kinds = reserved.kinds
            self.view.asks_relays |= reserved.kinds & LINES != 0
        self.view.keeps_options = has_codes(&self.view.kept)
        self.view.keeps_options6 = has_codes(&self.view.kept6)
        self.view.keeps_others = has_others(self.view.kept)
        self.view.looks_further = self.view.asks_relays or self.view.keeps_options or self.view.reserved_count

    def __dealloc__(self):
        cdef int i
        for i in range(self.view.class_count):
            free(self.view.classes[i].options.items)
            free_conditions(self.view.classes[i].leaves, self.view.classes[i].leaf_count)
        free(self.view.classes)

    cdef int count_values(self, object tables) except -1:
        """Count values. From now on the values that clients bring to templates are counted in these tables:
        RecentValues by template, which live as long as a compiled tenant counts in them."""
        cdef RecentValues values
        for index, template in self.templates:
            if self.view.classes[<int>index].values != NULL:
                return 0    # as they were for the tenant's first subnet
            values = tables.get(template)
            if values is None:
                values = tables[template] = RecentValues()
            self.keep.append(values)
            self.view.classes[<int>index].values = values.table
        return 0

    cdef Octets hold(self, object text):
        """Return the octets of `text` (None: absent), kept alive with this object; of a longer one than anybody sends
        the first 65,535."""
        cdef Octets octets
        octets.data = NULL
        octets.length = 0
        if text is not None:
            self.keep.append(text)
            octets.data = <const uint8_t*><const char*>(<bytes>text)
            octets.length = min(len(text), 0xFFFF)
        return octets

    cdef int options(self, OptionSet* into, object rows) except -1:
        """Add the options.

        `rows`: (code, value or None: withheld, always_send, vendor_class or None); a value that
        needs several options is a row each.
        """
        cdef CompiledOption* item
        cdef uint8_t* octets
        rows = sorted(rows, key=option_order)
        into.items = <CompiledOption*>array(len(rows) * sizeof(CompiledOption) + sum(map(octets_of, rows)), 1)
        octets = <uint8_t*>(into.items + len(rows))
        for code, value, always_send, vendor_class in rows:
            item = &into.items[into.count]
            item.code = code
            item.always_send = always_send
            if into.count and same_option(rows[into.count - 1], rows[into.count]):
                into.items[into.count - 1].more = 1
            octets = put(&item.value, value, octets)
            octets = put(&item.vendor_class, vendor_class, octets)
            if code in IDENTIFIED_VENDORS:
                item.enterprise = enterprise_in(vendor_class)
            into.marked = into.marked or item.always_send
            if item.code < 256:
                into.present[item.code >> 6] |= <uint64_t>1 << (item.code & 63)
            into.count += 1
        return 0


cdef uint8_t* put(Octets* octets, object text, uint8_t* into) except NULL:
    """Copy the text there; return the place after it.

    Raises ValueError if its length does not fit into the length field.
    """
    cdef bytes data = text
    if data is not None and len(data) > 0xFFFF:
        raise ValueError(f"an option of {len(data)} octets")
    octets.data = NULL
    octets.length = 0
    if data is None:
        return into
    octets.data = into
    octets.length = len(data)
    memcpy(into, <const char*>data, octets.length)
    return into + octets.length


def enterprise_in(vendor_class):
    """Return the number that it is; 0: it is text, or nothing."""
    number = int(vendor_class) if vendor_class and vendor_class.isdigit() else 0
    return number if number <= 0xFFFFFFFF else 0


def octets_of(row):
    return len(row[1] or b"") + len(row[3] or b"")


def option_order(row):
    return row[0], row[3] is None


def same_option(row, following):
    return (row[0], row[3]) == (following[0], following[3])


cdef bint asks_relays(const ClientClass* wanted) noexcept nogil:
    """Return whether a condition uses options of a DHCPv4 relay."""
    cdef int i
    cdef const Leaf* leaf
    for i in range(wanted.leaf_count):
        leaf = &wanted.leaves[i]
        if leaf.subject == OF_GIADDR or leaf.subject == OF_RELAY_OPTION or (
                leaf.subject == OF_OPTION and leaf.code == OPT_DHCP_AGENT_OPTIONS):
            return True
    return False


cdef void keep_vendors(Tenant* view) noexcept nogil:
    """Keep what options of a vendor class or enterprise ask for."""
    add_code(&view.kept, OPT_VENDOR_CLASS_IDENTIFIER)
    add_code(&view.kept, OPT_VIVCO_SUBOPTIONS)
    add_code(&view.kept, OPT_VIVSO_SUBOPTIONS)
    add_code(&view.kept6, OPT6_VENDOR_CLASS)
    add_code(&view.kept6, OPT6_VENDOR_OPTS)


cdef void keep_asked(Tenant* view, const ClientClass* wanted):
    """Keep what membership of the class depends on, as far as a message need not repeat it."""
    cdef int i
    cdef const Leaf* leaf
    if wanted.vendor_class.length:
        add_code(&view.kept, OPT_VENDOR_CLASS_IDENTIFIER)
        add_code(&view.kept6, OPT6_VENDOR_CLASS)
    if wanted.user_class.length:
        add_code(&view.kept, OPT_USER_CLASS)
        add_code(&view.kept6, OPT6_USER_CLASS)
    for i in range(wanted.leaf_count):
        leaf = &wanted.leaves[i]
        if leaf.subject == OF_OPTION and leaf.family == 4 and leaf.code not in NEVER_KEPT:
            add_code(&view.kept, <uint8_t>leaf.code)
        elif leaf.subject == OF_OPTION and leaf.family == 6 and leaf.code < 256 and leaf.code not in NEVER_KEPT6:
            add_code(&view.kept6, <uint8_t>leaf.code)


cdef inline bint has_codes(const CodeSet* codes) noexcept nogil:
    return (codes.words[0] | codes.words[1] | codes.words[2] | codes.words[3]) != 0


cdef inline bint has_others(CodeSet codes) noexcept nogil:
    """Return whether an option beside the vendor class is in a set of DHCPv4."""
    drop_code(&codes, OPT_VENDOR_CLASS_IDENTIFIER)
    return has_codes(&codes)


cdef int fill_class(TenantView owner, ClientClass* view, dict row) except -1:
    view.vendor_class = owner.hold(row.get("vendor_class"))
    view.user_class = owner.hold(row.get("user_class"))
    view.mac_prefix = owner.hold(row.get("mac_prefix"))
    local = row.get("locally_administered")
    view.locally_administered = -1 if local is None else local
    known = row.get("known")
    view.known = -1 if known is None else known
    view.leaf_count = fill_conditions(&view.leaves, row.get("match", []))
    view.no = row.get("no", 0)
    view.name = owner.hold(row.get("name"))
    view.is_template = bool(row.get("template")) and view.leaf_count == 1
    view.deny = row.get("deny", False)
    fill_boot(owner, &view.boot, row)
    if row.get("server_name") and not row.get("next_server"):
        view.boot.server = SERVER_INHERITED
    return owner.options(&view.options, row.get("options", ()))


cdef int fill_boot(TenantView owner, Boot* boot, dict row) except -1:
    boot.server = row.get("next_server_address") or 0
    boot.server_name = owner.hold(row.get("server_name") or row.get("next_server"))
    boot.names_server = boot.server_name.data != NULL and (boot.server == 0 or bool(row.get("server_name")))
    boot.file = owner.hold(row.get("boot_file"))
    return 0


cdef class ReservationSet(TenantView):
    """The reservations of one subnet: `add` and `identify` each, then `finish`; from then on it is only read.

    Subnets that were compiled anew while their reservations stayed as they were share one.
    """

    def __init__(self):
        self.keep = []

    def __dealloc__(self):
        cdef int i
        for i in range(self.count):
            if self.at[i].options != NULL:
                free(self.at[i].options.items)
                free(self.at[i].options)
        free(self.at)
        free(self.names)
        free(self.identities)
        free(self.by_identity.slots)

    def __len__(self):
        return self.count

    def number(self, int index):
        """Return the number of the reservation at that index."""
        if not 0 <= index < self.count:
            raise IndexError(index)
        return self.at[index].no

    def put_options(self, no, rows):
        """Put the options of reservation `no`, which is in the set; `rows` as TenantView.options takes them."""
        cdef int i
        for i in range(self.count):
            if self.at[i].no == no:
                self.at[i].options = <OptionSet*>array(1, sizeof(OptionSet))
                self.options(self.at[i].options, rows)
                return

    cdef int add(self, uint32_t no, uint32_t address, const uint8_t* name, uint16_t length,
                 uint32_t class_no) except -1:
        """Add a reservation. `name`: NULL: none. Its offset in the set's text stands for it until `finish`. Its offset
        in the set's text stands for it until `finish`."""
        cdef Reservation4* row
        self.at = <Reservation4*>grown(self.at, &self.room, self.count, sizeof(Reservation4))
        row = &self.at[self.count]
        memset(row, 0, sizeof(Reservation4))
        row.no = no
        row.address = address
        row.class_no = class_no
        if name != NULL:
            while self.name_count + length > self.name_room:
                self.name_room = self.name_room * 2 + 256
                self.names = <uint8_t*>resized(self.names, self.name_room)
            memcpy(self.names + self.name_count, name, length)
            row.hostname.data = <const uint8_t*>(self.name_count + 1)
            row.hostname.length = length
            self.name_count += length
        self.count += 1
        return 0

    cdef int identify(self, int kind, uint64_t hash) except -1:
        """Give the reservation added last the hash of the client's kind and identity."""
        self.kinds |= <uint32_t>1 << kind
        if self.identity_count == self.identity_room:
            self.identity_room = self.identity_room * 2 + 8
            self.identities = <Identity*>resized(self.identities, self.identity_room * sizeof(Identity))
        self.identities[self.identity_count] = Identity(hash, <uint32_t>self.count)
        self.identity_count += 1
        return 0

    cdef int finish(self) except -1:
        cdef int i
        cdef uint64_t n
        if not keymap_init(&self.by_identity, self.identity_count):
            raise MemoryError
        for n in range(self.identity_count):
            keymap_put(&self.by_identity, self.identities[n].hash, self.identities[n].index)
        free(self.identities)
        self.identities = NULL
        self.at = <Reservation4*>resized(self.at, max(self.count, 1) * sizeof(Reservation4))
        self.names = <uint8_t*>resized(self.names, max(self.name_count, <size_t>1))
        for i in range(self.count):
            if self.at[i].hostname.data != NULL:
                self.at[i].hostname.data = self.names + <size_t>self.at[i].hostname.data - 1
        return 0


cdef void* resized(void* memory, size_t size) except NULL:
    cdef void* found = realloc(memory, size)
    if found == NULL:
        raise MemoryError
    return found


cdef void* grown(void* memory, int* room, int used, size_t size) except NULL:
    """Make room for one more than `used`."""
    cdef void* found = memory
    if used == room[0]:
        found = resized(memory, <size_t>(room[0] * 2 + 8) * size)
        room[0] = room[0] * 2 + 8
    return found


cdef ReservationSet reservations_of(object described, const uint64_t* key):
    """Return a set, or a list of (address or 0, identities, hostname or None, options); an identity begins with its
    kind."""
    cdef ReservationSet found
    cdef Octets text
    if isinstance(described, ReservationSet):
        return described
    found = ReservationSet()
    for no, (address, names, hostname, options) in enumerate(described):
        text = found.hold(hostname)
        found.add(no, address, text.data, text.length, 0)
        for name in names:
            found.identify(name[0], siphash(key, <const uint8_t*><const char*>(<bytes>name), len(name)))
        if options:
            found.put_options(no, options)
    found.finish()
    return found


class PoolUse(NamedTuple):
    """A pool: its number, where it is, and how many of its addresses, or of its delegated prefixes, are in use."""

    no: int
    tenant_no: int
    network: int
    prefix_length: int
    first: int
    last: int
    usable: int
    used: int


cdef class ServedView(TenantView):

    cdef int pool_count(self) noexcept:
        return 0

    cdef int space_count(self) noexcept:
        return 0

    cdef Pool* pool(self, int at) noexcept:
        return NULL

    cdef AddressSpace* space(self, int at) noexcept:
        return NULL

    cdef void set_served(self, bint served) noexcept:
        pass

    cdef object use(self, int at):
        return None

    def leases_counted(self, bint counted):
        """Set whether the subnet's leases are known; until then it serves no client, because an
        address that seems free might be leased.
        """
        cdef int i
        for i in range(self.space_count()):
            if self.space(i) != NULL:
                self.space(i).uncounted = not counted
        self.set_served(counted)

    def open_pools(self):
        """Open the pools when all leased addresses were marked: the rest is free."""
        cdef int i
        for i in range(self.pool_count()):
            if self.pool(i) != NULL:
                pool_open(self.pool(i), self.space(i))

    def is_counted(self):
        cdef int i
        for i in range(self.space_count()):
            if self.space(i) != NULL and self.space(i).uncounted:
                return False
        return True

    def addresses(self):
        """Return how many bits there are to look at, for what is leased."""
        cdef int i
        cdef uint64_t total = 0
        for i in range(self.space_count()):
            if self.space(i) != NULL:
                total += self.space(i).size
        return total


cdef class SubnetView(ServedView):
    """SubnetView(tenant, key, fields): `fields` as database/plan/plan_reader.py makes them, `key` the hash key."""

    def __init__(self, TenantView tenant, tuple key, dict fields):
        cdef uint64_t sip[2]
        self.keep = []
        self.tenant = tenant
        self.shared_network = fields.get("shared_network")
        self.subnet.tenant = &tenant.view
        sip[0], sip[1] = key
        fill_fields(self, fields)
        self.options(&self.subnet.options, fields["options"])
        self.reservations = reservations_of(fields["reservations"], sip)
        self.subnet.reservation_count = self.reservations.count
        self.subnet.reservations = self.reservations.at
        self.subnet.by_identity = self.reservations.by_identity
        self.subnet.reserved_kinds = self.reservations.kinds
        self.add_pools(fields["pools"], fields["forbidden"])
        self.enabled = self.subnet.enabled

    def __dealloc__(self):
        cdef int i
        for i in range(self.subnet.pool_count):
            pool_clear(&self.subnet.pools[i])
        self.drop_pool_options()
        free(self.subnet.pools)
        free(self.subnet.options.items)

    cdef int pool_count(self) noexcept:
        return self.subnet.pool_count

    cdef int space_count(self) noexcept:
        return 1

    cdef Pool* pool(self, int at) noexcept:
        return &self.subnet.pools[at]

    cdef AddressSpace* space(self, int at) noexcept:
        """Return the space, of which its pools are parts."""
        return self.subnet.space

    cdef void set_served(self, bint served) noexcept:
        self.subnet.enabled = self.enabled and served

    cdef object use(self, int at):
        cdef const Pool* pool = &self.subnet.pools[at]
        return PoolUse(
            pool.no, self.subnet.tenant.no, self.subnet.network, (<object>self.subnet.mask).bit_count(), pool.start,
            pool.end, pool.usable, pool.usable - pool.free.count)

    @property
    def no(self):
        return self.subnet.no

    @property
    def span(self):
        """Return (tenant_no, first address, last address) as numbers."""
        return self.subnet.tenant.no, self.subnet.network, self.subnet.last

    @property
    def spans(self):
        """Return the ranges in which its leases may lie."""
        return [self.span]

    @property
    def ping_check(self):
        return self.subnet.ping_check

    @property
    def fence(self):
        return self.subnet.fence

    cdef int add_pools(self, list pools, list forbidden) except -1:
        """Add the pools (PoolRow). `forbidden`: (first, last), beside what is reserved."""
        cdef Pool* pool
        cdef int i
        self.subnet.pools = <Pool*>array(len(pools), sizeof(Pool))
        self.subnet.pool_options = <OptionSet*>array(len(pools), sizeof(OptionSet))
        for row in pools:
            pool = &self.subnet.pools[self.subnet.pool_count]
            self.subnet.pool_count += 1
            pool.no = row.no
            pool.class_index = row.class_index
            pool.sequential = row.sequential
            if not pool_init(pool, row.start, row.end):
                raise MemoryError
            self.options(&self.subnet.pool_options[self.subnet.pool_count - 1], row.options)
            for first, last in forbidden:
                pool_forbid(pool, first, last)
            for i in range(self.reservations.count):
                pool_forbid(pool, self.reservations.at[i].address, self.reservations.at[i].address)
        if not any(row.options for row in pools):
            self.drop_pool_options()
        return 0

    cdef void drop_pool_options(self) noexcept:
        cdef int i
        for i in range(self.subnet.pool_count if self.subnet.pool_options != NULL else 0):
            free(self.subnet.pool_options[i].items)
        free(self.subnet.pool_options)
        self.subnet.pool_options = NULL


cdef int fill_fields(SubnetView owner, dict fields) except -1:
    cdef Subnet4* subnet = &owner.subnet
    subnet.no = fields["no"]
    subnet.fence = fields["fence"]
    subnet.network = fields["network"]
    subnet.mask = fields["mask"]
    subnet.last = subnet.network | ~subnet.mask
    subnet.gateway = fields["gateway"] or 0
    subnet.enabled = fields["dhcp_enabled"]
    subnet.authoritative = fields["authoritative"]
    subnet.match_client_id = fields["match_client_id"]
    subnet.rapid_commit = fields["rapid_commit"]
    subnet.ping_check = fields["ping_check"]
    subnet.lease_time = lifetime_of(fields["lease_time_seconds"])
    subnet.min_lease_time = lifetime_of(fields["min_lease_time_seconds"] or subnet.lease_time)
    subnet.max_lease_time = lifetime_of(fields["max_lease_time_seconds"] or subnet.lease_time)
    subnet.renew_time = seconds_or_usual(fields["renew_time_seconds"])
    subnet.rebind_time = seconds_or_usual(fields["rebind_time_seconds"])
    subnet.quarantine = fields["decline_quarantine_seconds"]
    subnet.reuse_margin = fields["reuse_margin_seconds"]
    subnet.cache_threshold = fields["cache_threshold"]
    subnet.has_interface = fields.get("interface") is not None
    subnet.relay_room = max(fields.get("relay_room", 0), 0)
    fill_boot(owner, &subnet.boot, fields)
    fill_naming(owner, &subnet.naming, fields)
    return 0


cdef uint32_t lifetime_of(object column) except? 0:
    """Return seconds as a column has them: -1 is infinite (RFC 2131 section 3.3). OverflowError: another negative
    time."""
    return INFINITE_LIFETIME if column == -1 else <uint32_t>column


cdef int64_t seconds_or_usual(object column) except? -2:
    """Return the seconds; -1: the usual share of the lease."""
    return -1 if column is None else lifetime_of(column)


cdef int fill_naming(TenantView owner, Naming* naming, dict fields) except -1:
    naming.ddns = fields["ddns_enabled"]
    naming.override_no_update = fields["ddns_override_no_update"]
    naming.override_client_update = fields["ddns_override_client_update"]
    naming.replace = REPLACEMENTS.index(fields["ddns_replace_client_name"])
    naming.domain = owner.hold(fields["ddns_domain"])
    naming.client_domains = owner.hold(fields["ddns_client_domains"])
    naming.prefix = owner.hold(fields["ddns_generated_prefix"])
    return 0
