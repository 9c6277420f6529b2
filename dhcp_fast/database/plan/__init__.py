"""The address plan on its way from the database into the engine, and the names that decisions are explained with.

module                subject
plan_rows.py          the plan's rows, read
plan_reader.py        those rows compiled, of DHCPv4 and of both families
plan_reader6.py       the same of IPv6
plan_loader.py        rows into the engine
plan_feed.py          which parts have changed
plan_reload.py        those parts, read and loaded again
placing.py            on which interfaces a subnet is
served_links.py       which networks the interface of a question is on
in_use.py             addresses in pools that machines visibly use
class_conditions.py   the conditions of client classes, with names turned into numbers
class_decisions.py    the same numbers turned into names
tenant_decisions.py   which tenant a packet belongs to, and why
"""
