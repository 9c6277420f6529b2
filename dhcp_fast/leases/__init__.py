"""Leases in memory, as C structs.

lease_table.pyx       the binding of each address, found by address and by client
client_identity.pyx   identity of a client and content of its lease, as hashes to compare
lease_operation.pxd   an operation of the database on one lease
offers.pyx            open offers, bounded; hold_ring.pxd: addresses not to be offered just now
pools.pyx             free addresses of a pool; expiry_wheel.pyx: leases by their end
circuits.pyx          number of active leases per circuit
lease_prefetch.pyx    prefetches of the table's memory
"""
