"""Which subnet a packet belongs to: by relay, by address, by interface.

The plan holds the compiled subnets and small sorted arrays over them. A change replaces the subnets concerned and
rebuilds the arrays; the packet path sees either the old or the new ones. What is taken in a subnet (its AddressSpace)
outlives the change, so that a new configuration costs nothing a lease.
"""

from libc.stdlib cimport calloc, free
from libc.string cimport memcmp

from dhcp_fast.alloc.leaseop cimport Octets
from dhcp_fast.alloc.leases cimport WIDE
from dhcp_fast.alloc.pools cimport pool_open, space_free, space_new
from dhcp_fast.engine.compile cimport SubnetView, keymap_get, keymap_init, keymap_put
from dhcp_fast.engine.view cimport LocalSubnet, Range4, Relay4, RelayAddress, TenantRanges


cdef Subnet4* subnet_by_no(const PlanView* plan, uint32_t no) noexcept nogil:
    cdef uint32_t place = keymap_get(&plan.by_no, no)
    return plan.subnets[place - 1] if place else NULL


cdef bint trusted(const PlanView* plan, uint32_t giaddr, uint32_t* tenant_no) noexcept nogil:
    """Whether requests through this relay are served, and for which tenant (0: any)."""
    cdef int i
    for i in range(plan.relay_count):
        if giaddr & plan.relays[i].mask == plan.relays[i].network:
            tenant_no[0] = plan.relays[i].tenant_no
            return True
    return False


cdef uint32_t tenant_named(const PlanView* plan, const uint8_t* name, uint16_t length) noexcept nogil:
    """The number of the tenant with that name, among those that have subnets; 0 when there is none."""
    cdef int i
    cdef const Octets* its
    for i in range(plan.tenant_count):
        its = &plan.tenants[i].ranges[0].subnet.tenant.name
        if its.length == length and memcmp(its.data, name, length) == 0:
            return plan.tenants[i].tenant_no
    return 0


cdef Subnet4* subnet_of_relay(const PlanView* plan, uint32_t giaddr, uint32_t tenant_no) noexcept nogil:
    """The subnet that names the relay in relay_addresses, else the one that contains giaddr."""
    cdef int low = 0, high = plan.relay_address_count, middle
    while low < high:
        middle = (low + high) // 2
        if plan.relay_addresses[middle].giaddr < giaddr:
            low = middle + 1
        else:
            high = middle
    while low < plan.relay_address_count and plan.relay_addresses[low].giaddr == giaddr:
        if not tenant_no or plan.relay_addresses[low].subnet.tenant.no == tenant_no:
            return plan.relay_addresses[low].subnet
        low += 1
    return subnet_of_address(plan, giaddr, tenant_no)


cdef Subnet4* subnet_of_address(const PlanView* plan, uint32_t address, uint32_t tenant_no) noexcept nogil:
    """The tenant's subnet that contains the address; without a tenant the default one is asked first."""
    cdef int i
    cdef Subnet4* subnet
    for i in range(plan.tenant_count):
        if tenant_no and plan.tenants[i].tenant_no != tenant_no:
            continue
        subnet = find_range(&plan.tenants[i], address)
        if subnet != NULL:
            return subnet
    return NULL


cdef Subnet4* subnet_of_lease(const PlanView* plan, const Lease* lease) noexcept nogil:
    """The subnet in which the address lies now; the one that it was granted in may be gone."""
    return NULL if lease.flags & WIDE else subnet_of_address(plan, lease.address, lease.tenant_no)


cdef Subnet4* find_range(const TenantRanges* tenant, uint32_t address) noexcept nogil:
    cdef int low = 0, high = tenant.count, middle
    while low < high:
        middle = (low + high) // 2
        if tenant.ranges[middle].first <= address:
            low = middle + 1
        else:
            high = middle
    if low and address <= tenant.ranges[low - 1].last:
        return tenant.ranges[low - 1].subnet
    return NULL


cdef Subnet4* subnet_of_interface(const PlanView* plan, int ifindex) noexcept nogil:
    """The first subnet that is served directly on the interface."""
    cdef int i
    for i in range(plan.local_count):
        if plan.locals[i].ifindex == ifindex:
            return plan.locals[i].subnet
    return NULL


cdef Subnet4* subnet_on_wire(Subnet4* entry, uint32_t address) noexcept nogil:
    """The subnet of the entry's shared network that contains the address, else the entry itself."""
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
    """Plan(): empty. `put` and `drop` subnets, `set_relays`, then `index`; the old arrays serve until then."""

    def __init__(self):
        self.subnets = {}
        self.spaces = {}
        self.giaddrs = {}
        self.interfaces = {}
        self.relays = []

    def __dealloc__(self):
        free_arrays(&self.view)

    def put(self, SubnetView subnet, giaddrs, interfaces):
        """Add or replace a subnet. True: its addresses are new to us and its leases have to be counted in."""
        cdef uint32_t no = subnet.subnet.no, base = subnet.subnet.network
        size = subnet.subnet.last - base + 1
        space = self.spaces.get(no)
        fresh = space is None or not space.covers(base, size)
        if fresh:
            space = self.spaces[no] = Space(no, base, size)
        subnet.subnet.space = (<Space>space).space
        for i in range(subnet.subnet.pool_count):
            pool_open(&subnet.subnet.pools[i], subnet.subnet.space)
        self.subnets[no] = subnet
        self.giaddrs[no] = giaddrs
        self.interfaces[no] = interfaces
        return fresh

    def drop(self, no):
        for table in (self.subnets, self.spaces, self.giaddrs, self.interfaces):
            table.pop(no, None)

    def set_relays(self, relays, default_tenant):
        """`relays`: (network, mask, tenant_no or 0)."""
        self.relays = sorted(relays, key=relay_order)
        self.default_tenant = default_tenant

    def index(self):
        """Make what was put visible to the packet path."""
        free_arrays(&self.view)
        self.view.default_tenant = self.default_tenant
        self.index_subnets()
        self.index_relays()
        self.index_locals()
        self.index_wires()

    cdef int index_subnets(self) except -1:
        cdef int i = 0
        cdef TenantRanges* tenant
        by_tenant = {}
        self.view.subnets = <Subnet4**>array(len(self.subnets), sizeof(Subnet4*))
        if not keymap_init(&self.view.by_no, len(self.subnets)):
            raise MemoryError
        for no, subnet in self.subnets.items():
            self.view.subnets[i] = &(<SubnetView>subnet).subnet
            i += 1
            keymap_put(&self.view.by_no, no, i)
            by_tenant.setdefault((<SubnetView>subnet).tenant.view.no, []).append(subnet)
        self.view.tenants = <TenantRanges*>array(len(by_tenant), sizeof(TenantRanges))
        for tenant_no in sorted(by_tenant, key=lambda no: (no != self.default_tenant, no)):
            tenant = &self.view.tenants[self.view.tenant_count]
            self.view.tenant_count += 1
            tenant.tenant_no = tenant_no
            fill_ranges(tenant, by_tenant[tenant_no])
        return 0

    cdef int index_relays(self) except -1:
        cdef RelayAddress* place
        pairs = sorted((giaddr, no) for no, giaddrs in self.giaddrs.items() for giaddr in giaddrs)
        self.view.relay_addresses = <RelayAddress*>array(len(pairs), sizeof(RelayAddress))
        for giaddr, no in pairs:
            place = &self.view.relay_addresses[self.view.relay_address_count]
            self.view.relay_address_count += 1
            place.giaddr = giaddr
            place.subnet = &(<SubnetView>self.subnets[no]).subnet
        self.view.relays = <Relay4*>array(len(self.relays), sizeof(Relay4))
        for network, mask, tenant_no in self.relays:
            self.view.relays[self.view.relay_count] = Relay4(network, mask, tenant_no)
            self.view.relay_count += 1
        return 0

    cdef int index_locals(self) except -1:
        cdef LocalSubnet* place
        pairs = sorted((ifindex, no) for no, indexes in self.interfaces.items() for ifindex in indexes)
        self.view.locals = <LocalSubnet*>array(len(pairs), sizeof(LocalSubnet))
        for ifindex, no in pairs:
            place = &self.view.locals[self.view.local_count]
            self.view.local_count += 1
            place.ifindex = ifindex
            place.subnet = &(<SubnetView>self.subnets[no]).subnet
        return 0

    cdef int index_wires(self) except -1:
        """Link the subnets of each shared network into a ring, by address; one that is alone has no link."""
        wires = {}
        for view in self.subnets.values():
            (<SubnetView>view).subnet.next_on_wire = NULL
            if view.shared_network is not None:
                key = (<SubnetView>view).tenant.view.no, view.shared_network
                wires.setdefault(key, []).append(view)
        for views in wires.values():
            views.sort(key=first_address)
            if len(views) > 1:
                for view, following in zip(views, views[1:] + views[:1]):
                    (<SubnetView>view).subnet.next_on_wire = &(<SubnetView>following).subnet
        return 0


def relay_order(relay):
    """Longest prefix first; of equal ones, one with a tenant first."""
    return -relay[1], not relay[2]


cdef int fill_ranges(TenantRanges* tenant, list subnets) except -1:
    cdef Subnet4* subnet
    cdef Range4* place
    subnets.sort(key=first_address)
    tenant.ranges = <Range4*>array(len(subnets), sizeof(Range4))
    for view in subnets:
        subnet = &(<SubnetView>view).subnet
        place = &tenant.ranges[tenant.count]
        tenant.count += 1
        place.first = subnet.network
        place.last = subnet.last
        place.subnet = subnet
    return 0


def first_address(SubnetView view):
    return view.subnet.network


cdef void* array(size_t count, size_t size) except NULL:
    cdef void* memory = calloc(count if count else 1, size)
    if memory == NULL:
        raise MemoryError
    return memory


cdef void free_arrays(PlanView* view) noexcept:
    cdef int i
    for i in range(view.tenant_count):
        free(view.tenants[i].ranges)
    free(view.tenants)
    free(view.relays)
    free(view.relay_addresses)
    free(view.locals)
    free(view.subnets)
    free(view.by_no.slots)
    view.tenants = NULL
    view.relays = NULL
    view.relay_addresses = NULL
    view.locals = NULL
    view.subnets = NULL
    view.by_no.slots = NULL
    view.tenant_count = view.relay_count = view.relay_address_count = view.local_count = 0
