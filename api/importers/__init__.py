"""Configurations of other DHCP servers as plans of ours. Nothing here asks a server; `ipam import` sends what it finds.

plan.py          what is to be made, in the order of a cutover, and what could not be taken over, each with its line
judging.py       each object held against the model's own rules; clashes.py: objects held against each other
source.py        statements of a source that know whether anybody has read them; xml_source.py: XML as such
faults.py        a file that cannot be read
server_duid.py   the DUID of the other server, and what keeps it
formats.py       which converter reads a file; text.py: a file as text, whatever its encoding
options.py       text as payloads of options, and options as fields of a subnet; conditions.py: `match` of classes
lines.py         sources that are read line by line
rows.py          tables; networks.py: subnets by the addresses in them
kea, isc         a folder a format; likewise cisco, dnsmasq, infoblox, mikrotik, table,
                 firewall for pfSense and OPNsense, and windows, which reads two
leases           what is leased at the other server, as reservations
"""
