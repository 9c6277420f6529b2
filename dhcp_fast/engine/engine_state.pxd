from dhcp_fast.plan.subnets cimport Plan
from dhcp_fast.plan.subnets6 cimport Plan6
from dhcp_fast.state.protocol cimport Protocol
from dhcp_fast.state.state cimport State
from dhcp_fast.state.trace_entry cimport Tracers

cdef class EngineState:
    """The memory of an engine; see engine_state.pyx."""
    cdef State state
    cdef Protocol protocol
    cdef Tracers tracers
    cdef readonly object plan           # Plan or Plan6
    cdef Plan plan4
    cdef Plan6 plan6
    cdef readonly int family            # of the addresses it serves: 4 or 6
    cdef readonly list sockets
    cdef bint unsure                    # whether what was committed lasts
    cdef object templates               # RecentValues of the templates that are served; see plan/tenant_view.pyx
    cdef bytes blocked_names            # the state refers to it
    cdef object lent                    # memory that the relays' limit counts in; see configure.pyx
    cdef void know_plan(self)
    cdef void read_clocks(self) noexcept nogil
