"""asyncio and SQL around the engine; it sees no packets.

connections.py     the sessions of a server, its writers' excepted
plan_reader.py     the plan's rows, plan_reader6.py: of IPv6; plan_loader.py: into the engine;
                   plan_feed.py, plan_reload.py: what changed since; placing.py: on which interfaces a subnet is
class_conditions.py   what classes ask for, with names turned into numbers; class_decisions.py: the way back;
                   tenant_decisions.py: whose a packet is, and why
initial_load.py    all leases at the start; lease_feed.py: what others wrote; horizon.py, log_bounds.py: how complete a
                   reading of it is, and how far back it looks
lease_writer.py    batches into the database, ACKs after COMMIT; lease_writers.py: when a batch begins, and how large;
                   lease_session.py: their sessions
commit_stats.py    how long commits take; blockers.py: whom they wait for; grant_backoff.py: after a collision
rejected_rows.py   rows that lost; recollection.py: what rows hold of their clients;
                   refused_batches.py: statements that had no effect;
                   writer_group.py: what writers share
node.py            this server among the nodes, and its sign of life; work_rates.py: what that tells of its work
change_listener.py notifications, and a poll behind them; retry_loop.py: work that is done again and again
client_alerts.py   clients that share an identity; tenures.py: who holds a reserved lease
pool_alerts.py     pools that run full; exhausted.py: are they really? reclaim.py: quarantines
                   where nothing else is left; echo.py: who answers a ping there
unavailable.py     what is left undone while the database is away; fillfactor.py: how full its pages may be
rendezvous.py      which other DHCPv6 servers hear the same messages
served_wires.py    which networks a question's interface is on
in_use.py          addresses in pools that machines visibly use
"""
