"""The authoritative answer path (RFC 1034 section 4.3.2): C structs, no Python object a query.

name_table.pyx      things by their name in wire format
zone_image.pyx      the zones in memory, their records as they are sent
answer.pyx          the answer to a question: records, aliases, wildcards, referrals, denials
reply.pyx           the message of the answer, truncated if it is too long
cookies.pyx         cookies (RFC 7873, RFC 9018); response_limit.pyx: a limit of responses per network
query.pyx           datagrams in, datagrams out

It imports only `structures`, `wire` and `net`; dns_server above adds and removes zones.
"""
