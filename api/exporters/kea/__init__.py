"""Kea, both families, as version 2.2 and later read it.

writer.py        the configuration: subnets, pools, reservations
options.py       options and their definitions
classes.py       client classes, whose conditions expressions.py says
context.py       what people write of an object
reasons.py       why a field is not said
"""
