from libc.stdint cimport int64_t

from dhcp_fast.state.state cimport State
from dhcp_fast.pg.bind cimport WonRow
from dhcp_fast.net.datagram cimport Datagram

cdef void look_ahead(const State* state, Datagram** packets, int count) noexcept nogil
cdef void look_ahead_won(const State* state, const WonRow* rows, int64_t count, bint granted) noexcept nogil
