"""Sharing: leases that several workers and servers write, as one worker sees them.

lease_cache.pyx      rows of leases, from wherever they come, taken into memory
lease_ownership.pyx  what a worker knows of the leases of its host's other workers
foreign_doubts.pyx   which of these may be lost after a promotion or a restore, and until when
holds.pyx            addresses that clients select from other servers at this moment
superseding.pyx      leases whose client has another one
early_renewal.pyx    renewals that memory may answer by itself
expiry.pyx           what ends by time: leases, quarantines, offers
"""
