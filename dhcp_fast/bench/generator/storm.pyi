from dhcp_fast.bench.generator.exchanges import Exchanges
from dhcp_fast.bench.generator.result import Result
from dhcp_fast.bench.generator.template import Features

SLOTS: int

class Storm(Exchanges):
    def __init__(
        self,
        server: tuple[str, int],
        *,
        local: tuple[str, int] = ("127.0.0.1", 0),
        features: Features | None = None,
        seed: int = 1,
        first_client: int = 0,
        timeout: float = 1.0,
        tries: int = 3,
        backoff: bool = False,
        patience: float = 10.0,
        segments: bool = True,
        merged: bool = True,
        linger: float | None = None,
    ) -> None: ...
    def close(self) -> None: ...
    def stop(self) -> None: ...
    @property
    def completed(self) -> int: ...
    def run(
        self,
        *,
        mix: str = "dora",
        exchanges: int = 0,
        seconds: float = 0.0,
        window: int = 256,
        rate: float = 0.0,
        held: bytes = b"",
    ) -> Result: ...

def linger_for(window: int) -> float: ...
