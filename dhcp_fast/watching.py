"""Reading `/trace` of a DHCP server's health address: a client's packets and the decisions on them, while one looks.

Under `ipam up` that address sends the reader on to the DHCP server's own.
"""

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from urllib.parse import urlencode, urlsplit

from ipam_core.errors import Unavailable
from ipam_core.setting_values import Endpoint

ANSWER_SECONDS = 5.0
PATHS = {4: "/trace", 6: "/trace6"}


@contextmanager
def watching(
    server: Endpoint, family: int, asked: dict[str, str], seconds: float = ANSWER_SECONDS
) -> Iterator[tuple[Iterator[str], socket.socket]]:
    """Provide the server's lines as they come, and the socket, whose timeout ends them; from whichever of its processes
    has them. `asked`: octets in hexadecimal by mac, client_id and duid, empty for any; `seconds`: how long the server
    may take to answer. Raises Unavailable."""
    query = urlencode({name: text for name, text in asked.items() if text})
    with ExitStack() as stack:
        for _redirection in range(2):
            connection = http.client.HTTPConnection(server.host, server.port, timeout=seconds)
            stack.enter_context(closing(connection))
            response, line = ask(connection, server, f"{PATHS[family]}?{query}")
            if response.status != http.HTTPStatus.TEMPORARY_REDIRECT:
                break
            url = urlsplit(response.headers["Location"])
            server = Endpoint(url.hostname or server.host, url.port or server.port)
        check(server, response)
        yield lines(response), line


def ask(
    connection: http.client.HTTPConnection, server: Endpoint, path: str
) -> tuple[http.client.HTTPResponse, socket.socket]:
    """Return the answer, and the socket: the connection forgets it as soon as it knows that this answer is the last
    one."""
    try:
        connection.connect()
        line = connection.sock
        connection.request("GET", path)
        return connection.getresponse(), line
    except (OSError, http.client.HTTPException) as error:
        raise Unavailable(f"the server at {server}", str(error)) from None


def check(server: Endpoint, response: http.client.HTTPResponse) -> None:
    if response.status == http.HTTPStatus.OK:
        return
    body = response.read()
    try:
        reason = str(json.loads(body)["error"])
    except (ValueError, KeyError, TypeError):
        reason = (
            f"it answers {response.status} {response.reason}: check that this is the health address of ipam"
        )
    raise Unavailable(f"a trace on {server}", reason)


def lines(response: http.client.HTTPResponse) -> Iterator[str]:
    try:
        for line in response:
            yield line.decode()
    except (OSError, http.client.HTTPException):
        return
