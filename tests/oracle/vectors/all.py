"""All vectors in one list; their names are unique, so that a failing test names one."""

from __future__ import annotations

from oracle.vectors.clients import CLIENTS
from oracle.vectors.ignored import IGNORED
from oracle.vectors.malformed import MALFORMED
from oracle.vectors.networks import NETWORKS
from oracle.vectors.vector import Vector

LAWFUL: list[Vector] = [*CLIENTS, *NETWORKS, *IGNORED]
VECTORS: list[Vector] = [*LAWFUL, *MALFORMED]
