"""Connections through the proxy of the setting `outbound_proxy`, by CONNECT (RFC 9110 section 9.3.6).

The proxy gets the address that was judged, never the name: its own lookup could find another address.
"""

import asyncio
import base64
import socket

from ipam_core.model.values import Address
from ipam_core.setting_values import Proxy

MOST_OCTETS = 16_384  # of the head of its answer


async def tunnel(through: Proxy, address: Address, port: int) -> socket.socket:
    """Return a socket whose other end is the address. Raises OSError."""
    sock = await reach(through)
    try:
        await asyncio.get_running_loop().sock_sendall(sock, request(through, address, port))
        check(await read_head(sock))
    except BaseException:
        sock.close()
        raise
    return sock


async def reach(through: Proxy) -> socket.socket:
    loop = asyncio.get_running_loop()
    error: OSError | None = None
    for family, kind, number, _, where in await loop.getaddrinfo(
        through.host, through.port, type=socket.SOCK_STREAM
    ):
        sock = socket.socket(family, kind, number)
        sock.setblocking(False)
        try:
            await loop.sock_connect(sock, where)
        except OSError as found:
            error = found
            sock.close()
        except BaseException:
            sock.close()
            raise
        else:
            return sock
    raise OSError(f"the proxy {through.host} port {through.port} cannot be reached: {error}")


def request(through: Proxy, address: Address, port: int) -> bytes:
    target = f"[{address}]:{port}" if address.version == 6 else f"{address}:{port}"
    lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
    if through.credentials:
        lines.append(f"Proxy-Authorization: Basic {base64.b64encode(through.credentials.encode()).decode()}")
    return "\r\n".join([*lines, "", ""]).encode()


async def read_head(sock: socket.socket) -> bytes:
    """Return the head of the proxy's answer; nothing of the tunnel follows before we send. Raises OSError."""
    head = b""
    while b"\r\n\r\n" not in head:
        data = await asyncio.get_running_loop().sock_recv(sock, 4096)
        head += data
        if not data or len(head) > MOST_OCTETS:
            raise ConnectionError("the proxy's response to CONNECT is not HTTP")
    return head


def check(head: bytes) -> None:
    """Raise OSError unless the tunnel is open."""
    version, _, rest = head.partition(b" ")
    status = rest[:3].decode("ascii", "replace")
    if not version.startswith(b"HTTP/1.") or not status.isdecimal():
        raise ConnectionError("the proxy's response to CONNECT is not HTTP")
    if not 200 <= int(status) < 300:
        raise ConnectionError(f"the proxy refuses the connection (HTTP {status})")
