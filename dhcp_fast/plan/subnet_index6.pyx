"""The sorted arrays over the plan's IPv6 subnets and pools, with insertion and removal of one subnet.

As for IPv4 (subnet_index.pyx), a change costs a search and a move of the following elements.
Subnets and pools are in arrays of one kind: a delegation pool is outside of its subnet, so the pool
of a lease is not found by its subnet.
"""

from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memset

from dhcp_fast.plan.compiled6 cimport LocalSubnet6, Span6, RelayAddress6, TenantSpans6, range_holds
from dhcp_fast.plan.relays cimport free_relays
from dhcp_fast.plan.subnet_index cimport closed, opened
from dhcp_fast.structures.keymap cimport KeyMap, keymap_get, keymap_init, keymap_put


cdef inline bint is_before(uint64_t hi, uint64_t lo, const Range6* span) noexcept nogil:
    return hi < span.first_hi or hi == span.first_hi and lo < span.first_lo


cdef int spans_until(const Spans6* spans, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return how many of them begin at the address or before it."""
    cdef int low = 0, high = spans.count, middle
    while low < high:
        middle = (low + high) // 2
        if is_before(hi, lo, &spans.at[middle].span):
            high = middle
        else:
            low = middle + 1
    return low


cdef void* what_holds(const Spans6* spans, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return the entry that contains the address, or NULL."""
    cdef int count = spans_until(spans, hi, lo)
    if count and range_holds(&spans.at[count - 1].span, hi, lo):
        return spans.at[count - 1].what
    return NULL


cdef int insert_span(Spans6* spans, const Range6* span, void* what) except -1:
    cdef int at = spans_until(spans, span.first_hi, span.first_lo)
    spans.at = <Span6*>opened(spans.at, &spans.room, spans.count, at, sizeof(Span6))
    spans.at[at].span = span[0]
    spans.at[at].what = what
    spans.count += 1
    return 0


cdef void remove_span(Spans6* spans, const void* what) noexcept:
    cdef int at
    for at in range(spans.count):
        if spans.at[at].what == what:
            closed(spans.at, spans.count, at, sizeof(Span6))
            spans.count -= 1
            return


# --- by number

cdef void* numbered(const Numbers6* numbers, uint32_t no) noexcept nogil:
    """Return the entry with the number, or NULL."""
    cdef uint32_t index = keymap_get(&numbers.index, no)
    return numbers.what[index - 1] if index else NULL


cdef int give_number(Numbers6* numbers, uint32_t no, void* what) except -1:
    """Give a number; one that comes again has its old index."""
    cdef uint32_t index = keymap_get(&numbers.index, no)
    if index:
        numbers.what[index - 1] = what
        return 0
    numbers.what = <void**>opened(numbers.what, &numbers.room, numbers.count, numbers.count, sizeof(void*))
    numbers.numbers = <uint32_t*>opened(
        numbers.numbers, &numbers.number_room, numbers.count, numbers.count, sizeof(uint32_t))
    numbers.what[numbers.count] = what
    numbers.numbers[numbers.count] = no
    numbers.count += 1
    if <uint64_t>numbers.count * 2 > numbers.index.mask:
        return number_anew(numbers)
    keymap_put(&numbers.index, no, <uint32_t>numbers.count)
    return 0


cdef int number_anew(Numbers6* numbers) except -1:
    """Return a larger map; the indexes of what is gone are given to others."""
    cdef int i, kept = 0
    cdef KeyMap index
    for i in range(numbers.count):
        if numbers.what[i] != NULL:
            numbers.what[kept] = numbers.what[i]
            numbers.numbers[kept] = numbers.numbers[i]
            kept += 1
    numbers.count = kept
    if not keymap_init(&index, <uint64_t>kept * 2):
        raise MemoryError
    for i in range(kept):
        keymap_put(&index, numbers.numbers[i], <uint32_t>(i + 1))
    free(numbers.index.slots)
    numbers.index = index
    return 0


cdef void forget_number(Numbers6* numbers, uint32_t no) noexcept:
    cdef uint32_t index = keymap_get(&numbers.index, no)
    if index:
        numbers.what[index - 1] = NULL


# --- tenants

cdef TenantSpans6* spans_of(PlanView6* view, uint32_t tenant_no) noexcept nogil:
    cdef int i
    for i in range(view.tenant_count):
        if view.tenants[i].tenant_no == tenant_no:
            return &view.tenants[i]
    return NULL


cdef TenantSpans6* make_spans(PlanView6* view, const Subnet6* subnet) except NULL:
    """Return the spans of the subnet's tenant, who may have had none."""
    cdef TenantSpans6* found = spans_of(view, subnet.tenant.no)
    if found != NULL:
        return found
    found = <TenantSpans6*>realloc(view.tenants, (view.tenant_count + 1) * sizeof(TenantSpans6))
    if found == NULL:
        raise MemoryError
    view.tenants = found
    found = &view.tenants[view.tenant_count]
    memset(found, 0, sizeof(TenantSpans6))
    found.tenant_no = subnet.tenant.no
    view.tenant_count += 1
    order_tenants(view)
    return spans_of(view, subnet.tenant.no)


cdef void order_tenants(PlanView6* view) noexcept:
    """Order the default tenant first, the others by number."""
    cdef int i, at
    cdef TenantSpans6 tenant
    for i in range(1, view.tenant_count):
        tenant = view.tenants[i]
        at = i
        while at and tenant_order(view, tenant.tenant_no) < tenant_order(view, view.tenants[at - 1].tenant_no):
            view.tenants[at] = view.tenants[at - 1]
            at -= 1
        view.tenants[at] = tenant


cdef inline uint32_t tenant_order(const PlanView6* view, uint32_t tenant_no) noexcept:
    return 0 if tenant_no == view.relays.default_tenant else tenant_no


cdef void forget_tenant(PlanView6* view, TenantSpans6* tenant) noexcept:
    """Forget a tenant without a subnet, which is not known to packets."""
    free(tenant.subnets.at)
    free(tenant.pools.at)
    closed(view.tenants, view.tenant_count, <int>(tenant - view.tenants), sizeof(TenantSpans6))
    view.tenant_count -= 1


# --- a subnet with its pools

cdef int insert_subnet(PlanView6* view, Subnet6* subnet) except -1:
    cdef TenantSpans6* tenant = make_spans(view, subnet)
    cdef int i
    insert_span(&tenant.subnets, &subnet.span, subnet)
    give_number(&view.subnets, subnet.no, subnet)
    for i in range(subnet.pool_count):
        insert_span(&tenant.pools, &subnet.pools[i].span, &subnet.pools[i])
        give_number(&view.pools, subnet.pools[i].no, &subnet.pools[i])
    if subnet.interface_id.length:
        insert_interface_id(view, subnet)
    return 0


cdef void remove_subnet(PlanView6* view, const Subnet6* subnet) noexcept:
    """Remove the subnet, to which and to whose pools nothing points any more."""
    cdef TenantSpans6* tenant = spans_of(view, subnet.tenant.no)
    cdef int i
    remove_span(&tenant.subnets, subnet)
    forget_number(&view.subnets, subnet.no)
    for i in range(subnet.pool_count):
        remove_span(&tenant.pools, &subnet.pools[i])
        forget_number(&view.pools, subnet.pools[i].no)
    remove_relay_addresses(view, subnet)
    remove_locals(view, subnet)
    remove_interface_id(view, subnet)
    if tenant.subnets.count == 0:
        forget_tenant(view, tenant)


cdef int interface_id_order(const Octets* its, const uint8_t* data, uint16_t length) noexcept nogil:
    """Return below 0, 0 or above if it is less than, equal to or greater than the octets; the
    shorter one comes first.
    """
    return <int>its.length - <int>length if its.length != length else memcmp(its.data, data, length)


cdef int interface_ids_before(
        const PlanView6* view, const uint8_t* data, uint16_t length, uint32_t no) noexcept nogil:
    """Return the number of subnets with an interface_id that precede subnet `no` with that one."""
    cdef int order, low = 0, high = view.interface_id_count, middle
    while low < high:
        middle = (low + high) // 2
        order = interface_id_order(&view.interface_ids[middle].interface_id, data, length)
        if order < 0 or order == 0 and view.interface_ids[middle].no < no:
            low = middle + 1
        else:
            high = middle
    return low


cdef int insert_interface_id(PlanView6* view, Subnet6* subnet) except -1:
    cdef int at = interface_ids_before(view, subnet.interface_id.data, subnet.interface_id.length, subnet.no)
    view.interface_ids = <Subnet6**>opened(
        view.interface_ids, &view.interface_id_room, view.interface_id_count, at, sizeof(Subnet6*))
    view.interface_ids[at] = subnet
    view.interface_id_count += 1
    return 0


cdef void remove_interface_id(PlanView6* view, const Subnet6* subnet) noexcept:
    cdef int i
    for i in range(view.interface_id_count):
        if view.interface_ids[i] == subnet:
            closed(view.interface_ids, view.interface_id_count, i, sizeof(Subnet6*))
            view.interface_id_count -= 1
            return


# --- relays and interfaces

cdef int insert_relay_address(PlanView6* view, uint64_t hi, uint64_t lo, Subnet6* subnet) except -1:
    """Insert it by address, then by number."""
    cdef int low = 0, high = view.relay_address_count, middle
    while low < high:
        middle = (low + high) // 2
        if comes_first(&view.relay_addresses[middle], hi, lo, subnet.no):
            low = middle + 1
        else:
            high = middle
    view.relay_addresses = <RelayAddress6*>opened(
        view.relay_addresses, &view.relay_address_room, view.relay_address_count, low, sizeof(RelayAddress6))
    view.relay_addresses[low] = RelayAddress6(hi, lo, subnet)
    view.relay_address_count += 1
    return 0


cdef inline bint comes_first(const RelayAddress6* entry, uint64_t hi, uint64_t lo, uint32_t no) noexcept:
    if entry.hi != hi:
        return entry.hi < hi
    if entry.lo != lo:
        return entry.lo < lo
    return entry.subnet.no < no


cdef void remove_relay_addresses(PlanView6* view, const Subnet6* subnet) noexcept:
    cdef int i, kept = 0
    for i in range(view.relay_address_count):
        if view.relay_addresses[i].subnet != subnet:
            view.relay_addresses[kept] = view.relay_addresses[i]
            kept += 1
    view.relay_address_count = kept


cdef int insert_local(PlanView6* view, int ifindex, bint bound, Subnet6* subnet) except -1:
    """Insert it by interface, the bound ones first, then by number."""
    cdef int at = 0
    while at < view.local_count and stands_before(&view.locals[at], ifindex, bound, subnet.no):
        at += 1
    view.locals = <LocalSubnet6*>opened(view.locals, &view.local_room, view.local_count, at, sizeof(LocalSubnet6))
    view.locals[at] = LocalSubnet6(ifindex, bound, subnet)
    view.local_count += 1
    return 0


cdef inline bint stands_before(const LocalSubnet6* local, int ifindex, bint bound, uint32_t no) noexcept:
    if local.ifindex != ifindex:
        return local.ifindex < ifindex
    return local.is_bound > bound or local.is_bound == bound and local.subnet.no < no


cdef void remove_locals(PlanView6* view, const Subnet6* subnet) noexcept:
    cdef int i, kept = 0
    for i in range(view.local_count):
        if view.locals[i].subnet != subnet:
            view.locals[kept] = view.locals[i]
            kept += 1
    view.local_count = kept


cdef void free_arrays(PlanView6* view) noexcept:
    cdef int i
    for i in range(view.tenant_count):
        free(view.tenants[i].subnets.at)
        free(view.tenants[i].pools.at)
    free(view.tenants)
    free_relays(&view.relays)
    free(view.relay_addresses)
    free(view.locals)
    free(view.interface_ids)
    free(view.linkless)
    free_numbers(&view.subnets)
    free_numbers(&view.pools)


cdef void free_numbers(Numbers6* numbers) noexcept:
    free(numbers.what)
    free(numbers.numbers)
    free(numbers.index.slots)
