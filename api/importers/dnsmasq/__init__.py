"""dnsmasq.conf, both families.

syntax.py        lines as a name and fields
ranges.py        dhcp-range: networks, with the mask that is often not said
options.py       dhcp-option as payloads
tags.py          what sets a tag, as a client class
hosts.py         dhcp-host; records.py: addresses that are not DHCP's
offer.py         options by whom they are for
reader.py        the whole: subnets, pools, reservations
reasons.py       why a line is not taken over
"""
