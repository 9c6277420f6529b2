import socket

class Datagrams:
    socket: socket.socket
    refused: int
    unsent: int
    def __init__(
        self,
        local: tuple[str, int],
        server: tuple[str, int] | None = None,
        *,
        segments: bool = True,
        merged: bool = True,
    ) -> None: ...
    def close(self) -> None: ...
    @property
    def port(self) -> int: ...
    @property
    def kernel_drops(self) -> int: ...
