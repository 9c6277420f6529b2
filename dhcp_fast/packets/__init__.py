"""Readable codecs for tools: probe, trace, replay, bench. They share nothing with `wire`.

message4.py       DHCPv4 messages, written and read
dissect.py        DHCPv4 packets of any sender, described
message6.py       DHCPv6 messages and relay envelopes, written and read
dissect6.py       DHCPv6 packets of any sender, described
reconfigure6.py   Reconfigure messages
question.py       the packet that explain asks about; question6.py: in DHCPv6
"""
