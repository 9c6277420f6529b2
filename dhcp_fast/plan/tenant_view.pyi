from typing import Any

from dhcp_fast.plan.reservation_set import ReservationSet

MOST_CLASSES: int

class TenantView:
    def __init__(
        self,
        no: int,
        classes: list[dict[str, Any]] = ...,
        reserved: ReservationSet | None = ...,
        binds: bool = ...,
    ) -> None: ...
