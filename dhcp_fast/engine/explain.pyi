from typing import Any

from dhcp_fast.database.tenures import Holder
from dhcp_fast.engine.engine import Engine

TENANT_BY: tuple[str | None, ...]

def explain(
    engine: Engine,
    packet: bytes,
    ours: int,
    ifindex: int,
    port: int = ...,
    broadcast: bool = ...,
    recalled: tuple[int, bytes, bytes] | None = ...,
    sender: int | None = ...,
    holder: Holder | None = ...,
    rehearses: bool = ...,
) -> dict[str, Any]: ...
