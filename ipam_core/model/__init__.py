"""The vocabulary: frozen structs and pure functions, a family a file; no I/O.

families.py   the names of all families, once
base.py       what every object has; values.py: addresses, prefixes, hardware addresses and their notations
fields.py     what a family's create takes, for help; field_docs.py: descriptions, the docstrings below fields
credential_url.py: URLs of which most readers see the host only
decoding.py   from JSON to structs, with errors that name the field; page.py: list cursors
"""
