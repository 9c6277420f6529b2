from dhcp_fast.wire.view4 cimport Field, Packet4

cdef void clear_relay_information(Packet4* packet) noexcept nogil
cdef void read_relay_information(Packet4* packet) noexcept nogil
cdef void use_network(Packet4* packet, Field network) noexcept nogil
