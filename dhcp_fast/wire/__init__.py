"""Octets to structs and back, by the RFCs alone; which client may have what is decided elsewhere.

cursor.pxd    the one place that reads and checks bounds
codes.pxd     option codes; faults.pxd: what is wrong with a message; both generated (ipam_core/dhcp/generate_codes.py)
codes6.pxd    the same of DHCPv6, with message types and status codes; faults6.pxd
packet4.pyx   a DHCPv4 message read; reply4.pyx: one written
packet6.pyx   a DHCPv6 client's message read; reply6.pyx: one written
relay6.pyx    relays' envelopes opened, and put around a reply
dns_message.pyx   a DNS query read
duid.pyx      the parts of a DUID
inspect4.pyx  what the codec makes of octets, for tests and tools; inspect6.pyx: of DHCPv6's
"""
