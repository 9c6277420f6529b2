"""Name of a client in the making, for both families: read from either encoding, or made of its
address, and completed.

Each family's hostname.pyx reads and answers the option itself (81, RFC 4702; 39, RFC 4704).
"""

from libc.stdint cimport uint32_t
from libc.string cimport memchr, memcpy, memmove, strncasecmp

from dhcp_fast.plan.compiled cimport NAME_ALWAYS, NAME_WHEN_PRESENT
from dhcp_fast.wire.names cimport LONGEST_LABEL, is_dotted, trimmed

cdef const char* DIGITS = "0123456789abcdef"


cdef void read_ascii(Name* name, const uint8_t* text, uint16_t length) noexcept nogil:
    """Read the old encoding (RFC 4702 section 2.3.2).

    A name with a dot in it counts as complete: clients omit the last one.
    """
    cdef uint16_t i
    length = trimmed(text, length)
    for i in range(length):
        name.text[i] = name_octet(text[i])
    name.length = length
    name.whole = length and memchr(text, b'.', length) != NULL


cdef void read_labels(Name* name, const uint8_t* wire, uint16_t length) noexcept nogil:
    """Read canonical wire format without compression (RFC 4702 section 2.3.1, RFC 4704 section
    4.2); a name without the root label is partial.
    """
    cdef uint16_t at = 0, i, size
    while at < length and wire[at]:
        size = wire[at]
        at += 1
        if name.length:
            name.text[name.length] = b'.'
            name.length += 1
        for i in range(size):
            name.text[name.length + i] = b'-' if wire[at + i] == b'.' else name_octet(wire[at + i])
        name.length += size
        at += size
    name.whole = at < length and memchr(name.text, b'.', name.length) != NULL


# --- the name by the subnet's settings

cdef bint is_replaced(const Name* name, const Naming* naming) noexcept nogil:
    """Return whether ddns_replace_client_name applies; a client that sends an empty name always
    leaves it to the server (RFC 4702 section 3.1, RFC 4704 section 4.2).
    """
    return not name.length or naming.replace == NAME_ALWAYS or naming.replace == NAME_WHEN_PRESENT


cdef void confine(Name* name, const Naming* naming, const Octets* blocked) noexcept nogil:
    """Make of a client's name what it may be called: its first label, as a host name has it (RFC 1123), below the
    domain that it sent only if the subnet lists that. Empty: nothing is left, or no client may have it. The same rule
    is in ipam_core/dns/host_names.py."""
    cdef const uint8_t* dot = <const uint8_t*>memchr(name.text, b'.', name.length)
    cdef uint16_t end = <uint16_t>(dot - name.text) if dot != NULL else name.length
    cdef uint16_t tail = name.length - end      # the dot and the domain
    cdef uint16_t start = 0, size, whole = end
    name.whole = tail > 1 and is_among(&naming.client_domains, dot + 1, tail - 1)
    hyphenate(name.text, end)
    while start < end and name.text[start] == b'-':
        start += 1
    while end > start and name.text[end - 1] == b'-':
        end -= 1
    size = end - start
    name.length = 0
    if not size or size > LONGEST_LABEL or is_among(blocked, name.text + start, size):
        return
    memmove(name.text, name.text + start, size)
    if name.whole:
        memmove(name.text + size, name.text + whole, tail)
    name.length = size + (tail if name.whole else 0)


cdef void hyphenate(uint8_t* text, uint16_t length) noexcept nogil:
    cdef uint16_t i
    for i in range(length):
        if not (b'a' <= text[i] <= b'z' or b'A' <= text[i] <= b'Z' or b'0' <= text[i] <= b'9'):
            text[i] = b'-'


cdef bint is_among(const Octets* names, const uint8_t* text, uint16_t length) noexcept nogil:
    """Return whether one of the names, one per line, is this one in either case."""
    cdef uint32_t at = 0, end
    while at < names.length:
        end = at
        while end < names.length and names.data[end] != b'\n':
            end += 1
        if end - at == length and not strncasecmp(<const char*>names.data + at, <const char*>text, length):
            return True
        at = end + 1
    return False


cdef void begin_generated(Name* name, const Naming* naming, uint16_t address_length) noexcept nogil:
    """Write the subnet's prefix, as much of it as leaves room in the label for an address in
    `address_length` octets.
    """
    name.whole = False
    name.length = min(naming.prefix.length, <uint16_t>(LONGEST_LABEL - address_length))
    if name.length:
        memcpy(name.text, naming.prefix.data, name.length)


cdef void put_number(Name* name, uint32_t number, uint32_t base) noexcept nogil:
    if number >= base:
        put_number(name, number // base, base)
    name.text[name.length] = DIGITS[number % base]
    name.length += 1


cdef void qualify(Name* name, const Octets* domain) noexcept nogil:
    """Put the subnet's domain behind a partial name, where there is one and it fits."""
    if not domain.length or name.length + 1 + domain.length > LONGEST_NAME:
        return
    name.text[name.length] = b'.'
    memcpy(name.text + name.length + 1, domain.data, domain.length)
    name.length += 1 + domain.length


cdef uint8_t update_flags(
        const Naming* naming, uint8_t asked, uint8_t no_update, bint planned, bint named) noexcept nogil:
    """Return the flags of RFC 4702 and RFC 4704, sections 4 and 6 each: S as the server will do, N
    if it does nothing at all, O if S is not the client's request. N of a client counts even beside
    S. `no_update` is N's bit, which differs between the families. `planned`: the name is a
    reservation's, which is in DNS whatever its client requests. `named`: there is a name to be
    written. The workers do the same (ipam_core/dns/host_names.py).
    """
    cdef uint8_t wanted = 0 if asked & no_update else asked & SERVER_UPDATES
    cdef uint8_t given = wanted
    cdef uint8_t flags = 0
    if not naming.ddns or not named:
        given = 0
        flags = no_update
    elif planned:
        given = SERVER_UPDATES
    elif asked & no_update:
        given = SERVER_UPDATES if naming.override_no_update else 0
        flags = 0 if given else no_update
    elif naming.override_client_update:
        given = SERVER_UPDATES
    return flags | given | (OVERRIDDEN if given != wanted else 0)


cdef uint16_t write_labels(uint8_t* wire, const uint8_t* text, uint16_t length) noexcept nogil:
    """Return the name as DNS writes it; a name of one label is partial and has no root label. Its length on the wire.

    A stored host name that DNS could not hold (a reservation's may be anything) is left out.
    """
    cdef uint16_t i, start = 0
    if not length or not is_dotted(text, length):
        return 0
    memcpy(wire + 1, text, length)
    for i in range(length + 1):
        if i == length or text[i] == b'.':
            wire[start] = <uint8_t>(i - start)
            start = i + 1
    if memchr(text, b'.', length) == NULL:
        return length + 1
    wire[length + 1] = 0
    return length + 2
