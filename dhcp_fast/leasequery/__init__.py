"""Queries of relays and access concentrators for leases, beside the packet path.

udp.py              queries in datagrams, with the permitted requesters and a limit
udp4.py             answers over DHCPv4 (RFC 4388)
udp6.py             answers over DHCPv6 (RFC 5007)
tcp.py              bulk leasequery: connections and their bounds
tcp4.py             bulk answers over DHCPv4 (RFC 6926)
tcp6.py             bulk answers over DHCPv6 (RFC 5460)
lease_pages.py      the lease table read, a page at a time
virtual_network.py  the tenants whose leases a requester may query
"""
