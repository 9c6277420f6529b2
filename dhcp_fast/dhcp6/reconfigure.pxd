from libc.stdint cimport uint8_t

from dhcp_fast.dhcp6.client cimport Client6
from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.state.state cimport State
from dhcp_fast.wire.reply6 cimport Reply6

cdef enum:
    RECONFIGURE_KEY = 16        # octets

cdef void find_key(const State* state, Octets duid, uint8_t* key) noexcept nogil
cdef void put_reconfigure(Reply6* reply, const State* state, const Client6* client, uint8_t kind) noexcept nogil
