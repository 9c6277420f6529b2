from typing import Any

from dhcp_fast.database.leases.recollection import Recalled
from dhcp_fast.database.leases.tenures import Holder
from dhcp_fast.engine.engine import Engine

NOTHING: tuple[int, bytes, bytes]
TENANT_BY: tuple[str | None, ...]

def explain(
    engine: Engine,
    packet: bytes,
    ours: int,
    ifindex: int,
    port: int = ...,
    broadcast: bool = ...,
    recalled: Recalled | None = ...,
    sender: int | None = ...,
    holder: Holder | None = ...,
    rehearses: bool = ...,
) -> dict[str, Any]: ...
