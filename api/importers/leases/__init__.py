"""Leases of other DHCP servers as reservations of a plan, so that clients keep their addresses over a cutover.

A file of leases may have millions of lines, so it is read line by line, and only what may be pinned is kept.

lease.py      a lease as all formats tell it, and by what its client will be recognised
formats.py    which reader reads a file
lines.py      a file line by line
kea.py        Kea's columns; kea_csv.py: its memfile, kea-admin lease-dump; kea_dump.py: pg_dump, mysqldump
isc.py        dhcpd.leases and dhcpd6.leases
dnsmasq.py    dnsmasq.leases
windows.py    Export-DhcpServer -Leases
pinning.py    which of them become reservations, and why the others do not
account.py    the same counted, with the lines
"""
