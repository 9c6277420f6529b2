"""Writes what follows from the family table: `python -m api.generators`, after a change there.

client_attributes.py    api/client/attributes.py, which tells type checkers the families of the client
__main__.py             the command
"""
