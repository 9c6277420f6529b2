from typing import Any, NamedTuple

from dhcp_fast.plan.reservation_set import ReservationSet
from dhcp_fast.plan.tenant_view import TenantView

class PoolUse(NamedTuple):
    no: int
    tenant_no: int
    network: int
    prefix_length: int
    first: int
    last: int
    usable: int
    used: int

class ServedView:
    enabled: bool
    shared_network: str | None
    @property
    def no(self) -> int: ...
    @property
    def fence(self) -> int: ...
    @property
    def span(self) -> tuple[int, int, int]: ...
    @property
    def ping_check(self) -> bool: ...
    @property
    def spans(self) -> list[tuple[int, int, int]]: ...
    def leases_counted(self, counted: bool) -> None: ...
    def is_counted(self) -> bool: ...
    def addresses(self) -> int: ...
    def open_pools(self) -> None: ...

class SubnetView(ServedView):
    reservations: ReservationSet
    def __init__(self, tenant: TenantView, key: tuple[int, int], fields: dict[str, Any]) -> None: ...
    @property
    def ping_check(self) -> bool: ...
