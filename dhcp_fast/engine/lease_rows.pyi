from dhcp_fast.engine.engine import Engine
from dhcp_fast.pg.copy_tuples import TupleReader

class RowReader(TupleReader):
    def __init__(self, engine: Engine, in_bulk: bool = False) -> None: ...
