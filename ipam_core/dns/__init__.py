"""Rules of DNS: names and data, without a database and without a socket.

names.py            zones and the names in them, in one spelling
rdata.py            the data of records, as dnspython reads and writes it
content.py          records that may be together in one zone
targets.py          hosts that records name: their syntax, and their addresses in the zone
owner_order.py      names of a zone that have others below them
target_warnings.py  probable mistakes in one stored record
zone_faults.py      faults that common secondaries refuse in a zone, or warn about
rrsets.py           records of one name and type together, and the effect of a change on them
zone_file.py        master files (RFC 1035 section 5), read and written
serials.py          serial numbers that wrap around (RFC 1982)
host_names.py       records of an address
dhcid.py            owners of names (RFC 4701)
reverse.py          the zones of a network's addresses, classless ones too (RFC 2317)
"""
