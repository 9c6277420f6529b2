from typing import Any

from dhcp_fast.plan.compile import ServedView
from dhcp_fast.plan.tenant_view import TenantView

class TenantView6(TenantView):
    def __init__(
        self,
        no: int,
        classes: list[dict[str, Any]],
        reserved: list[dict[str, Any]],
        key: tuple[int, int],
        binds: bool = ...,
    ) -> None: ...

class SubnetView6(ServedView):
    bitmaps: dict[int, tuple[int, int, int]]
    def __init__(self, tenant: TenantView, key: tuple[int, int], fields: dict[str, Any]) -> None: ...
    def size_of(self, pool: int) -> int: ...
    def usable(self, pool: int) -> int: ...
