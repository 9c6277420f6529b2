"""Prefixes taken from NetBox 4 and given to it, by its REST API.

client.py      requests, and every fault of the other side as an error that says what to do
shapes.py      what NetBox answers, as far as it is read
levels.py      which of prefixes that lie in one another are taken; mapping.py: whose tenant is whose
owners.py      tenants and VRFs of a NetBox by name
importing.py   from there to here; exporting.py: from here to there; run.py: what has come of it so far

NetBox is asked while no session of the database is held. Both ways only make what is missing, so that a run which was
cut is repeated without harm.
"""
