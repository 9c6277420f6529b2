"""Servers: what is driven: our server and its peers, each on a fresh database with the same plan.

servers.py      all that can be driven; peers.py: Kea as one of them
kea.py          how Kea is started and configured, kea6.py: its DHCPv6; kea_leases.py: what it has to begin with
bench_plan.py   the plan that all serve; bench_plan6.py: of IPv6
databases.py    PostgreSQL, made and thrown away; checkpointing.py: a checkpoint within a measured step
processes.py    what processes use; watching.py: in the course of a long run
audit.py        what was acknowledged beside what the database holds
"""
