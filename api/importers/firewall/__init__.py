"""config.xml of pfSense and OPNsense: ISC dhcpd, Kea and dnsmasq as they are set up there.

reader.py        the sections, and what is told of each
network.py       interfaces and their networks, and subnets of the plan by them
dhcpd.py         dhcpd and dhcpdv6, a section an interface
kea.py           OPNsense's Kea; dnsmasq.py: its dnsmasq
options.py       options as these write them
reasons.py       why an element is not taken over
"""
