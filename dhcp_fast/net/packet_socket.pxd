from dhcp_fast.net.datagram cimport Datagram

cdef class FrameSocket:
    """A packet socket that only sends; see packet_socket.pyx."""
    cdef readonly int fd
    cdef object sock
    cdef bint send(self, const Datagram* datagram) noexcept nogil
