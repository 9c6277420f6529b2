"""The authoritative answer path (RFC 1034 section 4.3.2): C structs, no Python object a query.

name_table.pyx      things by their name in wire format
zone_image.pyx      the zones in memory, their records as they are sent
answer.pyx          what a question gets: answers, aliases, wildcards, referrals, denials
reply.pyx           the message that says so, cut where it has no room
cookies.pyx         cookies (RFC 7873, RFC 9018); response_limit.pyx: how many responses a network gets
query.pyx           datagrams in, datagrams out

`structures`, `wire` and `net` are all that it sees; zones come and go by calls from above (dns_server).
"""
