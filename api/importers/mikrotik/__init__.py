"""The DHCP server of RouterOS, as `/export` writes it.

commands.py      lines as commands of a section, with their arguments
values.py        times, ranges, options and client ids as RouterOS writes them
options.py       options and their sets
reader.py        networks as subnets, with what their servers, pools and leases say
reasons.py       why an argument or a command is not taken over
"""
