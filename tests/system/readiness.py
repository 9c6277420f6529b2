"""What a running server says of itself: on /readyz, and in its row among the nodes."""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from system import plan
from system.server import HEALTH, DhcpServer

NODE = "select state, detail, interfaces::text as interfaces from node where state <> 'stopped'"
ASK = """
import sys, urllib.error, urllib.request
try:
    print(urllib.request.urlopen(sys.argv[1], timeout=5).read().decode())
except urllib.error.HTTPError as error:
    print(error.read().decode())
"""


def readiness(server: DhcpServer) -> dict[str, Any]:
    text = server.namespace.run(sys.executable, "-c", ASK, f"http://{HEALTH}/readyz")
    found: dict[str, Any] = json.loads(text)
    return found


def await_readiness(server: DhcpServer, **wanted: object) -> None:
    """/readyz says so."""
    await_members(lambda: readiness(server), wanted)


def await_node(database: str, **wanted: object) -> None:
    """The server's row says so."""

    async def read(connection: Any) -> dict[str, Any]:
        row = dict(await connection.fetchrow(NODE))
        return row | {"interfaces": json.loads(row["interfaces"])}

    await_members(lambda: plan.connected(database, read), wanted)


def await_members(read: Callable[[], dict[str, Any]], wanted: dict[str, object]) -> None:
    deadline = time.monotonic() + plan.WAIT_SECONDS
    while not wanted.items() <= (found := read()).items():
        assert time.monotonic() < deadline, f"never {wanted}: {found}"
        time.sleep(0.05)
