from libc.stdint cimport uint32_t

from dhcp_fast.engine.engine_view cimport EngineView
from dhcp_fast.state.slot cimport SLOTS, Slot
from dhcp_fast.net.datagram cimport Datagram
from dhcp_fast.net.packet_socket cimport FrameSocket
from dhcp_fast.net.icmp cimport IcmpSocket
from dhcp_fast.net.udp cimport BATCH, UdpSocket

cdef enum:
    MAX_SOCKETS = 32

cdef class Engine(EngineView):
    """Packet path of a server; see engine.pyx."""
    cdef int interfaces[MAX_SOCKETS]    # of each socket, 0 for all
    cdef FrameSocket frames
    cdef IcmpSocket icmp
    cdef readonly list queries          # leasequeries that wait for `take_queries`
    cdef int refusals                   # of them, senders that may not ask and get a refusal
    cdef readonly int queries_dropped   # for which `queries` had no room
    cdef bint takes_leasequeries
    cdef list requesters                # first and last address of each network that may ask
    cdef uint32_t receiving[BATCH]      # slots that the next datagrams go into
    cdef uint32_t outbox[SLOTS]
    cdef int outbox_count
    cdef int receive_batch(self, UdpSocket sock, int which) noexcept
    cdef bint is_copy(self, const Datagram* rx) noexcept nogil
    cdef void take_packet(self, int at) noexcept nogil
    cdef void note_decision(self, uint32_t index, int action) noexcept nogil
    cdef void keep_query(self, const Slot* slot) noexcept with gil
    cdef void note_drop(self, const Slot* slot) noexcept nogil
    cdef void drop_waiting(self, uint32_t index, int reason) noexcept nogil
    cdef void decided_again(self, uint32_t index, int action) noexcept nogil
    cdef void enqueue_write(self, uint32_t index) noexcept nogil
    cdef void note_pending(self, uint32_t index) noexcept nogil
    cdef void part_over(self, uint32_t index, int action) noexcept nogil
    cdef void drop_part(self, uint32_t index, int reason) noexcept nogil
    cdef void act(self, uint32_t index, int action) noexcept nogil
    cdef void park(self, uint32_t index) noexcept nogil
    cdef void resume(self, uint32_t index) noexcept nogil
    cdef void post(self, uint32_t index) noexcept nogil
    cdef void send_run(self, int start, int count) noexcept
    cdef bint send_by_routes(self, UdpSocket sock, const Datagram* datagram) noexcept
    cdef bint choose_source(self, Datagram* routed) noexcept nogil
    cdef void count_sent(self, uint32_t index, bint taken) noexcept nogil
    cdef bint goes_along(self, int at, const Slot* first) noexcept nogil
    cdef void conclude(self, uint32_t index) noexcept nogil
