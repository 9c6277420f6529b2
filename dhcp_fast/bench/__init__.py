"""The load generator: what `ipam bench` and the storm tests send. It knows packets, never the engine.

module       subject
bench.py     servers started, driven, audited and reported in a table
generator/   windows of exchanges in flight, in C
report/      figures, tables and plots
servers/     our server and its peers on fresh databases; the audit of what was acknowledged
scenarios/   what is measured, a module each
"""
