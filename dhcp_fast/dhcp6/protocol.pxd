from dhcp_fast.state.protocol cimport Protocol

cdef Protocol protocol6() noexcept nogil
