"""Choice of a DHCPv6 message's subnet: by relay, by interface id, by address, by interface.

As subnets.pyx does for IPv4: a change replaces the subnets concerned between two packets. The taken
addresses of a pool (its AddressSpace) outlive the change as long as the pool has the same indices.
"""

from libc.stdlib cimport realloc

from dhcp_fast.plan.compiled6 cimport (
    LocalSubnet6, RESERVED_COUNT, ROUTERS_IDENTIFIER, Range6, RelayAddress6, address_at, range_holds,
    reserved_identifiers)
from dhcp_fast.plan.relay_subnets6 cimport next_naming
from dhcp_fast.plan.subnet_index6 cimport (
    free_arrays, insert_local, insert_relay_address, insert_subnet, interface_id_order, interface_ids_before, numbered,
    order_tenants, remove_subnet, what_holds)
from dhcp_fast.plan.relays cimport (
    Network, Relay, entry_at, reaches, relay_at, set_relays, take_senders, tenant_of_network)
from dhcp_fast.plan.subnets cimport Space
from dhcp_fast.leases.pools cimport pool_open
from dhcp_fast.structures.keymap cimport keymap_init

LOW = (1 << 64) - 1


cdef Subnet6* subnet_by_no(const PlanView6* plan, uint32_t no) noexcept nogil:
    return <Subnet6*>numbered(&plan.subnets, no)


cdef Pool6* pool_by_no(const PlanView6* plan, uint32_t no) noexcept nogil:
    return <Pool6*>numbered(&plan.pools, no)


cdef Subnet6* subnet_of_relay(const PlanView6* plan, uint64_t hi, uint64_t lo, uint32_t tenant_no) noexcept nogil:
    """Return the tenant's subnet that names the link-address in relay_addresses, else the one that contains it."""
    cdef int at = next_naming(plan, hi, lo, tenant_no, -1)
    return subnet_of_address(plan, hi, lo, tenant_no) if at < 0 else plan.relay_addresses[at].subnet


cdef Subnet6* subnet_of_interface_id(
        const PlanView6* plan, const uint8_t* data, uint16_t length, uint32_t tenant_no) noexcept nogil:
    """Return the tenant's subnet whose interface_id is that of the relay's option (RFC 8415 section 21.18); NULL:
    nobody's."""
    cdef int at = interface_ids_before(plan, data, length, 0)
    cdef Subnet6* subnet
    while at < plan.interface_id_count:
        subnet = plan.interface_ids[at]
        if interface_id_order(&subnet.interface_id, data, length):
            break
        if subnet.tenant.no == tenant_no:
            return subnet
        at += 1
    return NULL


cdef Subnet6* subnet_of_address(const PlanView6* plan, uint64_t hi, uint64_t lo, uint32_t tenant_no) noexcept nogil:
    """Return the tenant's subnet that contains the address."""
    cdef int i
    for i in range(plan.tenant_count):
        if plan.tenants[i].tenant_no == tenant_no:
            return <Subnet6*>what_holds(&plan.tenants[i].subnets, hi, lo)
    return NULL


# --- subnets of a link, and subnets reached through routers (decisions: Ownership of packets)

cdef Subnet6* subnet_of_interface(const PlanView6* plan, int ifindex) noexcept nogil:
    """Return the first subnet that is served directly on the interface: of those bound to it, else of the default
    tenant's that contain one of its addresses."""
    cdef int i
    for i in range(plan.local_count):
        if plan.locals[i].ifindex == ifindex and is_served(plan, &plan.locals[i]):
            return plan.locals[i].subnet
    return NULL


cdef inline bint is_served(const PlanView6* plan, const LocalSubnet6* local) noexcept nogil:
    """Return an address in a range that a tenant drew binds no link to that tenant."""
    return local.is_bound or local.subnet.tenant.no == plan.relays.default_tenant


cdef Subnet6* local_subnet_of(const PlanView6* plan, int ifindex, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return the subnet on the interface's wire that contains the address; NULL: none does."""
    cdef int i
    cdef Subnet6* first = subnet_of_interface(plan, ifindex)
    cdef Subnet6* subnet
    for i in range(plan.local_count if first != NULL else 0):
        if plan.locals[i].ifindex != ifindex or plan.locals[i].subnet.tenant.no != first.tenant.no:
            continue
        subnet = plan.locals[i].subnet
        while subnet != NULL:
            if range_holds(&subnet.span, hi, lo):
                return subnet
            subnet = next_on_wire(subnet, plan.locals[i].subnet)
    return NULL


cdef bint is_reachable(const PlanView6* plan, Subnet6* subnet) noexcept nogil:
    """Return whether a relay or a link of its tenant is in front of the subnet, by what only admins without a tenant
    write."""
    if subnet.reach_version != plan.relays.version:
        subnet.reach_version = plan.relays.version
        subnet.reachable = subnet.has_interface or has_relay(plan, subnet) or is_on_link(plan, subnet)
    return subnet.reachable


cdef bint has_relay(const PlanView6* plan, const Subnet6* subnet) noexcept nogil:
    """Return whether a relay of the tenant is inside the subnet, or among its relay_addresses."""
    cdef int i
    cdef const Range6* span = &subnet.span
    cdef Network network = Network(
        span.first_hi, span.first_lo, ~(span.first_hi ^ span.last_hi), ~(span.first_lo ^ span.last_lo))
    cdef const RelayAddress6* named
    cdef const Relay* relay
    for i in range(plan.relay_address_count):
        named = &plan.relay_addresses[i]
        if named.subnet == subnet:
            relay = relay_at(&plan.relays, named.hi, named.lo)
            if relay != NULL and relay.tenant_no == subnet.tenant.no:
                return True
    return reaches(&plan.relays, subnet.tenant.no, &network)


cdef bint is_on_link(const PlanView6* plan, const Subnet6* subnet) noexcept nogil:
    cdef int i
    for i in range(plan.local_count):
        if plan.locals[i].subnet == subnet and is_served(plan, &plan.locals[i]):
            return True
    return False


cdef Pool6* pool_of_lease(const PlanView6* plan, uint32_t tenant_no, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return the pool in which the address, or the delegated prefix that begins with it, lies now; NULL: in none."""
    cdef int i
    for i in range(plan.tenant_count):
        if plan.tenants[i].tenant_no == tenant_no:
            return <Pool6*>what_holds(&plan.tenants[i].pools, hi, lo)
    return NULL


cdef Subnet6* linkless_subnet(const PlanView6* plan, uint32_t tenant_no) noexcept nogil:
    """Return the tenant's options for clients on a link without a subnet: global ones, and those of classes.
    """
    cdef int i
    for i in range(plan.linkless_count):
        if plan.linkless[i].tenant.no == tenant_no:
            return plan.linkless[i]
    return NULL


cdef bint is_forbidden(const Subnet6* subnet, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return whether no pool of the subnet gives the address to anybody: it is excluded, assigned, reserved, or
    anycast."""
    cdef Range6 span = Range6(hi, lo, hi, lo)
    return subnet.whole_links and is_anycast(lo) or meets_forbidden(subnet, &span) or holds_relay(subnet, &span)


cdef inline bint is_anycast(uint64_t lo) noexcept nogil:
    return lo == ROUTERS_IDENTIFIER or lo - reserved_identifiers() < <uint64_t>RESERVED_COUNT


cdef bint is_prefix_forbidden(const Subnet6* subnet, const Pool6* pool, uint64_t index) noexcept nogil:
    """Return the same of any address in the prefix at that index of a delegation pool."""
    cdef Range6 span
    cdef uint64_t hi, lo
    address_at(pool, index, &hi, &lo)
    span = prefix_around(pool, hi, lo)
    return meets_forbidden(subnet, &span) or holds_relay(subnet, &span)


cdef Range6 prefix_around(const Pool6* pool, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return what the pool delegates as a whole of which the address is a part."""
    cdef uint8_t shift = pool.shift
    cdef uint64_t low = ((<uint64_t>1 << shift) - 1) if shift < 64 else ~<uint64_t>0
    cdef uint64_t high = ((<uint64_t>1 << (shift - 64)) - 1) if shift > 64 else 0
    return Range6(hi & ~high, lo & ~low, hi | high, lo | low)


cdef bint holds_relay(const Subnet6* subnet, const Range6* span) noexcept nogil:
    cdef int i
    for i in range(subnet.relay_count):
        if range_holds(span, subnet.relays[i].first_hi, subnet.relays[i].first_lo):
            return True
    return False


cdef bint meets_forbidden(const Subnet6* subnet, const Range6* span) noexcept nogil:
    """Return whether the first forbidden range that does not end before it begins before its end."""
    cdef int low = 0, high = subnet.forbidden_count, middle
    cdef const Range6* other
    while low < high:
        middle = (low + high) // 2
        other = &subnet.forbidden[middle]
        if other.last_hi < span.first_hi or other.last_hi == span.first_hi and other.last_lo < span.first_lo:
            low = middle + 1
        else:
            high = middle
    if low == subnet.forbidden_count:
        return False
    other = &subnet.forbidden[low]
    return other.first_hi < span.last_hi or other.first_hi == span.last_hi and other.first_lo <= span.last_lo


cdef void* sized(void* array, size_t octets) except NULL:
    array = realloc(array, octets)
    if array == NULL:
        raise MemoryError
    return array


cdef class Plan6:
    """Plan6(): empty. `put` and `drop` subnets and `set_relays`; packets see it at once. Addresses are numbers."""

    def __init__(self):
        self.subnets = {}
        self.spaces = {}
        self.links = {}
        self.wires = {}
        self.names = []
        self.linkless = []
        if not keymap_init(&self.view.subnets.index, 0) or not keymap_init(&self.view.pools.index, 0):
            raise MemoryError

    def __dealloc__(self):
        free_arrays(&self.view)

    def put(self, SubnetView6 subnet, relay_addresses, interfaces, bint counted=True, bound=()):
        """Add or replace a subnet. The numbers of its pools whose leases have to be counted in, being new to us. Not
        `counted`: until then nobody is served there, for what seems free might be somebody's. `interfaces`: indexes of
        those with an address in the subnet; `bound`: of those that it is bound to."""
        cdef uint32_t no = subnet.subnet.no
        cdef int i
        self.unlink(no)
        self.forget_spaces(self.subnets.get(no), subnet.bitmaps)
        fresh = [pool for pool in subnet.bitmaps if self.attach_space(subnet, pool)]
        for i in range(subnet.subnet.pool_count):
            if not subnet.subnet.pools[i].hashed:
                pool_open(&subnet.subnet.pools[i].indices, subnet.subnet.pools[i].space)
        if fresh and not counted:
            subnet.leases_counted(False)
        elif not subnet.is_counted():
            fresh = list(subnet.bitmaps)
            subnet.leases_counted(False)
        self.subnets[no] = subnet
        self.links[no] = tuple(relay_addresses), tuple(interfaces), tuple(bound)
        self.link(subnet)
        return fresh

    def attach_space(self, SubnetView6 subnet, pool):
        """Give the pool its address space; True: one that is new."""
        cdef int i
        known = self.spaces.get(pool)
        fresh = known is None or known[0] != subnet.bitmaps[pool]
        if fresh:
            known = subnet.bitmaps[pool], Space(pool, 0, subnet.size_of(pool))
            self.spaces[pool] = known
        for i in range(subnet.subnet.pool_count):
            if subnet.subnet.pools[i].no == pool:
                subnet.subnet.pools[i].space = (<Space>known[1]).space
        return fresh

    def place(self, no, interfaces, bound):
        """Serve the subnet on these interfaces from now on, by address or as it is bound, and on no others."""
        cdef SubnetView6 view = self.subnets[no]
        self.unlink(no)
        self.links[no] = self.links[no][0], tuple(interfaces), tuple(bound)
        view.subnet.reach_version = 0
        self.link(view)

    def drop(self, no):
        self.unlink(no)
        self.forget_spaces(self.subnets.pop(no, None), {})
        self.links.pop(no, None)

    def forget_spaces(self, SubnetView6 view, kept):
        """Forget the spaces of the view's pools (None: there is none), except those that are kept."""
        for pool in {} if view is None else view.bitmaps:
            if pool not in kept:
                del self.spaces[pool]

    def set_relays(self, relays, default_tenant, names=None):
        """Set `relays`: TrustedRelay each, or the beginning of one; `names`: of all tenants by
        number, as octets.
        """
        set_relays(&self.view.relays, relays, default_tenant, names or {}, self.names)
        order_tenants(&self.view)

    def set_linkless(self, views):
        """Set `views`: a SubnetView6 without addresses for each tenant."""
        cdef SubnetView6 view
        cdef int at
        self.linkless = list(views)
        self.view.linkless_count = 0
        self.view.linkless = <Subnet6**>sized(
            self.view.linkless, max(1, len(self.linkless)) * sizeof(Subnet6*))
        for at, view in enumerate(self.linkless):
            self.view.linkless[at] = &view.subnet
        self.view.linkless_count = len(self.linkless)

    def take_senders(self):
        """Return (number of a relay entry, source address) of packets since the last call."""
        return take_senders(&self.view.relays)

    def relay_entry(self, address):
        """Return the RelayEntry of an address, or None."""
        return entry_at(&self.view.relays, address)

    @property
    def default_tenant(self):
        return self.view.relays.default_tenant

    def network_tenant(self, bytes network):
        """Return the number of the tenant whose the virtual network is, of an octet at least; 0: nobody's."""
        return tenant_of_network(&self.view.relays, network, <uint16_t>min(len(network), 0xFFFF))

    cdef int link(self, SubnetView6 view) except -1:
        addresses, *links = self.links[view.subnet.no]
        insert_subnet(&self.view, &view.subnet)
        for address in addresses:
            insert_relay_address(&self.view, address >> 64, address & LOW, &view.subnet)
        for bound, interfaces in enumerate(links):
            for ifindex in interfaces:
                insert_local(&self.view, ifindex, bound, &view.subnet)
        view.subnet.next_on_wire = NULL
        if view.shared_network is not None:
            self.wires.setdefault(wire_of(view), []).append(view)
            self.link_wire(wire_of(view))
        return 0

    cdef int unlink(self, uint32_t no) except -1:
        """Remove the subnet from all arrays."""
        cdef SubnetView6 view = self.subnets.get(no)
        if view is None:
            return 0
        remove_subnet(&self.view, &view.subnet)
        if view.shared_network is not None:
            self.wires[wire_of(view)].remove(view)
            self.link_wire(wire_of(view))
        return 0

    cdef int link_wire(self, tuple wire) except -1:
        """Link the subnets of a shared network into a ring, by address; one that is alone has no link."""
        cdef SubnetView6 view, following
        views = sorted(self.wires[wire], key=first_address)
        if not views:
            del self.wires[wire]
        for view, following in zip(views, views[1:] + views[:1]):
            view.subnet.next_on_wire = NULL if following is view else &following.subnet
        return 0

    def wire_mates(self, no):
        """Return the numbers of the subnets on its wire, its own among them."""
        cdef SubnetView6 view = self.subnets.get(no)
        if view is None or view.shared_network is None:
            return [no]
        return [mate.no for mate in self.wires[wire_of(view)]]

    # --- results of a packet's search, as numbers; None: nothing

    def relay_subnet(self, address, uint32_t tenant_no):
        return no_of(subnet_of_relay(&self.view, address >> 64, address & LOW, tenant_no))

    def address_subnet(self, address, uint32_t tenant_no):
        return no_of(subnet_of_address(&self.view, address >> 64, address & LOW, tenant_no))

    def interface_id_subnet(self, bytes name, uint32_t tenant_no):
        return no_of(subnet_of_interface_id(&self.view, name, <uint16_t>len(name), tenant_no))

    def interface_subnet(self, int ifindex):
        return no_of(subnet_of_interface(&self.view, ifindex))

    def lease_pool(self, uint32_t tenant_no, address):
        cdef Pool6* pool = pool_of_lease(&self.view, tenant_no, address >> 64, address & LOW)
        return None if pool == NULL else pool.no

    def forbids(self, uint32_t no, address):
        return is_forbidden(subnet_by_no(&self.view, no), address >> 64, address & LOW)

    def forbids_prefix(self, uint32_t pool_no, uint64_t index):
        cdef Pool6* pool = pool_by_no(&self.view, pool_no)
        return is_prefix_forbidden(pool.subnet, pool, index)


cdef object no_of(const Subnet6* subnet):
    return None if subnet == NULL else subnet.no


cdef tuple wire_of(SubnetView6 view):
    return view.tenant.view.no, view.shared_network


def first_address(SubnetView6 view):
    return view.subnet.span.first_hi, view.subnet.span.first_lo
