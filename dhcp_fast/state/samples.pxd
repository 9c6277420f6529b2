"""Sample packet for each kind of unusual decision, for the log.

A flood of one kind costs a comparison a packet: the first packet of an interval is kept until the log has taken it
(engine/notices.pyx), the others are only counted (engine rule 3).
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from dhcp_fast.wire.cursor cimport load_u32
from dhcp_fast.wire.packet4 cimport HEADER4

cdef enum:
    SAMPLED_DUID = 32

cdef struct Sample:
    bint fresh                  # not logged yet
    uint32_t peer, giaddr, address, subnet_no
    uint8_t chaddr[6]
    uint64_t peer_hi, peer_lo   # of DHCPv6
    uint8_t duid[SAMPLED_DUID]  # of a longer one the beginning
    uint8_t duid_length

cdef inline void keep_sample(Sample* sample, const uint8_t* packet, uint16_t length, uint32_t peer,
                             uint32_t subnet_no, uint32_t address) noexcept nogil:
    """Keep a sample unless there is one already.

    A packet too short for them has no relay and no hardware address.
    """
    if sample.fresh:
        return
    memset(sample, 0, sizeof(Sample))
    sample.fresh = True
    sample.peer = peer
    sample.subnet_no = subnet_no
    sample.address = address
    if length >= HEADER4:
        sample.giaddr = load_u32(packet + 24)
        memcpy(sample.chaddr, packet + 28, 6)

cdef inline void keep_sample6(Sample* sample, const uint8_t* duid, uint16_t length, uint64_t peer_hi, uint64_t peer_lo,
                              uint32_t subnet_no) noexcept nogil:
    """Keep a sample of a DHCPv6 message; `duid` NULL where it is unknown."""
    if sample.fresh:
        return
    memset(sample, 0, sizeof(Sample))
    sample.fresh = True
    sample.peer_hi = peer_hi
    sample.peer_lo = peer_lo
    sample.subnet_no = subnet_no
    if duid != NULL:
        sample.duid_length = <uint8_t>min(length, <uint16_t>SAMPLED_DUID)
        memcpy(sample.duid, duid, sample.duid_length)
