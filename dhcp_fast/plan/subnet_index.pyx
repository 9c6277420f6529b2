"""The sorted arrays over the plan's subnets, with insertion and removal of one subnet.

Each costs a search and a move of the following elements, some tens of microseconds with ten
thousand subnets, so packets need not wait for a change.
"""

from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memmove

from dhcp_fast.plan.compiled cimport BLOCKS, LocalSubnet, Range4, RelayAddress, TenantRanges
from dhcp_fast.plan.relays cimport free_relays
from dhcp_fast.structures.keymap cimport KeyMap, keymap_get, keymap_init, keymap_put

cdef enum:
    MANY_RANGES = 64


cdef void* opened(void* memory, int* room, int count, int at, size_t size) except NULL:
    """Return the array with a gap at index `at`, its room grown where it was full."""
    cdef void* found = memory
    if count == room[0]:
        found = realloc(memory, <size_t>(room[0] * 2 + 8) * size)
        if found == NULL:
            raise MemoryError
        room[0] = room[0] * 2 + 8
    memmove(<char*>found + (at + 1) * size, <char*>found + at * size, (count - at) * size)
    return found


cdef void closed(void* memory, int count, int at, size_t size) noexcept:
    memmove(<char*>memory + at * size, <char*>memory + (at + 1) * size, (count - at - 1) * size)


cdef int number_subnet(PlanView* view, Subnet4* subnet) except -1:
    """Number the subnet; a number that comes again has its old index."""
    cdef uint32_t index = keymap_get(&view.by_no, subnet.no)
    if not index:
        view.subnets = <Subnet4**>opened(view.subnets, &view.subnet_room, view.subnet_count, view.subnet_count,
                                         sizeof(Subnet4*))
        view.subnet_count += 1
        index = view.subnet_count
        view.subnets[index - 1] = subnet
        if <uint64_t>view.subnet_count * 2 > view.by_no.mask:
            number_anew(view)
        else:
            keymap_put(&view.by_no, subnet.no, index)
    view.subnets[index - 1] = subnet
    return 0


cdef int number_anew(PlanView* view) except -1:
    """Return a larger map; the indexes of subnets that are gone are given to others."""
    cdef int i, kept = 0
    cdef KeyMap map
    for i in range(view.subnet_count):
        if view.subnets[i] != NULL:
            view.subnets[kept] = view.subnets[i]
            kept += 1
    view.subnet_count = kept
    if not keymap_init(&map, <uint64_t>kept * 2):
        raise MemoryError
    for i in range(kept):
        keymap_put(&map, view.subnets[i].no, <uint32_t>(i + 1))
    free(view.by_no.slots)
    view.by_no = map
    return 0


cdef void forget_number(PlanView* view, uint32_t no) noexcept:
    cdef uint32_t index = keymap_get(&view.by_no, no)
    if index:
        view.subnets[index - 1] = NULL


cdef TenantRanges* ranges_of(PlanView* view, uint32_t tenant_no) noexcept:
    cdef int i
    for i in range(view.tenant_count):
        if view.tenants[i].tenant_no == tenant_no:
            return &view.tenants[i]
    return NULL


cdef int insert_range(PlanView* view, Subnet4* subnet) except -1:
    cdef TenantRanges* tenant = ranges_of(view, subnet.tenant.no)
    cdef int at, room
    if tenant == NULL:
        tenant = add_tenant(view, subnet.tenant.no)
    at = range_from(tenant, subnet.network)
    room = tenant.room
    tenant.firsts = <uint32_t*>opened(tenant.firsts, &room, tenant.count, at, sizeof(uint32_t))
    tenant.firsts[at] = subnet.network
    tenant.ranges = <Range4*>opened(tenant.ranges, &tenant.room, tenant.count, at, sizeof(Range4))
    tenant.ranges[at] = Range4(subnet.network, subnet.last, subnet)
    tenant.count += 1
    tenant.stale = True
    if tenant.count >= MANY_RANGES and tenant.blocks == NULL:
        tenant.blocks = <uint32_t*>malloc((BLOCKS + 1) * sizeof(uint32_t))
        if tenant.blocks == NULL:
            raise MemoryError
    return 0


cdef TenantRanges* add_tenant(PlanView* view, uint32_t tenant_no) except NULL:
    cdef TenantRanges* tenants = <TenantRanges*>realloc(view.tenants, (view.tenant_count + 1) * sizeof(TenantRanges))
    if tenants == NULL:
        raise MemoryError
    view.tenants = tenants
    view.tenants[view.tenant_count] = TenantRanges(tenant_no, 0, 0, NULL, NULL, NULL, True)
    view.tenant_count += 1
    order_tenants(view)
    return ranges_of(view, tenant_no)


cdef void order_tenants(PlanView* view) noexcept:
    """Order the default tenant first, the others by number."""
    cdef int i, at
    cdef TenantRanges tenant
    for i in range(1, view.tenant_count):
        tenant = view.tenants[i]
        at = i
        while at and tenant_order(view, tenant.tenant_no) < tenant_order(view, view.tenants[at - 1].tenant_no):
            view.tenants[at] = view.tenants[at - 1]
            at -= 1
        view.tenants[at] = tenant


cdef inline uint32_t tenant_order(const PlanView* view, uint32_t tenant_no) noexcept:
    return 0 if tenant_no == view.relays.default_tenant else tenant_no


cdef int range_from(const TenantRanges* tenant, uint32_t address) noexcept:
    """Return the index of the first range that begins at the address or behind it."""
    cdef int low = 0, high = tenant.count, middle
    while low < high:
        middle = (low + high) // 2
        if tenant.ranges[middle].first < address:
            low = middle + 1
        else:
            high = middle
    return low


cdef void remove_range(PlanView* view, const Subnet4* subnet) noexcept:
    """Remove a range; a tenant without a subnet is not known to packets."""
    cdef TenantRanges* tenant = ranges_of(view, subnet.tenant.no)
    cdef int at = range_from(tenant, subnet.network)
    while tenant.ranges[at].subnet != subnet:   # two that overlap, while one takes the other's place
        at += 1
    closed(tenant.ranges, tenant.count, at, sizeof(Range4))
    closed(tenant.firsts, tenant.count, at, sizeof(uint32_t))
    tenant.count -= 1
    tenant.stale = True
    if tenant.count == 0:
        free(tenant.ranges)
        free(tenant.firsts)
        free(tenant.blocks)
        closed(view.tenants, view.tenant_count, <int>(tenant - view.tenants), sizeof(TenantRanges))
        view.tenant_count -= 1


cdef int insert_giaddr(PlanView* view, uint32_t giaddr, Subnet4* subnet) except -1:
    """Insert it by giaddr, then by number."""
    cdef int low = 0, high = view.relay_address_count, middle
    cdef RelayAddress* here
    while low < high:
        middle = (low + high) // 2
        here = &view.relay_addresses[middle]
        if here.giaddr < giaddr or here.giaddr == giaddr and here.subnet.no < subnet.no:
            low = middle + 1
        else:
            high = middle
    view.relay_addresses = <RelayAddress*>opened(
        view.relay_addresses, &view.relay_address_room, view.relay_address_count, low, sizeof(RelayAddress))
    view.relay_addresses[low] = RelayAddress(giaddr, subnet)
    view.relay_address_count += 1
    return 0


cdef void remove_giaddrs(PlanView* view, const Subnet4* subnet) noexcept:
    cdef int i, kept = 0
    for i in range(view.relay_address_count):
        if view.relay_addresses[i].subnet != subnet:
            view.relay_addresses[kept] = view.relay_addresses[i]
            kept += 1
    view.relay_address_count = kept


cdef int insert_local(PlanView* view, int ifindex, bint bound, Subnet4* subnet) except -1:
    """Insert it by interface, the bound ones first, then by number."""
    cdef int at = 0
    while at < view.local_count and comes_first(&view.locals[at], ifindex, bound, subnet.no):
        at += 1
    view.locals = <LocalSubnet*>opened(view.locals, &view.local_room, view.local_count, at, sizeof(LocalSubnet))
    view.locals[at] = LocalSubnet(ifindex, bound, subnet)
    view.local_count += 1
    return 0


cdef inline bint comes_first(const LocalSubnet* local, int ifindex, bint bound, uint32_t no) noexcept:
    if local.ifindex != ifindex:
        return local.ifindex < ifindex
    return local.is_bound > bound or local.is_bound == bound and local.subnet.no < no


cdef void remove_locals(PlanView* view, const Subnet4* subnet) noexcept:
    cdef int i, kept = 0
    for i in range(view.local_count):
        if view.locals[i].subnet != subnet:
            view.locals[kept] = view.locals[i]
            kept += 1
    view.local_count = kept


cdef void free_arrays(PlanView* view) noexcept:
    cdef int i
    for i in range(view.tenant_count):
        free(view.tenants[i].ranges)
        free(view.tenants[i].firsts)
        free(view.tenants[i].blocks)
    free(view.tenants)
    free_relays(&view.relays)
    free(view.relay_addresses)
    free(view.locals)
    free(view.subnets)
    free(view.by_no.slots)
