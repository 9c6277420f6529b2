from types import TracebackType

from dhcp_fast.bench.generator.datagrams import Datagrams

class Stub:
    link: Datagrams
    cpu: float
    answered: int
    seen: int
    def __init__(
        self,
        local: tuple[str, int] = ("127.0.0.1", 0),
        *,
        silent_every: int = 0,
        nak_every: int = 0,
        twice_every: int = 0,
        foreign_every: int = 0,
        late_every: int = 0,
    ) -> None: ...
    def __enter__(self) -> Stub: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    @property
    def address(self) -> tuple[str, int]: ...

def blank_reply() -> bytes: ...
