"""View of what the codec makes of a DHCPv4 message, as Python objects: for tests and tools, never on the packet
path."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport uint8_t

from dhcp_fast.wire.faults cimport FAULT_NONE, FAULT_TOO_SHORT, Fault
from dhcp_fast.wire.ignored cimport is_ignored
from dhcp_fast.wire.packet4 cimport Field, Packet4, has, parse4
from ipam_core.dhcp.reasons import FAULT_NAMES4


def inspect4(data):
    """Return, of a datagram's payload: the fault's name, or a dict of header fields and joined options."""
    cdef Py_buffer view
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        return inspect_octets(<const uint8_t*>view.buf, view.len)
    finally:
        PyBuffer_Release(&view)


cdef object inspect_octets(const uint8_t* data, size_t length):
    cdef Packet4 packet
    cdef Fault fault
    cdef int code
    if length == 0:
        return FAULT_NAMES4[<int>FAULT_TOO_SHORT]
    fault = parse4(&packet, data, length)
    if fault != FAULT_NONE:
        return FAULT_NAMES4[<int>fault]
    return {
        "htype": packet.htype, "hlen": packet.hlen, "hops": packet.hops, "xid": packet.xid, "secs": packet.secs,
        "flags": packet.flags, "ciaddr": packet.ciaddr, "yiaddr": packet.yiaddr, "giaddr": packet.giaddr,
        "message_type": packet.message_type,
        "options": {code: octets(&packet.options[code]) for code in range(256) if has(&packet, <uint8_t>code)},
        "circuit_id": octets(&packet.circuit_id), "remote_id": octets(&packet.remote_id),
        "relay_id": octets(&packet.relay_id),
        "link_selection": octets(&packet.link_selection), "server_override": octets(&packet.server_override),
        "relay_port": packet.relay_port, "relay_flags": octets(&packet.relay_flags),
        "network": octets(&packet.network), "relay_said": octets(&packet.relay_said),
        "ignored": [code for code in range(256) if is_ignored(&packet.ignored, <uint8_t>code)],
    }


cdef bytes octets(const Field* field):
    return None if field.data == NULL else field.data[:field.length]
