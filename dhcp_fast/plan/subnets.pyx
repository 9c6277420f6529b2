"""Choice of a packet's subnet: by relay, by address, by interface.

The plan holds the compiled subnets and sorted arrays over them. A change replaces the subnets
concerned between two packets, which see either the old or the new ones. The taken addresses of a
subnet (its AddressSpace) outlive the change, so that a new configuration costs nothing per lease.
"""

from dhcp_fast.leases.lease_table cimport WIDE
from dhcp_fast.leases.pools cimport pool_open, space_free, space_new
from dhcp_fast.structures.prefetch cimport prefetch
from dhcp_fast.plan.compile cimport SubnetView
from dhcp_fast.structures.keymap cimport keymap_get, keymap_init
from dhcp_fast.plan.subnet_index cimport (
    forget_number, free_arrays, insert_giaddr, insert_local, insert_range, number_subnet, remove_giaddrs,
    order_tenants, remove_locals, remove_range)
from dhcp_fast.plan.relays cimport (
    Network, Relay, entry_at, reaches, relay_at, set_relays, take_senders, tenant_of_network)
from dhcp_fast.plan.compiled cimport BLOCK_BITS, BLOCKS, LocalSubnet, Range4, TenantRanges


cdef Subnet4* subnet_by_no(const PlanView* plan, uint32_t no) noexcept nogil:
    cdef uint32_t index = keymap_get(&plan.by_no, no)
    return plan.subnets[index - 1] if index else NULL


cdef Subnet4* subnet_of_relay(const PlanView* plan, uint32_t giaddr, uint32_t tenant_no) noexcept nogil:
    """Return the tenant's subnet that names the relay in relay_addresses, else the one that contains giaddr."""
    cdef int low = 0, high = plan.relay_address_count, middle
    while low < high:
        middle = (low + high) // 2
        if plan.relay_addresses[middle].giaddr < giaddr:
            low = middle + 1
        else:
            high = middle
    while low < plan.relay_address_count and plan.relay_addresses[low].giaddr == giaddr:
        if plan.relay_addresses[low].subnet.tenant.no == tenant_no:
            return plan.relay_addresses[low].subnet
        low += 1
    return subnet_of_address(plan, giaddr, tenant_no)


cdef Subnet4* subnet_of_address(const PlanView* plan, uint32_t address, uint32_t tenant_no) noexcept nogil:
    """Return the tenant's subnet that contains the address."""
    cdef int i
    for i in range(plan.tenant_count):
        if plan.tenants[i].tenant_no == tenant_no:
            return find_range(&plan.tenants[i], address)
    return NULL


cdef Subnet4* subnet_of_lease(const PlanView* plan, const Lease* lease) noexcept nogil:
    """Return the subnet in which the address lies now; the one that it was granted in may be gone."""
    return NULL if lease.flags & WIDE else subnet_of_address(plan, lease.address, lease.tenant_no)


cdef Subnet4* subnet_of_row(const PlanView* plan, const Lease* lease, uint32_t no) noexcept nogil:
    """Return the subnet of a lease whose row has subnet `no`, which is mostly still the same."""
    cdef Subnet4* subnet = subnet_by_no(plan, no)
    if (subnet != NULL and not lease.flags & WIDE and subnet.tenant.no == lease.tenant_no
            and subnet.network <= lease.address <= subnet.last):
        return subnet
    return subnet_of_lease(plan, lease)


cdef Subnet4* find_range(TenantRanges* tenant, uint32_t address) noexcept nogil:
    return range_holds(&tenant.ranges[search(tenant, address)], address)


cdef inline Subnet4* range_holds(const Range4* found, uint32_t address) noexcept nogil:
    return found.subnet if found.first <= address <= found.last else NULL


cdef uint32_t search(TenantRanges* tenant, uint32_t address) noexcept nogil:
    """Return the index of the last range that begins at the address or before it, else the first one. The steps are
    such that the processor need not guess: half of its guesses would be wrong."""
    cdef const uint32_t* first = tenant.firsts
    cdef int half, count = tenant.count
    if tenant.blocks != NULL:
        first = near(tenant, address, &count)
    while count > 1:
        half = count >> 1
        first = &first[half] if first[half] <= address else first
        count -= half
    return <uint32_t>(first - tenant.firsts)


cdef inline const uint32_t* near(TenantRanges* tenant, uint32_t address, int* count) noexcept nogil:
    """Return the ranges that begin in the address's /16, and the one before them, which may reach into it."""
    cdef const uint32_t* block
    cdef uint32_t low
    if tenant.stale:
        count_blocks(tenant)
    block = &tenant.blocks[address >> BLOCK_BITS]
    low = block[0] - 1 if block[0] else 0
    count[0] = <int>(block[1] - low)
    return &tenant.firsts[low]


cdef void count_blocks(TenantRanges* tenant) noexcept nogil:
    cdef uint32_t block, index = 0
    for block in range(<uint32_t>BLOCKS):
        while index < <uint32_t>tenant.count and tenant.firsts[index] >> BLOCK_BITS < block:
            index += 1
        tenant.blocks[block] = index
    tenant.blocks[BLOCKS] = <uint32_t>tenant.count
    tenant.stale = False


cdef void prefetch_search(const PlanView* plan, uint32_t address) noexcept nogil:
    """Prefetch the elements that a search for the address in the first tenant, the default one, will read."""
    cdef const uint32_t* first
    cdef int count
    if plan.tenant_count and plan.tenants[0].blocks != NULL:
        first = near(&plan.tenants[0], address, &count)
        prefetch(first)
        prefetch(first + count // 2)


cdef uint32_t prefetch_range(const PlanView* plan, uint32_t address) noexcept nogil:
    """Return when this is there: the range that `subnet_in_range` is going to look at, by its index."""
    cdef uint32_t index
    if not plan.tenant_count:
        return 0
    index = search(&plan.tenants[0], address)
    prefetch(&plan.tenants[0].ranges[index])
    return index


cdef Subnet4* subnet_in_range(const PlanView* plan, uint32_t index, uint32_t address) noexcept nogil:
    return range_holds(&plan.tenants[0].ranges[index], address) if plan.tenant_count else NULL


# --- subnets of a link, and subnets reached through routers (decisions: Ownership of packets)

cdef Subnet4* subnet_of_interface(const PlanView* plan, int ifindex) noexcept nogil:
    """Return the first subnet that is served directly on the interface: of those bound to it, else of the default
    tenant's that contain one of its addresses."""
    cdef int i
    for i in range(plan.local_count):
        if plan.locals[i].ifindex == ifindex and is_served(plan, &plan.locals[i]):
            return plan.locals[i].subnet
    return NULL


cdef inline bint is_served(const PlanView* plan, const LocalSubnet* local) noexcept nogil:
    """Return an address in a range that a tenant drew binds no link to that tenant."""
    return local.is_bound or local.subnet.tenant.no == plan.relays.default_tenant


cdef Subnet4* local_subnet_of(const PlanView* plan, int ifindex, uint32_t address) noexcept nogil:
    """Return, of the subnets on the interface's wire the one that contains the address, else the first; NULL: none is
    there."""
    cdef int i
    cdef Subnet4* first = subnet_of_interface(plan, ifindex)
    cdef Subnet4* subnet
    for i in range(plan.local_count if first != NULL else 0):
        if plan.locals[i].ifindex == ifindex and plan.locals[i].subnet.tenant.no == first.tenant.no:
            subnet = subnet_on_wire(plan.locals[i].subnet, address)
            if subnet.network <= address <= subnet.last:
                return subnet
    return first


cdef bint is_reachable(const PlanView* plan, Subnet4* subnet) noexcept nogil:
    """Return whether a relay or a link of its tenant is in front of the subnet, by what only admins without a tenant
    write."""
    if subnet.reach_version != plan.relays.version:
        subnet.reach_version = plan.relays.version
        subnet.reachable = subnet.has_interface or has_relay(plan, subnet) or is_on_link(plan, subnet)
    return subnet.reachable


cdef bint has_relay(const PlanView* plan, const Subnet4* subnet) noexcept nogil:
    """Return whether a relay of the tenant is inside the subnet, or among its relay_addresses."""
    cdef int i
    cdef Network network = Network(0, subnet.network, 0, subnet.mask)
    cdef const Relay* relay
    for i in range(plan.relay_address_count):
        if plan.relay_addresses[i].subnet == subnet:
            relay = relay_at(&plan.relays, 0, plan.relay_addresses[i].giaddr)
            if relay != NULL and relay.tenant_no == subnet.tenant.no:
                return True
    return reaches(&plan.relays, subnet.tenant.no, &network)


cdef bint is_on_link(const PlanView* plan, const Subnet4* subnet) noexcept nogil:
    cdef int i
    for i in range(plan.local_count):
        if plan.locals[i].subnet == subnet and is_served(plan, &plan.locals[i]):
            return True
    return False


cdef Subnet4* subnet_on_wire(Subnet4* entry, uint32_t address) noexcept nogil:
    """Return the subnet of the entry's shared network that contains the address, else the entry itself."""
    cdef Subnet4* subnet = entry
    while subnet != NULL:
        if subnet.network <= address <= subnet.last:
            return subnet
        subnet = next_on_wire(subnet, entry)
    return entry


cdef class Space:
    """The taken addresses of subnet `no` from `base`, `size` of them."""

    def __cinit__(self, uint32_t no, uint32_t base, size):
        self.no = no
        self.space = space_new(base, size)
        if self.space == NULL:
            raise MemoryError

    def __dealloc__(self):
        space_free(self.space)

    @property
    def size(self):
        return self.space.size

    def covers(self, uint32_t base, size):
        return self.space.base == base and self.space.size == size


cdef class Plan:
    """Plan(): empty. `put` and `drop` subnets and `set_relays`; packets see it at once.

    A change costs a move of a few pointers in sorted arrays, however many subnets there are. In a
    large plan the next packet also takes some 50 microseconds to count the subnets of each /16.
    """

    def __init__(self):
        self.subnets = {}
        self.spaces = {}
        self.giaddrs = {}
        self.links = {}
        self.names = []
        self.wires = {}
        if not keymap_init(&self.view.by_no, 0):
            raise MemoryError

    def __dealloc__(self):
        free_arrays(&self.view)

    def put(self, SubnetView subnet, giaddrs, interfaces, bint counted=True, bound=()):
        """Add or replace a subnet. True: its addresses are new to us and its leases have to be counted in. Not
        `counted`: until then nobody is served there, for what seems free might be somebody's. `interfaces`: indexes of
        those with an address in the subnet; `bound`: of those that it is bound to."""
        cdef uint32_t no = subnet.subnet.no, base = subnet.subnet.network
        size = subnet.subnet.last - base + 1
        space = self.spaces.get(no)
        fresh = space is None or not space.covers(base, size)
        if fresh:
            space = Space(no, base, size)
        subnet.subnet.space = (<Space>space).space
        if fresh and not counted:
            subnet.subnet.space.uncounted = True
        fresh = fresh or subnet.subnet.space.uncounted
        if subnet.subnet.space.uncounted:
            subnet.subnet.enabled = False
        for i in range(subnet.subnet.pool_count):
            pool_open(&subnet.subnet.pools[i], subnet.subnet.space)
        self.unlink(no)
        self.subnets[no] = subnet
        self.spaces[no] = space
        self.giaddrs[no] = tuple(giaddrs)
        self.links[no] = tuple(interfaces), tuple(bound)
        self.link(subnet)
        return fresh

    def place(self, no, interfaces, bound):
        """Serve the subnet on these interfaces from now on, by address or as it is bound, and on no others."""
        cdef SubnetView view = self.subnets[no]
        self.unlink(no)
        self.links[no] = tuple(interfaces), tuple(bound)
        view.subnet.reach_version = 0
        self.link(view)

    def drop(self, no):
        self.unlink(no)
        for table in (self.subnets, self.spaces, self.giaddrs, self.links):
            table.pop(no, None)

    def set_relays(self, relays, default_tenant, names=None):
        """Set `relays`: TrustedRelay each, or the beginning of one; `names`: of all tenants by
        number, as octets.
        """
        set_relays(&self.view.relays, relays, default_tenant, names or {}, self.names)
        order_tenants(&self.view)

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

    cdef int link(self, SubnetView view) except -1:
        cdef uint32_t no = view.subnet.no
        number_subnet(&self.view, &view.subnet)
        insert_range(&self.view, &view.subnet)
        for giaddr in self.giaddrs[no]:
            insert_giaddr(&self.view, giaddr, &view.subnet)
        for bound, interfaces in enumerate(self.links[no]):
            for ifindex in interfaces:
                insert_local(&self.view, ifindex, bound, &view.subnet)
        view.subnet.next_on_wire = NULL
        if view.shared_network is not None:
            self.wires.setdefault(wire_of(view), []).append(view)
            self.link_wire(wire_of(view))
        return 0

    cdef int unlink(self, uint32_t no) except -1:
        """Remove the subnet from all arrays."""
        cdef SubnetView view = self.subnets.get(no)
        if view is None:
            return 0
        forget_number(&self.view, no)
        remove_range(&self.view, &view.subnet)
        remove_giaddrs(&self.view, &view.subnet)
        remove_locals(&self.view, &view.subnet)
        if view.shared_network is not None:
            self.wires[wire_of(view)].remove(view)
            self.link_wire(wire_of(view))
        return 0

    cdef int link_wire(self, tuple wire) except -1:
        """Link the subnets of a shared network into a ring, by address; one that is alone has no link."""
        cdef SubnetView view, following
        views = sorted(self.wires[wire], key=first_address)
        if not views:
            del self.wires[wire]
        for view, following in zip(views, views[1:] + views[:1]):
            view.subnet.next_on_wire = NULL if following is view else &following.subnet
        return 0

    def wire_mates(self, no):
        """Return the numbers of the subnets on its wire, its own among them."""
        cdef SubnetView view = self.subnets.get(no)
        if view is None or view.shared_network is None:
            return [no]
        return [mate.no for mate in self.wires[wire_of(view)]]


cdef tuple wire_of(SubnetView view):
    return view.tenant.view.no, view.shared_network


def first_address(SubnetView view):
    return view.subnet.network
