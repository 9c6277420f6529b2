from typing import Any

from dhcp_fast.plan.compile import TenantView

class SubnetView6:
    no: int
    fence: int
    span: tuple[int, int, int]
    enabled: bool
    shared_network: str | None
    bitmaps: dict[int, tuple[int, int, int]]
    def __init__(self, tenant: TenantView, key: tuple[int, int], fields: dict[str, Any]) -> None: ...
    def size_of(self, pool: int) -> int: ...
    def usable(self, pool: int) -> int: ...
