"""Tenants with their client classes, compiled from their descriptions (database/plan/plan_reader.py).

Errors in a description are programming errors: rows were checked before they came here.
"""

from libc.stdlib cimport free

from dhcp_fast.leases.client_identity cimport BY_CIRCUIT, BY_REMOTE_ID, BY_SUBSCRIBER_ID
from dhcp_fast.plan.compiled cimport MAX_CLASSES, SERVER_INHERITED, ClientClass, Tenant
from dhcp_fast.plan.conditions cimport (
    OF_GIADDR, OF_OPTION, OF_RELAY_OPTION, Leaf, fill_conditions, free_conditions)
from dhcp_fast.plan.described cimport Described, array, fill_boot
from dhcp_fast.plan.reservation_set cimport ReservationSet
from dhcp_fast.structures.recent_values cimport RecentValues
from dhcp_fast.wire.client_options cimport CodeSet, add_code, drop_code
from dhcp_fast.wire.codes cimport (
    OPT_DHCP_AGENT_OPTIONS, OPT_USER_CLASS, OPT_VENDOR_CLASS_IDENTIFIER, OPT_VIVCO_SUBOPTIONS, OPT_VIVSO_SUBOPTIONS)
from dhcp_fast.wire.codes6 cimport OPT6_USER_CLASS, OPT6_VENDOR_CLASS, OPT6_VENDOR_OPTS
from libc.stdint cimport uint8_t


cdef enum:
    LINES = 1 << BY_CIRCUIT | 1 << BY_REMOTE_ID | 1 << BY_SUBSCRIBER_ID     # kinds of relays' identifiers


MOST_CLASSES = MAX_CLASSES
# Never stored for another message: options of the message, the client's identity and name, its requests,
# relays' options.
NEVER_KEPT = frozenset(
    (0, 12, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 61, 66, 67, 80, 81, 82, 116, 118, 145, 221, 255))
NEVER_KEPT6 = frozenset((*range(15), 18, 19, 20, 25, 26, 37, 38, 39, 68, 79, 82, 83, 135, 148))


cdef class TenantView(Described):
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
