"""Leasequery: what relays and access concentrators may ask about leases, beside the packet path.

udp.py              one question in a datagram: who may ask, and how many at a time
udp4.py             answers over DHCPv4 (RFC 4388)
udp6.py             answers over DHCPv6 (RFC 5007)
tcp.py              bulk leasequery: connections and their bounds
tcp4.py             bulk answers over DHCPv4 (RFC 6926)
tcp6.py             bulk answers over DHCPv6 (RFC 5460)
lease_pages.py      the lease table read, a page at a time
virtual_network.py  whose leases a requester may ask for
"""
