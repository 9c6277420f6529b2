"""The address plan as a packet needs it.

compiled.pxd           its structs: subnets, pools, classes, options; compiled6.pxd: of IPv6
compile.pyx            subnets, from rows to those structs; compile6.pyx
tenant_view.pyx        tenants and their classes; described.pyx: options and texts of all of these
reservation_set.pyx    reservations; reservation_rows.pyx: read by COPY
pool_row.py            a DHCPv4 pool, as the reader of the plan gives it to compile.pyx
conditions.pyx         conditions of a class, as a flat list of tests
relays.pyx             the tenant of a relay's packets
subnets.pyx            the plan in use: found by number and by link, replaced under packets; subnets6.pyx
subnet_index.pyx       the subnet of an address; subnet_index6.pyx
relay_subnets6.pyx     subnets that name a relay's link-address
"""
