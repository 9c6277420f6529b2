"""The readable DHCPv4 codec, for people's tools: probe, trace, replay, load. It shares nothing with `wire`.

message4.py   messages written and read; dissect.py: anybody's packet told for people
question.py   what explain asks, as octets
"""
