"""Octets to structs and back, by the RFCs alone; which client may have what is decided elsewhere.

cursor.pxd    the one place that reads and checks bounds
codes.pxd     option codes; faults.pxd: what is wrong with a message; both generated (ipam_core/dhcp/generate_codes.py)
codes6.pxd    the same of DHCPv6, with message types and status codes; faults6.pxd
view4.pxd     a DHCPv4 message as pointers; packet4.pyx: one read, relay4.pyx: its option 82; reply4.pyx: one written
view6.pxd     a DHCPv6 client's message as pointers; packet6.pyx: one read, ia6.pyx: its associations; reply6.pyx: one
              written
relay6.pyx    relays' envelopes opened, and put around a reply
client_options.pxd    options of a client as a lease's row keeps them
ignored.pxd   options that count as absent; names.pyx: names that clients send
dns_message.pyx   a DNS query read
duid.pyx      the parts of a DUID
inspect4.pyx  what the codec makes of octets, for tests and tools; inspect6.pyx: of DHCPv6's
"""
