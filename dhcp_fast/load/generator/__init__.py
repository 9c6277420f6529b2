"""Packets in flight, in C: storm.pyx keeps a window of exchanges (exchanges.pyx), ledger.pyx knows who holds what.

stub.pyx answers without deciding anything, which shows the generator's own ceiling; template.py says what a client
sends; filling.py grants leases beforehand, following.py tells how far a storm is; result.py is what it leaves.
"""
