from dhcp_fast.state.protocol cimport Protocol

cdef Protocol protocol4() noexcept nogil
