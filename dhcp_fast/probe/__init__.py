"""A test client for operators: `ipam probe`, and advice when nothing answers. It imports nothing of
the engine.

module             subject

probe.py           one DHCPv4 client, or a storm of them
probe6.py          one DHCPv6 client
client.py          a readable DHCPv4 client behind a relay
client6.py         a readable DHCPv6 client behind a relay
direct.py          a DHCPv4 client on its own link
direct6.py         a DHCPv6 client on its own link
interface.py       interfaces, and the reason why one cannot be used
probe_options.py   options of a probe, from words to octets
advice.py          likely reasons for silence, and the next things to check
"""
