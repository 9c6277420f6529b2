"""Relay information of option 82 (RFC 3046 section 2.0), as far as it can be read."""

from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memcpy

from dhcp_fast.wire.codes cimport (
    OPT_DHCP_AGENT_OPTIONS, RAI_CIRCUIT_ID, RAI_LINK_SELECTION, RAI_RELAY_FLAGS, RAI_RELAY_ID, RAI_RELAY_PORT,
    RAI_REMOTE_ID, RAI_SERVER_ID_OVERRIDE, RAI_SUBSCRIBER_ID, RAI_VIRTUAL_SUBNET_SELECT,
    RAI_VIRTUAL_SUBNET_SELECT_CTRL)
from dhcp_fast.wire.cursor cimport Cursor, cursor, remaining, take
from dhcp_fast.wire.view4 cimport SCRATCH, Field, Packet4, has, note_ignored


cdef void clear_relay_information(Packet4* packet) noexcept nogil:
    packet.circuit_id.data = NULL
    packet.remote_id.data = NULL
    packet.relay_id.data = NULL
    packet.subscriber_id.data = NULL
    packet.link_selection.data = NULL
    packet.server_override.data = NULL
    packet.network.data = NULL
    packet.used_network.data = NULL
    packet.relay_said.data = NULL
    packet.relay_echo.data = NULL
    packet.relay_port = False
    packet.relay_flags.data = NULL


cdef void read_relay_information(Packet4* packet) noexcept nogil:
    """Read the sub-options before a cut one; a malformed one counts as absent. The echo is all of it, unchanged."""
    cdef Cursor c
    cdef uint8_t code
    cdef Field value
    clear_relay_information(packet)
    if not has(packet, OPT_DHCP_AGENT_OPTIONS):
        return
    packet.relay_said = packet.relay_echo = packet.options[<int>OPT_DHCP_AGENT_OPTIONS]
    c = cursor(packet.relay_said.data, packet.relay_said.length)
    while next_suboption(&c, &code, &value):
        if not keep_relay_value(packet, code, value):
            note_ignored(&packet.ignored, OPT_DHCP_AGENT_OPTIONS)
    if remaining(&c) or packet.relay_said.length == 0:
        note_ignored(&packet.ignored, OPT_DHCP_AGENT_OPTIONS)
        if remaining(&c) and c.p[0] == RAI_VIRTUAL_SUBNET_SELECT:   # names a network that no tenant has
            keep_first(&packet.network, Field(c.p, 0))


cdef inline bint next_suboption(Cursor* c, uint8_t* code, Field* value) noexcept nogil:
    """Return False at the end, and before a sub-option that is cut: then the cursor is where that begins."""
    cdef const uint8_t* heading = take(c, 2)
    if heading == NULL:
        return False
    code[0] = heading[0]
    value.length = heading[1]
    value.data = take(c, value.length)
    if value.data == NULL:
        c.p = heading
    return value.data != NULL


cdef bint keep_relay_value(Packet4* packet, uint8_t code, Field value) noexcept nogil:
    """Keep the first value of a repeated sub-option. False when it is malformed, and not kept."""
    if code == RAI_CIRCUIT_ID:
        return keep_first(&packet.circuit_id, value)
    elif code == RAI_REMOTE_ID:
        return keep_first(&packet.remote_id, value)
    elif code == RAI_SUBSCRIBER_ID:             # RFC 3993 section 2
        return keep_first(&packet.subscriber_id, value)
    elif code == RAI_RELAY_ID:                  # RFC 6925 section 4: a DUID
        return keep_first(&packet.relay_id, value)
    elif code == RAI_LINK_SELECTION:            # RFC 3527 section 3
        return value.length == 4 and keep_first(&packet.link_selection, value)
    elif code == RAI_RELAY_FLAGS:               # RFC 5010 section 2
        return value.length == 1 and keep_first(&packet.relay_flags, value)
    elif code == RAI_SERVER_ID_OVERRIDE:        # RFC 5107 section 4
        return value.length == 4 and keep_first(&packet.server_override, value)
    elif code == RAI_RELAY_PORT:                # RFC 8357 section 4.1: no data
        packet.relay_port |= value.length == 0
        return value.length == 0
    elif code == RAI_VIRTUAL_SUBNET_SELECT:     # RFC 6607 section 3.3: a type octet at least, else nobody's network
        return keep_first(&packet.network, value) and value.length >= 1
    elif code == RAI_VIRTUAL_SUBNET_SELECT_CTRL:    # section 3.4: no data
        return value.length == 0
    return True


cdef inline bint keep_first(Field* kept, Field value) noexcept nogil:
    """Return True, so that a reader may end with it."""
    if kept.data == NULL:
        kept[0] = value
    return True


cdef void use_network(Packet4* packet, Field network) noexcept nogil:
    """Use the network by which the tenant was chosen: the reply leaves out the control sub-option
    of the echo (RFC 6607 section 7.2). Without room for a copy the echo stays as it came, and the
    relay assumes that the network is unknown.
    """
    cdef Cursor c = cursor(packet.relay_echo.data, packet.relay_echo.length)
    cdef Field copy, value
    cdef const uint8_t* start = c.p
    cdef uint8_t code
    packet.used_network = network
    if packet.network.data == NULL or packet.scratch_used + packet.relay_echo.length > SCRATCH:
        return
    copy.data = packet.scratch + packet.scratch_used
    copy.length = 0
    while next_suboption(&c, &code, &value):
        if code != RAI_VIRTUAL_SUBNET_SELECT_CTRL:
            append(packet, &copy, start, c.p)
        start = c.p
    append(packet, &copy, start, c.end)         # the rest is cut
    packet.relay_echo = copy


cdef void append(Packet4* packet, Field* copy, const uint8_t* start, const uint8_t* end) noexcept nogil:
    cdef uint16_t length = <uint16_t>(end - start)
    memcpy(packet.scratch + packet.scratch_used, start, length)
    packet.scratch_used += length
    copy.length += length
