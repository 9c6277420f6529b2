"""A client for people: what `ipam probe` sends, and why nothing came back. It knows packets, never the engine.

module             subject
probe.py           one DHCPv4 client tried out by hand, or a storm of them
probe6.py          one DHCPv6 client
client.py          a readable DHCPv4 client behind a relay
client6.py         a readable DHCPv6 client behind a relay
direct.py          a DHCPv4 client on its own link
direct6.py         a DHCPv6 client on its own link
interface.py       why nobody could be asked on an interface
probe_options.py   the options of a probe, from words to octets
advice.py          why nobody answers, and what to look at next
"""
