"""ISC dhcpd.conf, both families.

syntax.py        words and braces as statements
reader.py        subnets, pools, hosts, and what is inherited from around them
options.py       options and their definitions
classes.py       classes, subclasses and pools for some clients, of expressions.py
reasons.py       why a statement is not taken over; server_id.py: the DUID of the server
"""
