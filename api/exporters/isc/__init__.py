"""ISC dhcpd, both families, as version 4.4 reads it.

writer.py        the file: subnets, pools, hosts
options.py       options, by dhcpd's names or as octets
classes.py       classes, whose conditions expressions.py says
text.py          statements and constants
reasons.py       why a field is not said
"""
