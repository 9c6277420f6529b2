"""All DHCPv6 vectors in one list; their names are unique, so that a failing test names one."""

from __future__ import annotations

from oracle.vectors.clients6 import CLIENTS
from oracle.vectors.ignored6 import IGNORED
from oracle.vectors.malformed6 import MALFORMED
from oracle.vectors.networks6 import NETWORKS
from oracle.vectors.vector6 import Vector6

LAWFUL: list[Vector6] = [*CLIENTS, *NETWORKS, *IGNORED]
VECTORS: list[Vector6] = [*LAWFUL, *MALFORMED]
