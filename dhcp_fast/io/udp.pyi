class UdpSocket:
    fd: int
    ifindex: int
    port: int
    interface: str | None
    kernel_drops: int
    def __init__(self, host: str, port: int, interface: str | None = None) -> None: ...
    @property
    def address(self) -> tuple[str, int]: ...
    def close(self) -> None: ...
