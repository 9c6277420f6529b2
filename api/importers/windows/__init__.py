"""DHCP servers of Windows: the XML of Export-DhcpServer, and the commands of `netsh dhcp server dump`.

model.py         what such a server has, whichever way it is told
reader.py        the XML of an export
netsh.py         the dump; commands.py: its lines as words
making.py        the model as a plan
options.py       options and their definitions; classes.py: user and vendor classes, policies, filters
policies.py      conditions of policies as `match` of classes
identities.py    client ids and durations
reasons.py       why something is not taken over
"""
