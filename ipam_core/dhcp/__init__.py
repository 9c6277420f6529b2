"""DHCP's tables: options, conditions of classes, and why packets got no answer.

registry.py         every option, by code and by name: options4.py, options6.py; kinds/: how values are written
compile.py          stored options into what the engine copies; conditions.py: what classes ask for, laid flat
default_routes.py   routes that take a gateway away (RFC 3442)
reasons.py          drops and notices with their sentences; message_types.py: names of messages and status codes
describe.py         options and times in words; default_routes.py: routes that take the gateway away
server_duid.py      what a server may call itself
catalogue.py        writes docs/reference/options.md, the table for people
generate_codes.py   writes the constants of dhcp_fast from these tables
"""
