from typing import Any

from dhcp_fast.database.leases.recollection import Recalled
from dhcp_fast.database.leases.tenures import Holder
from dhcp_fast.engine.engine import Engine

def explain6(
    engine: Engine,
    packet: bytes,
    sender: int,
    port: int = ...,
    interface: int = ...,
    to: int = ...,
    recalled: Recalled | None = ...,
    holder: Holder | None = ...,
    rehearses: bool = ...,
) -> dict[str, Any]: ...
