"""A datagram with its source or destination, and the time at which the kernel received it."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    RECEIVE_BUFFER = 2048

    BY_UDP = 1
    BY_FRAME = 2        # a layer-2 frame to a client that has no address yet

cdef struct Datagram:
    uint8_t* data
    uint16_t length
    uint16_t port           # the peer's
    uint16_t local_port     # ours, for layer-2 replies
    uint8_t way             # BY_UDP or BY_FRAME
    uint8_t socket          # which of the server's sockets
    uint32_t peer           # addresses in host byte order
    uint32_t local          # destination of what came; source of what goes
    uint32_t ours           # the address of ours that the kernel would answer from
    int ifindex
    int relay_ifindex       # of a reply to the relay that sent the packet: where that came in; else 0
    uint8_t mac[6]          # destination of a frame
    int64_t received        # kernel receive time, nanoseconds of the real-time clock; 0 when unknown
    uint64_t peer_hi, peer_lo       # of IPv6; then `peer` is its low octets, to sort by, and `local` and `ours` are 0
    uint64_t local_hi, local_lo     # destination of what came; source of what goes, both 0: the kernel's choice
