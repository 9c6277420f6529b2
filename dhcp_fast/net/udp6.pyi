import socket

from dhcp_fast.net.udp import UdpSocket

class UdpSocket6(UdpSocket): ...

def leave_groups(sock: socket.socket) -> None: ...
def open_socket6(
    host: str, port: int, interface: str | None = None, shared: bool = False, joining: bool = False
) -> socket.socket: ...
