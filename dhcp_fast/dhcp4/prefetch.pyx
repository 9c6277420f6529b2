"""Prefetch of the memory that a batch will need, before its first packet is decided.

With ten million leases, a million reservations and ten thousand subnets hardly any of them is in a
cache of the processor. A packet that is decided alone waits for some forty of them in turn, a tenth
of a microsecond each. So the addresses that a batch will read are predicted in rounds: the memory
of a round has arrived when the next one, which depends on it, begins. The prefetches of a round are
adjacent in the code, because a processor waits for few lines at once and looks only some hundred
instructions ahead. A prediction changes nothing, and a wrong one costs only the prefetch. Small
sites are left alone.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.leases.lease_prefetch cimport (
    prefetch_address, prefetch_client, prefetch_first, prefetch_second_of_address, prefetch_second_of_client,
    splits_prefetch)
from dhcp_fast.structures.siphash cimport mix
from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.structures.cache_lines cimport LINE
from dhcp_fast.leases.offers cimport bucket_of
from dhcp_fast.leases.pools cimport Pool, pool_covers, space_covers
from dhcp_fast.structures.prefetch cimport prefetch
from dhcp_fast.structures.keymap cimport keymap_get
from dhcp_fast.leases.client_identity cimport BY_HARDWARE, identity_hash
from dhcp_fast.plan.subnets cimport prefetch_range, prefetch_search, subnet_in_range, subnet_of_relay
from dhcp_fast.state.queue cimport running, slot_at
from dhcp_fast.state.slot cimport NO_SLOT
from dhcp_fast.plan.compiled cimport CompiledOption, PlanView, Subnet4
from dhcp_fast.net.udp cimport BATCH
from dhcp_fast.wire.codes cimport (
    DHCPDISCOVER, OPT_DHCP_AGENT_OPTIONS, OPT_DHCP_MESSAGE_TYPE, OPT_DHCP_REQUESTED_ADDRESS, OPT_END, OPT_PAD,
    RAI_LINK_SELECTION)
from dhcp_fast.wire.cursor cimport load_u32
from dhcp_fast.wire.packet4 cimport HEADER4

cdef enum:
    OPTION_LINES = 5
    MANY_LEASES = 65536
    MANY_SUBNETS = 256
    # Places in the fixed part (RFC 2131 section 2).
    HTYPE = 1
    HLEN = 2
    CIADDR = 12
    GIADDR = 24
    CHADDR = 28
    CHADDR_ROOM = 16

# Memory about to be read; zeros if unknown.
cdef struct Guess:
    uint64_t client
    uint32_t tenant_no, address, link
    uint32_t relay          # which names the subnet if it is in its relay_addresses
    uint32_t index          # of the subnet: among the ranges, or by its number
    uint32_t subnet_no      # of a written row
    bint sought             # by a DISCOVER, which looks at the client's leases; others at the address's
    Subnet4* subnet
    const uint32_t* by_address      # where the chains begin; NULL: nobody will look
    const uint32_t* by_client


cdef inline bint is_small(const State* state) noexcept nogil:
    return state.leases.used < MANY_LEASES and state.plan.subnet_count < MANY_SUBNETS


cdef void look_ahead(const State* state, Datagram** packets, int count) noexcept nogil:
    """Look ahead up to BATCH packets, before the first of them is decided."""
    cdef Guess guesses[BATCH]
    cdef int i
    if is_small(state):
        return
    for i in range(count):
        guess_packet(state, packets[i], &guesses[i])
    for i in range(count):
        ask_for_buckets(state, &guesses[i], not guesses[i].sought, guesses[i].sought)
        prefetch_search(state.plan, guesses[i].link)
    for i in range(count):
        ask_for_entries(state, &guesses[i])
        guesses[i].index = prefetch_range(state.plan, guesses[i].link)
    for i in range(count):
        guesses[i].subnet = guessed_subnet(state.plan, &guesses[i])
        ask_for_subnet(guesses[i].subnet)
    for i in range(count):
        ask_for_next(state, &guesses[i])
    ask_for_parts(state, guesses, count)


cdef void look_ahead_won(const State* state, const WonRow* rows, int64_t count, bint granted) noexcept nogil:
    """Prefetch for up to BATCH written rows before the first of them is learned, which needs less
    than a packet. Rows that were `granted` may be new to the table, which then has buckets to
    split.
    """
    cdef Guess guesses[BATCH]
    cdef int64_t i
    if is_small(state):
        return
    if granted:
        splits_prefetch(state.leases, <uint32_t>count)
    for i in range(count):
        guess_row(state, &rows[i], &guesses[i])
    for i in range(count):
        ask_for_buckets(state, &guesses[i], True, True)
        prefetch(&state.plan.by_no.slots[mix(guesses[i].subnet_no) & state.plan.by_no.mask])
    for i in range(count):
        ask_for_entries(state, &guesses[i])
        guesses[i].index = keymap_get(&state.plan.by_no, guesses[i].subnet_no)
        prefetch(&state.plan.subnets[guesses[i].index - 1 if guesses[i].index else 0])
    for i in range(count):
        guesses[i].subnet = state.plan.subnets[guesses[i].index - 1] if guesses[i].index else NULL
        ask_for_ends(guesses[i].subnet)
    for i in range(count):
        ask_for_next(state, &guesses[i])
    ask_for_address_bits(state, guesses, <int>count, granted)


cdef void guess_packet(const State* state, const Datagram* packet, Guess* guess) noexcept nogil:
    """Guess the client as most are known: by hardware address, in the default tenant."""
    cdef Octets hardware
    guess.client = guess.address = guess.link = guess.relay = 0
    guess.sought = False
    guess.tenant_no = state.plan.relays.default_tenant
    if packet.length < HEADER4:
        return
    hardware.data = packet.data + CHADDR
    hardware.length = min(<uint16_t>packet.data[HLEN], <uint16_t>CHADDR_ROOM)
    guess.client = identity_hash(state.hash_key, BY_HARDWARE, packet.data[HTYPE], &hardware)
    guess.address = load_u32(packet.data + CIADDR)
    guess_options(packet, guess)
    if not guess.link:
        guess.relay = load_u32(packet.data + GIADDR)
        guess.link = guess.relay or guess.address


cdef void guess_options(const Datagram* packet, Guess* guess) noexcept nogil:
    """Guess the asked options, the requested address, and the link that a relay selects."""
    cdef const uint8_t* p = packet.data + HEADER4
    cdef const uint8_t* end = packet.data + packet.length
    while p + 2 <= end and p[0] != OPT_END:
        if p[0] == OPT_PAD:
            p += 1
            continue
        if p + 2 + p[1] > end:
            return
        if p[0] == OPT_DHCP_MESSAGE_TYPE and p[1] == 1:
            guess.sought = p[2] == DHCPDISCOVER
        elif p[0] == OPT_DHCP_REQUESTED_ADDRESS and p[1] == 4:
            guess.address = load_u32(p + 2)
        elif p[0] == OPT_DHCP_AGENT_OPTIONS:
            guess.link = selected_link(p + 2, p + 2 + p[1])
        p += 2 + p[1]


cdef inline uint32_t selected_link(const uint8_t* p, const uint8_t* end) noexcept nogil:
    while p + 2 <= end and p + 2 + p[1] <= end:
        if p[0] == RAI_LINK_SELECTION and p[1] == 4:
            return load_u32(p + 2)
        p += 2 + p[1]
    return 0


cdef inline Subnet4* guessed_subnet(const PlanView* plan, const Guess* guess) noexcept nogil:
    if guess.relay and plan.relay_address_count:
        return subnet_of_relay(plan, guess.relay, guess.tenant_no)
    return subnet_in_range(plan, guess.index, guess.link)


cdef void guess_row(const State* state, const WonRow* row, Guess* guess) noexcept nogil:
    cdef uint32_t index = running(state.queue, row.tenant_no, row.hi, row.lo)
    guess.client = slot_at(state.queue, index).op.client if index != NO_SLOT else 0
    guess.subnet_no = slot_at(state.queue, index).op.subnet_no if index != NO_SLOT else 0
    guess.tenant_no = row.tenant_no
    guess.address = <uint32_t>row.lo


cdef inline void ask_for_buckets(const State* state, Guess* guess, bint by_address, bint by_client) noexcept nogil:
    guess.by_address = guess.by_client = NULL
    if by_address:
        guess.by_address = prefetch_address(state.leases, guess.tenant_no, 0, guess.address)
    if by_client:
        guess.by_client = prefetch_client(state.leases, guess.client)


cdef inline void ask_for_entries(const State* state, const Guess* guess) noexcept nogil:
    if guess.by_address != NULL:
        prefetch_first(state.leases, guess.by_address)
    if guess.by_client != NULL:
        prefetch_first(state.leases, guess.by_client)


cdef inline void ask_for_next(const State* state, const Guess* guess) noexcept nogil:
    if guess.by_address != NULL:
        prefetch_second_of_address(state.leases, guess.by_address, guess.address)
    if guess.by_client != NULL:
        prefetch_second_of_client(state.leases, guess.by_client, guess.client)


cdef void ask_for_parts(const State* state, Guess* guesses, int count) noexcept nogil:
    """Prefetch parts of the subnets that are there: for the decision, and for the reply."""
    cdef int i
    for i in range(count):
        if guesses[i].subnet != NULL:
            ask_for_tables(state, &guesses[i])
    for i in range(count):
        if guesses[i].subnet != NULL:
            ask_for_addresses(&guesses[i])
    for i in range(count):
        if guesses[i].subnet != NULL and guesses[i].sought:
            ask_for_words(&guesses[i])


cdef void ask_for_address_bits(const State* state, const Guess* guesses, int count, bint granted) noexcept nogil:
    """Prefetch the bit of the address in the subnet's space and, for a grant, which changes it, the
    pool and the client's offer.
    """
    cdef int i
    for i in range(count):
        if guesses[i].subnet != NULL:
            prefetch(guesses[i].subnet.space)
            if granted:
                prefetch(&state.offers.buckets[bucket_of(guesses[i].client, guesses[i].subnet.no)])
                prefetch(guesses[i].subnet.pools)
    for i in range(count):
        if guesses[i].subnet != NULL:
            ask_for_taken_word(&guesses[i])
            if granted:
                ask_for_free_bits(&guesses[i])
    for i in range(count):
        if guesses[i].subnet != NULL and granted:
            ask_for_free_word(&guesses[i])


cdef inline void ask_for_subnet(const Subnet4* subnet) noexcept nogil:
    cdef int line
    if subnet == NULL:
        return
    for line in range(<int>(sizeof(Subnet4) // LINE + 1)):
        prefetch(<const char*>subnet + line * LINE)


cdef inline void ask_for_ends(const Subnet4* subnet) noexcept nogil:
    """Prefetch for a written row: number and network, pools, and what it belongs to."""
    if subnet == NULL:
        return
    prefetch(subnet)
    prefetch(&subnet.pools)
    prefetch(&subnet.tenant)
    prefetch(&subnet.next_on_wire)


cdef inline void ask_for_tables(const State* state, const Guess* guess) noexcept nogil:
    cdef const Subnet4* subnet = guess.subnet
    cdef int line
    if (subnet.reserved_kinds >> BY_HARDWARE) & 1:
        prefetch(&subnet.by_identity.slots[mix(guess.client) & subnet.by_identity.mask])
    if guess.sought:
        prefetch(&state.offers.buckets[bucket_of(guess.client, subnet.no)])
        prefetch(subnet.space)
    prefetch(subnet.pools)
    if subnet.pool_options != NULL:
        prefetch(subnet.pool_options)
    for line in range(min(<int>(subnet.options.count * sizeof(CompiledOption)) // LINE + 2, OPTION_LINES)):
        # With their octets, which lie behind them.
        prefetch(<const char*>subnet.options.items + line * LINE)


cdef inline void ask_for_addresses(const Guess* guess) noexcept nogil:
    """Prefetch whether the pool permits the address that the client names, and where an address is sought, what is
    free."""
    ask_for_permitted_word(guess)
    if guess.sought:
        ask_for_taken_word(guess)
        ask_for_free_bits(guess)


cdef inline void ask_for_taken_word(const Guess* guess) noexcept nogil:
    cdef const Subnet4* subnet = guess.subnet
    cdef uint32_t at
    if space_covers(subnet.space, guess.address):
        at = guess.address - subnet.space.base
        prefetch(&subnet.space.taken[at >> 6])
        prefetch(&subnet.space.offered[at >> 6])


cdef inline void ask_for_free_bits(const Guess* guess) noexcept nogil:
    cdef const Pool* pool = guess.subnet.pools
    if guess.subnet.pool_count:
        prefetch(pool.free)


cdef inline void ask_for_permitted_word(const Guess* guess) noexcept nogil:
    cdef const Pool* pool = guess.subnet.pools
    if guess.subnet.pool_count and pool_covers(pool, guess.address):
        prefetch(&pool.permitted[(guess.address - pool.start) >> 6])


cdef inline void ask_for_free_word(const Guess* guess) noexcept nogil:
    """Prefetch the word with the bit of the free address."""
    cdef const Pool* pool = guess.subnet.pools
    if guess.subnet.pool_count and pool_covers(pool, guess.address):
        prefetch(&pool.free.level[0][(guess.address - pool.start) >> 6])


cdef inline void ask_for_words(Guess* guess) noexcept nogil:
    """Prefetch the position in the pool where the search begins."""
    cdef const Pool* pool = guess.subnet.pools
    cdef uint64_t position
    if not guess.subnet.pool_count or not pool.free.size:
        return
    position = mix(guess.client ^ guess.subnet.network) % pool.free.size
    prefetch(&pool.free.level[0][position >> 6])
    guess.address = <uint32_t>(pool.start + position)
    ask_for_taken_word(guess)
