"""View of what the DHCPv6 codec makes of octets, as Python objects, for tests and tools; the packet path never makes
them."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.wire.codes6 cimport OPT6_VENDOR_CLASS, OPT6_VENDOR_OPTS
from dhcp_fast.wire.cursor cimport Cursor, cursor, load_u32, remaining
from dhcp_fast.wire.duid cimport Duid, is_duid, read_duid
from dhcp_fast.wire.faults6 cimport FAULT6_NONE, Fault6
from dhcp_fast.wire.ignored cimport Ignored, is_ignored
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.packet6 cimport (
    ADDRESS6, HEADER6, Ia6, IaAddress6, Packet6, asks6, check6, elapsed6, has6, is_well_formed6, names_another_server,
    next_option6,
    option6, parse6, vendor_part6)
from dhcp_fast.wire.relay6 cimport (
    Hop6, Relays6, copy_relays6, innermost6, open_relays6, outermost6, put_relays6)
from dhcp_fast.wire.reply6 cimport (
    REPLY6_BUFFER, Reply6, begin_message6, begin_reply6, close_option6, drop_option6, finish_reply6, open_ia6,
    put_address6, put_option6, put_prefix6, put_status6, put_u8_6, put_u32_6)

from ipam_core.dhcp.reasons import FAULT_NAMES6


def inspect6(bytes data not None):
    """Return the fault's name, or a dict: header, the first of each option, identity associations, and under `discard`
    the fault for which a server discards what is well-formed."""
    cdef Packet6 packet
    cdef Fault6 fault = parse6(&packet, octets_of(data), PyBytes_GET_SIZE(data))
    if fault != FAULT6_NONE:
        return FAULT_NAMES6[<int>fault]
    return message(&packet)


cdef inline const uint8_t* octets_of(bytes data):
    return <const uint8_t*>PyBytes_AS_STRING(data)


cdef dict message(const Packet6* packet):
    cdef int at
    codes = all_codes(packet)
    return {
        "message_type": packet.message_type, "transaction_id": packet.transaction_id,
        "options": {code: field(option6(packet, code)) for code in codes if option6(packet, code).data != NULL},
        "asked": [code for code in asked_codes(packet) if asks6(packet, code)],
        "elapsed": elapsed6(packet),
        "ias": [association(packet, &packet.ias[at]) for at in range(packet.ia_count)],
        "registered": None if packet.registered.address == NULL else address(&packet.registered),
        "vendor_class": vendor_parts(packet, OPT6_VENDOR_CLASS),
        "vendor_opts": vendor_parts(packet, OPT6_VENDOR_OPTS),
        "ignored": ignored_codes(&packet.ignored),
        "discard": FAULT_NAMES6[<int>check6(packet)],
    }


cdef list ignored_codes(const Ignored* ignored):
    """Return codes of options that count as absent, in order."""
    return [code for code in range(256) if is_ignored(ignored, <uint8_t>code)]


cdef list all_codes(const Packet6* packet):
    """Return the codes in the order of first appearance."""
    cdef Cursor c = cursor(packet.raw + HEADER6, packet.length - HEADER6)
    cdef uint16_t code
    cdef Field value
    found = {}
    while remaining(&c) and next_option6(&c, &code, &value):
        found[code] = None
    return list(found)


cdef list asked_codes(const Packet6* packet):
    oro = field(option6(packet, 6)) or b""
    return [oro[at] << 8 | oro[at + 1] for at in range(0, len(oro), 2)]


cdef dict vendor_parts(const Packet6* packet, uint8_t code):
    """Return what follows the enterprise number, by enterprise."""
    cdef Cursor c = cursor(packet.raw + HEADER6, packet.length - HEADER6)
    cdef uint16_t found
    cdef Field value
    parts = {}
    while has6(packet, code) and remaining(&c) and next_option6(&c, &found, &value):
        if found == code and is_well_formed6(code, value):
            parts[load_u32(value.data)] = field(vendor_part6(packet, code, load_u32(value.data)))
    return parts


cdef dict association(const Packet6* packet, const Ia6* ia):
    cdef int at
    return {
        "kind": ia.kind, "iaid": ia.iaid, "t1": ia.t1, "t2": ia.t2,
        "addresses": [address(&packet.addresses[at]) for at in range(ia.first, ia.first + ia.count)],
    }


cdef dict address(const IaAddress6* item):
    return {
        "address": item.address[:ADDRESS6], "length": item.length, "preferred": item.preferred, "valid": item.valid,
        "excluded": field(item.excluded),
    }


cdef bytes field(Field value):
    return None if value.data == NULL else value.data[:value.length]


def inspect_duid(bytes data not None):
    """Return a DUID's parts, or None when its length is not lawful."""
    cdef Field value
    cdef Duid duid
    if len(data) > 0xFFFF:
        return None
    value.data = octets_of(data)
    value.length = <uint16_t>len(data)
    if not is_duid(value):
        return None
    duid = read_duid(value)
    return {
        "kind": duid.kind, "hardware_type": duid.hardware_type, "time": duid.time, "enterprise": duid.enterprise,
        "identifier": field(duid.identifier),
    }


def inspect_relays6(bytes data not None):
    """Return the fault's name, or a dict: the envelopes' hops, outermost first, and the message in them."""
    cdef Relays6 relays
    cdef Field inner
    cdef Fault6 fault = open_relays6(&relays, octets_of(data), PyBytes_GET_SIZE(data), &inner)
    cdef int at
    if fault != FAULT6_NONE:
        return FAULT_NAMES6[<int>fault]
    return {"hops": [hop(&relays.hops[at]) for at in range(relays.count)], "message": field(inner),
            "ignored": ignored_codes(&relays.ignored)}


cdef dict hop(const Hop6* h):
    return {
        "hop_count": h.hop_count, "link_address": h.link_address[:ADDRESS6], "peer_address": h.peer_address[:ADDRESS6],
        "options": field(h.options), "interface_id": field(h.interface_id), "remote_id": field(h.remote_id),
        "subscriber_id": field(h.subscriber_id), "relay_id": field(h.relay_id), "link_layer": field(h.link_layer),
        "network": field(h.network), "supplied": field(h.supplied), "echo_request": field(h.echo_request),
        "relay_port": field(h.relay_port),
    }


def ends_of_relays6(bytes data not None):
    """Link addresses of the outermost and the innermost relay, or None."""
    cdef Relays6 relays
    cdef Field inner
    if open_relays6(&relays, octets_of(data), PyBytes_GET_SIZE(data), &inner) != FAULT6_NONE or not relays.count:
        return None
    return (outermost6(&relays).link_address[:ADDRESS6], innermost6(&relays).link_address[:ADDRESS6])


def relay_data6(bytes data not None, uint64_t peer, int size):
    """Return the envelopes as a lease keeps them, behind the peer's address, whose upper half is 0; empty where they
    have no room in so many octets. None for what cannot be read."""
    cdef Relays6 relays
    cdef Field inner
    cdef uint8_t room[REPLY6_BUFFER]
    if open_relays6(&relays, octets_of(data), PyBytes_GET_SIZE(data), &inner) != FAULT6_NONE:
        return None
    return room[:copy_relays6(&relays, 0, peer, room, <uint16_t>min(size, REPLY6_BUFFER))]


def is_for_another_server(bytes data not None, bytes server_id not None):
    """Return whether a well-formed message names another server than this."""
    cdef Packet6 packet
    cdef Field own
    own.data = octets_of(server_id)
    own.length = <uint16_t>len(server_id)
    if parse6(&packet, octets_of(data), PyBytes_GET_SIZE(data)) != FAULT6_NONE:
        return None
    return names_another_server(&packet, own)


def compose6(bytes request not None, uint8_t kind, uint32_t xid, list items not None, *, int limit=REPLY6_BUFFER,
             list networks_used=None):
    """Return the octets of a reply to `request`, in the envelopes of its relays, and the items that
    did not fit.

    An item is ("option", code, octets), ("u8" or "u32", code, number), ("status", code, octets),
    ("ia", kind, iaid, t1, t2, items) or ("address", octets, preferred, valid). A prefix is
    ("prefix", octets, length, preferred, valid, None or (octets, length) of an excluded one). None
    instead of octets: the envelopes and the header do not fit. `networks_used`: hops whose virtual
    network chose the tenant.
    """
    cdef uint8_t buffer[REPLY6_BUFFER]
    cdef Reply6 reply
    cdef Relays6 relays
    cdef Field inner
    if open_relays6(&relays, octets_of(request), PyBytes_GET_SIZE(request), &inner) != FAULT6_NONE:
        raise ValueError("the request's relays are malformed")
    for at in networks_used or ():
        relays.hops[<int>at].network_used = True
    begin_reply6(&reply, buffer, <uint16_t>min(limit, REPLY6_BUFFER))
    if not put_relays6(&reply, &relays) or not begin_message6(&reply, kind, xid):
        return None, items
    left_out = [item for item in items if not put_item(&reply, item)]
    return <bytes>buffer[:finish_reply6(&reply)], left_out


cdef bint put_item(Reply6* reply, tuple item) except -1:
    name = item[0]
    if name == "option":
        return put_option6(reply, item[1], octets_of(item[2]), len(item[2]))
    if name == "u8":
        return put_u8_6(reply, item[1], item[2])
    if name == "u32":
        return put_u32_6(reply, item[1], item[2])
    if name == "status":
        return put_status6(reply, item[1], octets_of(item[2]), len(item[2]))
    if name == "address":
        return put_address6(reply, octets_of(item[1]), item[2], item[3])
    if name == "prefix":
        return put_prefix_item(reply, item)
    return put_association(reply, item)


cdef bint put_prefix_item(Reply6* reply, tuple item) except -1:
    excluded = item[5]
    if excluded is None:
        return put_prefix6(reply, octets_of(item[1]), item[2], item[3], item[4], NULL, 0)
    return put_prefix6(reply, octets_of(item[1]), item[2], item[3], item[4], octets_of(excluded[0]), excluded[1])


cdef bint put_association(Reply6* reply, tuple item) except -1:
    """Put the association whole or not at all, as a server puts it."""
    _, kind, iaid, t1, t2, inner = item
    if not open_ia6(reply, kind, iaid, t1, t2):
        return False
    for one in inner:
        if not put_item(reply, one):
            drop_option6(reply)
            return False
    close_option6(reply)
    return True
