from dhcp_fast.pg.copy_tuples import TupleReader
from dhcp_fast.plan.reservation_set import ReservationSet

class ReservationReader(TupleReader):
    sets: dict[int, ReservationSet]
    def __init__(self, key: tuple[int, int]) -> None: ...
    def finish(self) -> dict[int, ReservationSet]: ...
