"""Octets to structs and back, by the RFCs alone; policy is decided elsewhere.

cursor.pxd           the only code that reads and checks bounds
codes.pxd            option codes; faults.pxd: errors of messages; both generated (ipam_core/dhcp/generate_codes.py)
codes6.pxd           the same of DHCPv6, with message types and status codes; faults6.pxd
view4.pxd            a DHCPv4 message as pointers
packet4.pyx          reader of a message, relay4.pyx: of its option 82; reply4.pyx: writer
view6.pxd            a DHCPv6 client's message as pointers
packet6.pyx          reader of a message, ia6.pyx: of its associations; reply6.pyx: writer
relay6.pyx           relay envelopes, opened, and put around a reply
client_options.pxd   options of a client as a lease's row stores them
ignored.pxd          options that count as absent; names.pyx: names that clients send
dns_message.pyx      reader of a DNS query
duid.pyx             the parts of a DUID
"""
