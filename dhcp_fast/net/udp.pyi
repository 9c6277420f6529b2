import socket

class UdpSocket:
    fd: int
    ifindex: int
    port: int
    interface: str | None
    kernel_drops: int
    sock: socket.socket | None
    def __init__(
        self,
        host: str,
        port: int,
        interface: str | None = None,
        sock: socket.socket | None = None,
        resting: bool = False,
    ) -> None: ...
    def hold(self, sock: socket.socket) -> None: ...
    def rest(self) -> None: ...
    def forget_wires(self) -> None: ...
    @property
    def address(self) -> tuple[str, int]: ...
    def close(self) -> None: ...

def open_socket(
    host: str, port: int, interface: str | None = None, shared: bool = False, joining: bool = False
) -> socket.socket: ...
def kernel_drops(sock: socket.socket) -> int: ...
