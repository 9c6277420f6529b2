"""HTTP/1.0 over a real connection: kept where the client asks for it (RFC 9112, appendix C.2.2), else closed."""

import http.client
import socket
from urllib.parse import urlsplit

import pytest
from cli.serving import Served


def exchange(
    served: Served, connection: str, *, times: int, path: str = "/tokens/self"
) -> tuple[list[str], bool]:
    """The `connection` headers of requests one after the other, and whether the connection is open afterwards."""
    address = urlsplit(served.url)
    request = (
        f"GET {address.path}{path} HTTP/1.0\r\nauthorization: Bearer {served.token}\r\n"
        f"host: {address.netloc}\r\n{connection}\r\n"
    )
    told = []
    with socket.create_connection((address.hostname, address.port), timeout=20) as link:
        for _ in range(times):
            link.sendall(request.encode())
            answer = http.client.HTTPResponse(link, method="GET")
            answer.begin()
            assert (answer.status, len(answer.read()) > 0) == (200, True)
            told.append(answer.headers["connection"])
        if told[-1] == "keep-alive":
            return told, True
        return told, link.recv(1) != b""


@pytest.mark.parametrize("asked", ["Connection: keep-alive\r\n", "connection: Keep-Alive\r\n"])
def test_a_connection_is_kept_where_the_client_asks(served: Served, asked: str) -> None:
    assert exchange(served, asked, times=3) == (["keep-alive"] * 3, True)


@pytest.mark.parametrize("asked", ["", "connection: close\r\n"])
def test_it_is_closed_otherwise(served: Served, asked: str) -> None:
    assert exchange(served, asked, times=1) == (["close"], False)


@pytest.mark.parametrize("asked", ["", "connection: keep-alive\r\n"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_an_answer_of_unknown_length_ends_with_its_connection(
    served: Served, asked: str, method: str
) -> None:
    """A client of HTTP/1.0 does not know chunks (RFC 9112 section 6.1)."""
    address = urlsplit(served.url)
    request = (
        f"{method} {address.path}/tokens HTTP/1.0\r\nauthorization: Bearer {served.token}\r\n"
        f"host: {address.netloc}\r\naccept: text/csv\r\n{asked}\r\n"
    )
    with socket.create_connection((address.hostname, address.port), timeout=20) as link:
        link.sendall(request.encode())
        head, _, body = link.makefile("rb").read().partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert b"connection: close" in head
    assert b"transfer-encoding" not in head
    assert b"content-length" not in head
    lines = body.decode().splitlines()
    assert [line.partition(",")[0] for line in lines[:1]] == (["id"] if method == "GET" else [])
    assert len(lines) == (2 if method == "GET" else 0)
