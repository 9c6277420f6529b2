"""DHCP pools of Cisco IOS and IOS-XE, as they stand in a running-config.

statements.py    the lines that speak of DHCP
pools.py         what a pool says
reader.py        pools as subnets, exclusions and reservations
reasons.py       why a line is not taken over
"""
