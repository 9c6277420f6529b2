"""What the DHCPv6 codec makes of octets, as Python objects, for tests and tools; the packet path never makes them."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t, uint16_t

from dhcp_fast.wire.codes6 cimport OPT6_VENDOR_CLASS, OPT6_VENDOR_OPTS
from dhcp_fast.wire.cursor cimport Cursor, cursor, load_u32, remaining
from dhcp_fast.wire.duid cimport Duid, is_duid, read_duid
from dhcp_fast.wire.faults6 cimport FAULT6_NONE, Fault6
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.packet6 cimport (
    ADDRESS6, HEADER6, Ia6, IaAddress6, Packet6, asks6, check6, elapsed6, has6, next_option6, option6, parse6,
    vendor_part6)

from ipam_core.dhcp.reasons import FAULT_NAMES6


def inspect6(bytes data not None):
    """The fault's name, or a dict: header, the first of each option, identity associations, and under `discard` the
    fault for which a server discards what is well-formed."""
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
        "ignored": packet.ignored,
        "discard": FAULT_NAMES6[<int>check6(packet)],
    }


cdef list all_codes(const Packet6* packet):
    """In the order of first appearance."""
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
    """What follows the enterprise number, by enterprise."""
    cdef Cursor c = cursor(packet.raw + HEADER6, packet.length - HEADER6)
    cdef uint16_t found
    cdef Field value
    parts = {}
    while has6(packet, code) and remaining(&c) and next_option6(&c, &found, &value):
        if found == code:
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
    """A DUID's parts, or None when its length is not lawful."""
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
