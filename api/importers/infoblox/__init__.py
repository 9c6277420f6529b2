"""Infoblox: what the CSV Job Manager of NIOS exports.

blocks.py        rows below the header of their type
reader.py        networks, ranges, fixed addresses, hosts
options.py       columns that are options
reasons.py       why a column or a type is not taken over
"""
