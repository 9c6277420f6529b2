from dhcp_fast.dns.reply cimport Reply
from dhcp_fast.dns.zone_image cimport ZoneSet
from dhcp_fast.wire.dns_message cimport DnsQuery

cdef int answer(ZoneSet zones, const DnsQuery* query, Reply* reply) noexcept nogil
