"""DNS as rules: what names and data mean, without a database and without a socket.

names.py       zones and the names in them, in one spelling
rdata.py       the data of records, as dnspython reads and writes it
content.py     which records may be together in one zone
targets.py     hosts that records name: their syntax, and whether they have an address in the zone
owner_order.py which names of a zone have others below theirs
target_warnings.py  what is probably wrong with one record that is stored
zone_faults.py what common secondaries refuse in a zone, or warn about
rrsets.py      records of one name and type together, and what a change does to them
zone_file.py   master files (RFC 1035 section 5), read and written; serials.py: numbers that go round (RFC 1982)
host_names.py  what DNS shall say of an address; dhcid.py: whose a name is (RFC 4701)
reverse.py     the zones in which a network's addresses are found, classless ones too (RFC 2317)
"""
