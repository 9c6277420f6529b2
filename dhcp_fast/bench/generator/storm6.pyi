from dhcp_fast.bench.generator.storm import Storm
from dhcp_fast.bench.generator.template6 import Features6

class Storm6(Storm):
    def __init__(
        self,
        server: tuple[str, int],
        *,
        features: Features6,
        seed: int = 1,
        first_client: int = 0,
        timeout: float = 1.0,
        tries: int = 3,
        patience: float = 10.0,
        segments: bool = True,
        merged: bool = True,
        linger: float | None = None,
    ) -> None: ...
