from typing import NamedTuple

from dhcp_fast.engine.engine import Engine

class PoolUse(NamedTuple):
    no: int
    tenant_no: int
    network: int
    prefix_length: int
    first: int
    last: int
    usable: int
    used: int

def is_elected(engine: Engine) -> bool: ...
def subnet_numbers(engine: Engine) -> list[int]: ...
def exhausted_pools(engine: Engine, numbers: list[int]) -> list[PoolUse]: ...
def pools_from(engine: Engine, percent: int, numbers: list[int]) -> list[PoolUse]: ...
def fullest_pools(engine: Engine, most: int) -> list[PoolUse]: ...
def addresses(engine: Engine) -> tuple[int, int]: ...
