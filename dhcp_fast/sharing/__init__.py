"""Sharing: leases that several workers and servers write, as one worker sees them.

lease_cache.pyx      rows of leases, from wherever they come, taken into memory
lease_ownership.pxd  the leases of the host's other workers
foreign_doubts.pyx   leases of them that may be lost after a promotion or a restore
holds.pyx            addresses that clients select from other servers at this moment
superseding.pyx      leases whose client has another one
early_renewal.pyx    renewals that memory may answer by itself
expiry.pyx           expiry of leases, quarantines and offers
"""
