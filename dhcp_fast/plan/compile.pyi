from typing import Any, NamedTuple

MOST_CLASSES: int

class TenantView:
    def __init__(
        self,
        no: int,
        classes: list[dict[str, Any]] = ...,
        reserved: ReservationSet | None = ...,
        binds: bool = ...,
    ) -> None: ...

class ReservationSet:
    def __len__(self) -> int: ...
    def number(self, index: int) -> int: ...
    def put_options(self, no: int, rows: list[tuple[int, bytes | None, bool, bytes | None]]) -> None: ...

class PoolUse(NamedTuple):
    no: int
    tenant_no: int
    network: int
    prefix_length: int
    first: int
    last: int
    usable: int
    used: int

class ServedView(TenantView):
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
