from typing import Any

from dhcp_fast.engine.engine import Engine

def explain6(
    engine: Engine, packet: bytes, sender: int, port: int = ..., interface: int = ..., to: int = ...
) -> dict[str, Any]: ...
