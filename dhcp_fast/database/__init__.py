"""asyncio and SQL around the engine; it sees no packets.

module                 subject
plan/                  the address plan: read, loaded into the engine, and followed
leases/                leases: read, followed, and written in batches
connections.py         the sessions of a server, its writers' excepted
change_listener.py     notifications, and a poll behind them
retry_loop.py          work that is done again and again
node.py                this server among the nodes, and its sign of life
work_rates.py          work figures for the sign of life
unavailable.py         duties suspended while the database is away
fillfactor.py          how full the database's pages may be
pool_alerts.py         pools that run full
client_alerts.py       clients that share an identity
peer_coordination.py   other DHCPv6 servers that receive the same messages
"""
