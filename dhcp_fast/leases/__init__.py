"""Memory of what a server remembers of leases, in C memory.

lease_table.pyx       the binding of each address, found by address and by client
client_identity.pyx   who a client is and what its lease says of it, as hashes to compare
lease_operation.pxd   what is asked of the database about one lease
offers.pyx            what was offered and not yet asked for, bounded; hold_ring.pxd: what is not to be offered just now
pools.pyx             which addresses of a pool are free; expiry_wheel.pyx: which leases end when
circuits.pyx          how many leases run behind each circuit
lease_prefetch.pyx    asking for the table's memory ahead
"""
