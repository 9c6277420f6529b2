"""Parts that all entities share; an entity itself is a level above.

entity.py       what the verbs must know of a family of objects; crud.py: create, read, change; deletion.py
parents.py      what a write locks first; locks.py: the one order of all locks
write_batch.py  what one transaction leaves to its end; change_log.py: audit and reload; notify.py: telling servers;
                touched.py: what a dry run tells of; tenant_limits.py: limits on what a tenant creates;
                exchange.py: what the objects of one bulk exchange
conflicts.py    what the database refused, in words; taken_address.py: an address that another object has;
                transition.py: changes of state
lists.py        keyset pages; filters.py: conditions; scans.py: filters without an index
rights.py       what an admin of one tenant may not write; secret_fields.py: write-only fields;
                writers.py: who wrote where an object connects to
"""
