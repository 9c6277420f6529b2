from typing import Any

from dhcp_fast.engine.engine import Engine

def explain(
    engine: Engine,
    packet: bytes,
    ours: int,
    ifindex: int,
    port: int = ...,
    broadcast: bool = ...,
    recalled: tuple[int, bytes] | None = ...,
) -> dict[str, Any]: ...
