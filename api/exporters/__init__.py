"""Our plan as configurations of other DHCP servers. Nothing here asks a server: a site file's document comes in, text
and what could not be said come out.

site.py      one tenant's part of the document; said.py: its objects, which know which of their fields nobody has said
holes.py     what excludes and assignments leave of the pools
options.py   payloads of options as text; server_duid.py: the DUID of our servers in its parts
tables.py    the plan as CSV; netbox.py: as tables that NetBox imports
kea, isc     a folder a format; formats.py: all of them
"""
