"""Octets to structs and back, by the RFCs alone; which client may have what is decided elsewhere.

cursor.pxd    the one place that reads and checks bounds
codes.pxd     option codes, generated from the registry (ipam_core/dhcp/generate_codes.py)
packet4.pyx   a DHCPv4 message read; reply4.pyx: one written
"""
