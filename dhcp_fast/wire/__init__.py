"""Octets to structs and back, by the RFCs alone; which client may have what is decided elsewhere.

cursor.pxd    the one place that reads and checks bounds
codes.pxd     option codes; faults.pxd: what is wrong with a message; both generated (ipam_core/dhcp/generate_codes.py)
packet4.pyx   a DHCPv4 message read; reply4.pyx: one written
"""
