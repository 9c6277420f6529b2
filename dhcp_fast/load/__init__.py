"""The load generator: what `ipam bench`, `ipam probe` and the storm tests send. It knows packets, never the engine.

bench.py      servers are started, driven, audited and told of in a table
probe.py      one client tried out by hand; client.py: one readable client, behind a relay, direct.py: on its own wire;
              probe6.py, client6.py, direct6.py: of DHCPv6
said.py       what a probe's client says, from words to options; advice.py: why nobody answers; wires.py: why nobody
              could be asked
generator/    windows of exchanges in flight, in C
report/       figures, tables and plots
servers/      our server and its peers on fresh databases; the audit of what was acknowledged
scenarios/    what is measured, a module each
"""
