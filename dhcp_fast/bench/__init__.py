"""The load generator of `ipam bench` and the storm tests. It reads and writes packets and imports
nothing of the engine.

module       subject
bench.py     servers started, driven, audited and reported in a table
generator/   windows of exchanges in flight, in C
report/      figures, tables and plots
servers/     our server and its peers on fresh databases; the audit of what was acknowledged
scenarios/   the measurements, a module each
"""
