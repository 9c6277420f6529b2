from dhcp_fast.net.udp cimport UdpSocket

cdef class UdpSocket6(UdpSocket):
    """A bound IPv6 socket; see udp6.pyx."""
