from ipaddress import IPv6Address
from types import TracebackType

from dhcp_fast.bench.generator.datagrams import Datagrams

class Stub6:
    link: Datagrams
    answered: int
    def __init__(self, local: tuple[str, int] = ("::1", 0), network: IPv6Address = ...) -> None: ...
    def __enter__(self) -> Stub6: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    @property
    def address(self) -> tuple[str, int]: ...

def server_option() -> bytes: ...
