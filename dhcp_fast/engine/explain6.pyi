from typing import Any

from dhcp_fast.engine.engine import Engine

def explain6(engine: Engine, packet: bytes, relay: int, port: int = ...) -> dict[str, Any]: ...
