"""The load generator: what the benchmarks, the storm tests and `ipam probe` send.

storm.pyx keeps a window of exchanges in flight in C (exchanges.pyx: what one is; ledger.pyx: who holds
which lease); stub.pyx answers it without deciding anything, which shows the generator's own ceiling;
client.py is one readable client in Python; audit.py compares what was acknowledged with what PostgreSQL
holds; bench.py starts servers, drives them and prints the table.
"""
