# DHCPv6 messages behind a relay, as far as the storm and the stub read them.
from libc.stdint cimport uint8_t

cdef enum:
    SOLICIT = 1
    ADVERTISE = 2
    REPLY = 7
    RELAY_FORW = 12
    RELAY_REPL = 13
    RELAY_HEADER = 34
    OPT_CLIENT_ID = 1
    OPT_IA_NA = 3
    OPT_IAADDR = 5
    OPT_RELAY_MSG = 9
    OPT_IA_PD = 25
    OPT_IAPREFIX = 26


cdef inline int find(const uint8_t *data, int at, int end, int wanted, int *size) noexcept nogil:
    """Return the place of an option's value, and its size; -1 when it is not there."""
    cdef int code
    while at + 4 <= end:
        code = data[at] << 8 | data[at + 1]
        size[0] = data[at + 2] << 8 | data[at + 3]
        at += 4
        if at + size[0] > end:
            return -1
        if code == wanted:
            return at
        at += size[0]
    return -1
