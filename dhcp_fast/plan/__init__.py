"""The address plan as a packet needs it.

compiled.pxd           its structs: subnets, pools, classes, options; compiled6.pxd: of IPv6
compile.pyx            from rows to those structs, compile6.pyx; reservation_rows.pyx: reservations read by COPY
pool_row.py            a DHCPv4 pool, as the reader of the plan gives it to compile.pyx
conditions.pyx         what a class asks for, as a flat list of tests
relays.pyx             whose packets a relay brings
subnets.pyx            the plan in use: found by number and by wire, replaced under packets; subnets6.pyx
subnet_index.pyx       whose subnet an address is; subnet_index6.pyx
relay_subnets6.pyx     which subnets name a relay's link-address
"""
