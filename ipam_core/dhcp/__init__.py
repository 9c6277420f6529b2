"""Tables of DHCP: options, conditions of classes, and reasons for packets without an answer.

registry.py         every option, by code and by name
options4.py         options of DHCPv4
options6.py         options of DHCPv6
kinds/              formats of option data
compile.py          stored options in the form that the engine copies
conditions.py       conditions of classes as a list of tests
default_routes.py   routes that take a gateway away (RFC 3442)
reasons.py          drops and notices with their sentences
message_types.py    names of messages and status codes
describe.py         options and times in words
server_duid.py      DUIDs that a server may have
`catalogue.py`      writer of docs/reference/options.md
generate_codes.py   writer of dhcp_fast's constants, from these tables
"""
