from libc.stdint cimport uint32_t

from dhcp_fast.leases.lease_table cimport Lease
from dhcp_fast.engine.engine_state cimport EngineState

cdef class EngineView(EngineState):
    """Readable part of an engine; see engine_view.pyx."""
    cdef uint32_t subnet_of(self, const Lease* lease) noexcept
