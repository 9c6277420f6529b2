"""Choice of which options of the plan a client gets, and from which scope (decisions: Options).

The most specific scope that has an option wins: reservation, class by priority, pool of the first lease, subnet with
the global ones behind it (merged when the subnet was compiled). They are sent in the order in which the client asks for
them (RFC 8415 section 18.3.10), then those that are to be sent unasked.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memset

from dhcp_fast.dhcp6.classes cimport has_vendor_class
from dhcp_fast.dhcp6.speaker cimport first_lease
from dhcp_fast.plan.compiled cimport CompiledOption, next_class
from dhcp_fast.plan.compiled6 cimport Pool6
from dhcp_fast.plan.subnets6 cimport pool_of_lease
from dhcp_fast.state.slot cimport Part
from dhcp_fast.state.state cimport Message6
from dhcp_fast.wire.codes6 cimport (
    MSG6_ADVERTISE, MSG6_INFORMATION_REQUEST, OPT6_ADDR_REG_ENABLE, OPT6_AFTR_NAME, OPT6_BOOTFILE_PARAM,
    OPT6_BOOTFILE_URL, OPT6_DNS_SERVERS, OPT6_DOMAIN_SEARCH,
    OPT6_INFORMATION_REFRESH_TIME, OPT6_ORO, OPT6_PREFERENCE, OPT6_VENDOR_CLASS, OPT6_VENDOR_OPTS)
from dhcp_fast.wire.cursor cimport Cursor, cursor, load_u16, load_u32, remaining
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.packet6 cimport asks6, has6, next_option6, vendor_part6
from dhcp_fast.wire.reply6 cimport put_option6

cdef enum:
    ENTERPRISE = 4              # octets of a vendor's number in front of its options
    IMPORTANT = 5

# Options that a client cannot work without.
cdef uint8_t* IMPORTANT_CODES = [
    OPT6_DNS_SERVERS, OPT6_AFTR_NAME, OPT6_BOOTFILE_URL, OPT6_BOOTFILE_PARAM, OPT6_DOMAIN_SEARCH]


cdef void gather(Scopes* scopes, const State* state, const Slot* slot, const Client6* client,
                 const Subnet6* subnet) noexcept nogil:
    """Gather the scopes of an answer in which the subnet speaks (speaker.pyx)."""
    cdef int i
    cdef const Pool6* pool
    cdef const Part* first = first_lease(slot)
    scopes.count = 0
    scopes.boot_url = Octets(NULL, 0)
    memset(scopes.present, 0, sizeof(scopes.present))
    forget_sent(scopes)
    if client.reservation != NULL and client.reservation.options != NULL:
        add(scopes, client.reservation.options)
    i = next_class(&client.classes, 0)
    while i >= 0:
        add(scopes, &client.subnet.tenant.classes[i].options)
        if scopes.boot_url.data == NULL:
            scopes.boot_url = client.subnet.tenant.classes[i].boot.file
        i = next_class(&client.classes, i + 1)
    if first != NULL:
        pool = pool_of_lease(state.plan6, client.subnet.tenant.no, first.hi, first.lo)
        if pool != NULL:
            add(scopes, &pool.options)
    add(scopes, &subnet.options)
    if scopes.boot_url.data == NULL:
        scopes.boot_url = subnet.boot_url


cdef void forget_sent(Scopes* scopes) noexcept nogil:
    """Forget the sent options, as if the answer had none yet."""
    memset(scopes.sent, 0, sizeof(scopes.sent))
    scopes.has_wide = False


cdef inline void add(Scopes* scopes, const OptionSet* options) noexcept nogil:
    cdef int i
    if not options.count:
        return
    scopes.at[scopes.count] = options
    scopes.count += 1
    for i in range(4):
        scopes.present[i] |= options.present[i]


cdef void put_important(Reply6* reply, const Packet6* packet, Scopes* scopes) noexcept nogil:
    """Put those of IMPORTANT_CODES that the client asks for."""
    cdef int i
    for i in range(IMPORTANT):
        if asks6(packet, IMPORTANT_CODES[i]):
            put_scoped(reply, packet, scopes, IMPORTANT_CODES[i])


cdef void put_options(
        Reply6* reply, const Packet6* packet, Scopes* scopes, const Subnet6* subnet, uint8_t kind) noexcept nogil:
    """Put options as asked, then unasked. Preference is of Advertises (section 21.8), the refresh time of answers to
    Information-requests (section 21.23)."""
    cdef int i
    cdef uint16_t code
    cdef Field oro
    if kind == MSG6_ADVERTISE:
        put_scoped(reply, packet, scopes, OPT6_PREFERENCE)
    mark(scopes, OPT6_PREFERENCE)
    if subnet.address_registration and asks6(packet, OPT6_ADDR_REG_ENABLE):
        put_option6(reply, OPT6_ADDR_REG_ENABLE, NULL, 0)       # RFC 9686 section 4.4
    if packet.message_type != MSG6_INFORMATION_REQUEST:
        mark(scopes, OPT6_INFORMATION_REFRESH_TIME)
    if has6(packet, OPT6_ORO):
        oro = packet.options[<int>OPT6_ORO]
        for i in range(0, oro.length - 1, 2):
            code = load_u16(oro.data + i)
            if code < 256:
                put_scoped(reply, packet, scopes, <uint8_t>code)
            else:
                put_wide(reply, packet, scopes, code)
    for i in range(scopes.count):
        if scopes.at[i].marked:
            put_marked(reply, packet, scopes, i)


cdef void put_supplied(Reply6* reply, const State* state, const Scopes* scopes) noexcept nogil:
    """Put the options that relays supply for a client that requests them (RFC 6422 section 6), if
    the setting permits them and the plan has none.
    """
    cdef int i
    cdef const Message6* message = state.message6
    for i in range(state.supplied_count):
        if asks6(&message.packet, state.supplied[i]) and not is_sent(scopes, state.supplied[i]):
            put_supplied_option(reply, &message.relays, state.supplied[i])


cdef void put_supplied_option(Reply6* reply, const Relays6* relays, uint16_t wanted) noexcept nogil:
    """Put the option of the nearest relay to the client that supplies it."""
    cdef int at
    cdef Cursor c
    cdef uint16_t code
    cdef Field value
    for at in range(relays.count - 1, -1, -1):
        c = cursor(relays.hops[at].supplied.data, relays.hops[at].supplied.length)
        while remaining(&c) and next_option6(&c, &code, &value):
            if code == wanted:
                put_option6(reply, code, value.data, value.length)
                return


cdef inline bint is_sent(const Scopes* scopes, uint16_t code) noexcept nogil:
    if code < 256:
        return (scopes.sent[code >> 6] >> (code & 63)) & 1
    return scopes.has_wide and (scopes.wide[code >> 6] >> (code & 63)) & 1


cdef void put_marked(Reply6* reply, const Packet6* packet, Scopes* scopes, int scope) noexcept nogil:
    """Put options marked always_send, whichever scope marks them; their value is still the most specific one."""
    cdef int i
    cdef const OptionSet* options = scopes.at[scope]
    for i in range(options.count):
        if options.items[i].always_send and options.items[i].code < 256:
            put_scoped(reply, packet, scopes, <uint8_t>options.items[i].code)
        elif options.items[i].always_send:
            put_wide(reply, packet, scopes, options.items[i].code)


cdef void put_wide(Reply6* reply, const Packet6* packet, Scopes* scopes, uint16_t code) noexcept nogil:
    """Put an option of a code that no bit stands for, from the most specific scope that has it; once."""
    cdef int i, at
    cdef const OptionSet* options
    if is_sent(scopes, code):
        return
    for i in range(scopes.count):
        options = scopes.at[i]
        for at in range(first_of(options, code), options.count):
            if options.items[at].code != code:
                break
            if fits(&options.items[at], packet):
                put_wide_value(reply, scopes, &options.items[at])
                return


cdef inline int first_of(const OptionSet* options, uint16_t code) noexcept nogil:
    """Return the first index of that code in the set, or its place; options are sorted by code.

    A client may request as many codes as fit a datagram, so each search takes few steps.
    """
    cdef int first = 0, middle, past = options.count
    while first < past:
        middle = (first + past) // 2
        if options.items[middle].code < code:
            first = middle + 1
        else:
            past = middle
    return first


cdef inline void put_wide_value(Reply6* reply, Scopes* scopes, const CompiledOption* item) noexcept nogil:
    """Put the value, unless the option is withheld. The bits are cleared for the answers that need them."""
    if item.value.data == NULL or not put_option6(reply, item.code, item.value.data, item.value.length):
        return
    if not scopes.has_wide:
        memset(scopes.wide, 0, sizeof(scopes.wide))
        scopes.has_wide = True
    scopes.wide[item.code >> 6] |= <uint64_t>1 << (item.code & 63)


cdef inline void mark(Scopes* scopes, uint8_t code) noexcept nogil:
    scopes.sent[code >> 6] |= <uint64_t>1 << (code & 63)


cdef void put_scoped(Reply6* reply, const Packet6* packet, Scopes* scopes, uint8_t code) noexcept nogil:
    cdef const CompiledOption* item
    if is_sent(scopes, code):
        return
    if code == OPT6_VENDOR_OPTS:
        put_vendor_options(reply, packet, scopes, asks6(packet, code))
        mark(scopes, code)
        return
    item = find_option(scopes, packet, code)
    if item != NULL and item.value.data != NULL:
        put_each(reply, item)
        mark(scopes, code)
    elif item == NULL and code == OPT6_BOOTFILE_URL and scopes.boot_url.data != NULL:
        put_option6(reply, code, scopes.boot_url.data, scopes.boot_url.length)
        mark(scopes, code)


cdef inline void put_each(Reply6* reply, const CompiledOption* item) noexcept nogil:
    """Put an option, or those that its row became: as many of them as there is room for."""
    while put_option6(reply, item.code, item.value.data, item.value.length) and item.more:
        item += 1


cdef const CompiledOption* find_option(const Scopes* scopes, const Packet6* packet, uint8_t code) noexcept nogil:
    """Return the option, its first one, from the most specific scope that has it or withholds it; NULL when none
    does."""
    cdef int i
    cdef const CompiledOption* found
    if (scopes.present[code >> 6] >> (code & 63)) & 1:
        for i in range(scopes.count):
            found = look(scopes.at[i], packet, code)
            if found != NULL:
                return found
    return NULL


cdef const CompiledOption* look(const OptionSet* options, const Packet6* packet, uint8_t code) noexcept nogil:
    cdef int i
    if not (options.present[code >> 6] >> (code & 63)) & 1:
        return NULL
    for i in range(options.count):
        if options.items[i].code == code and fits(&options.items[i], packet):
            return &options.items[i]
    return NULL


cdef bint fits(const CompiledOption* item, const Packet6* packet) noexcept nogil:
    """Return whether the option is for the client.

    An option bound to a vendor class is for clients with a vendor class that begins with it. Option
    17 may be bound to an enterprise number, which the client sends in option 16 or 17.
    """
    if not item.vendor_class.length:
        return True
    if item.enterprise and item.code == OPT6_VENDOR_OPTS:
        return (vendor_part6(packet, OPT6_VENDOR_CLASS, item.enterprise).data != NULL
                or vendor_part6(packet, OPT6_VENDOR_OPTS, item.enterprise).data != NULL)
    return has_vendor_class(packet, &item.vendor_class)


# --- option 17, one an enterprise (RFC 8415 section 21.17)

cdef void put_vendor_options(Reply6* reply, const Packet6* packet, Scopes* scopes, bint asked) noexcept nogil:
    """Put for each enterprise the most specific option that fits the client; without a request only
    those that a scope marks. An option withheld from all clients by a scope is not taken from a
    wider one.
    """
    cdef int i, at
    cdef const CompiledOption* item
    for i in range(scopes.count):
        for at in range(scopes.at[i].count):
            item = &scopes.at[i].items[at]
            if item.code != OPT6_VENDOR_OPTS or not fits(item, packet):
                continue
            if item.value.data == NULL and not item.enterprise:
                return
            if (item.value.data != NULL and (asked or is_marked(scopes, packet, enterprise_of(item)))
                    and not is_decided(scopes, packet, i, at)):
                put_option6(reply, OPT6_VENDOR_OPTS, item.value.data, item.value.length)


cdef inline uint32_t enterprise_of(const CompiledOption* item) noexcept nogil:
    """Return the enterprise of option 17, also of a withheld one."""
    return load_u32(item.value.data) if item.value.length >= ENTERPRISE else item.enterprise


cdef bint is_decided(const Scopes* scopes, const Packet6* packet, int scope, int place) noexcept nogil:
    """Return whether a more specific row, or one in front of it, speaks for the same enterprise."""
    cdef int i, at
    cdef const CompiledOption* item
    cdef uint32_t enterprise = enterprise_of(&scopes.at[scope].items[place])
    for i in range(scope + 1):
        for at in range(place if i == scope else scopes.at[i].count):
            item = &scopes.at[i].items[at]
            if item.code == OPT6_VENDOR_OPTS and enterprise_of(item) == enterprise and fits(item, packet):
                return True
    return False


cdef bint is_marked(const Scopes* scopes, const Packet6* packet, uint32_t enterprise) noexcept nogil:
    """Return whether a scope marks the enterprise's option to be sent without a request."""
    cdef int i, at
    cdef const CompiledOption* item
    for i in range(scopes.count):
        for at in range(scopes.at[i].count):
            item = &scopes.at[i].items[at]
            if (item.always_send and item.code == OPT6_VENDOR_OPTS and enterprise_of(item) == enterprise
                    and fits(item, packet)):
                return True
    return False
