"""Kea, both families.

reader.py        the configuration: subnets, pools, reservations
relaxed_json.py  JSON with comments and lines
options.py       options and their definitions
classes.py       client classes, of expressions.py
context.py       what stands there for people
reasons.py       why a member is not taken over; server_id.py: the DUID of the server
"""
