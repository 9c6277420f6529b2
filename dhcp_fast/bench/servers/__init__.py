"""Servers under load: our server and its peers, each on a fresh database with the same plan.

servers.py      all servers; peers.py: Kea as one of them
kea.py          Kea's start and configuration; kea6.py: its DHCPv6; kea_leases.py: its first leases
bench_plan.py   the plan of all servers; bench_plan6.py: of IPv6
databases.py    temporary PostgreSQL servers; checkpointing.py: a checkpoint within a measured step
processes.py    resources of processes; watching.py: samples during a long run
audit.py        comparison of acknowledged leases with the database
"""
