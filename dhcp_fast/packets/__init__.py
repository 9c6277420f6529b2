"""The readable codecs, for people's tools: probe, trace, replay, load. They share nothing with `wire`.

message4.py   DHCPv4 messages written and read; dissect.py: anybody's packet told for people
message6.py   DHCPv6 messages and relays' envelopes written and read; dissect6.py: anybody's packet told for people;
              reconfigure6.py: what a server says unasked
question.py   what explain asks, as octets; question6.py: the same of DHCPv6
"""
