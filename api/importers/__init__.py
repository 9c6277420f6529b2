"""Configurations of other DHCP servers as plans of ours. Nothing here asks a server; `ipam import` sends what it finds.

plan.py          what is to be made, in the order of a cutover, and what could not be taken over, each with its line
judging.py       each object held against the model's own rules; clashes.py: objects held against each other
source.py        statements of a source that know whether anybody has read them; faults.py: a file that cannot be read
formats.py       which converter reads a file
relaxed_json.py  JSON with comments and lines
options.py       text as payloads of options, and options as fields of a subnet
kea.py           Kea, both families; kea_options.py, kea_classes.py, expressions.py, kea_reasons.py beside it
isc.py           ISC dhcpd.conf, both families, of statements that isc_syntax.py reads; isc_options.py, isc_classes.py,
                 isc_expressions.py, isc_reasons.py beside it
"""
