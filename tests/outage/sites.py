"""Places of the plan that one running service serves side by side: a subnet, its relay, its clients, its API.

`soon` repeats a client's step until a change is served. The promise is a second: changes that are announced are read
at once and polled for each second, leases four times a second. `SOON` leaves room for a machine that runs all the
other tests at the same time.
"""

import itertools
import socket
import time
from collections.abc import Callable
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import httpx
from outage.databases import fetch
from outage.processes import Role

from dhcp_fast.packets.message4 import Reply
from dhcp_fast.probe.client import Client, NoAnswer, Refused, Step
from ipam_core.db.embedded.server import running_dsn

SOON = 2.0
NUMBERS = itertools.count(1)


class Relayed(Client):
    """A client behind the relay at this loopback address."""

    def __init__(self, server: tuple[str, int], relay: str, mac: str) -> None:
        super().__init__(
            server, mac=bytes.fromhex(mac.replace(":", "")), giaddr=IPv4Address(relay), timeout=0.15, tries=1
        )
        self.socket.close()
        self.socket = socket.socket(type=socket.SOCK_DGRAM)
        self.socket.bind((relay, 0))


class Site:
    """A subnet with a /24 of its own, its relay, and the API."""

    def __init__(self, up: Role) -> None:
        self.up = up
        self.dsn = running_dsn(Path(up.environment["IPAM_DATA_DIR"])) or ""
        self.number = next(NUMBERS)
        self.relay = f"127.0.{self.number}.1"
        self.api = httpx.Client(base_url=f"http://{up.api}/api/v1", timeout=30)
        prefix = self.post("/prefixes", cidr=f"10.{self.number}.0.0/16")
        self.subnet = self.post(
            "/subnets",
            prefix_id=prefix["id"],
            cidr=f"10.{self.number}.0.0/24",
            relay_addresses=[self.relay],
            min_lease_time_seconds=120,
            lease_time_seconds=3600,
        )
        self.path = f"/subnets/{self.subnet['id']}"
        self.trust = self.post("/trusted-relays", cidr=f"{self.relay}/32")

    def ip(self, host: int) -> str:
        return f"10.{self.number}.0.{host}"

    def pool(self, first: int, last: int) -> dict[str, Any]:
        return self.post(f"{self.path}/pools", name="pool", start_ip=self.ip(first), end_ip=self.ip(last))

    def post(self, path: str, **fields: Any) -> dict[str, Any]:
        return self.send("POST", path, fields)

    def send(self, method: str, path: str, fields: dict[str, Any] | None = None) -> dict[str, Any]:
        answer = self.api.request(method, path, json=fields)
        assert answer.is_success, answer.text
        found: dict[str, Any] = answer.json() if answer.content else {}
        return found

    def release(self, reply: Reply) -> None:
        (lease,) = self.api.get("/leases", params={"ip": str(reply.yiaddr), "state": "active"}).json()[
            "items"
        ]
        self.post(f"/leases/{lease['id']}/release")

    def client(self, number: int) -> Relayed:
        return Relayed(self.up.address, self.relay, self.mac(number))

    def mac(self, number: int) -> str:
        return f"02:00:00:00:{self.number:02x}:{number:02x}"

    def lease(self, number: int) -> Any:
        """A lease of client `number`, as soon as it gets one."""
        with self.client(number) as client:
            return client.select(soon(client.discover)).reply

    def state(self, address: IPv4Address) -> str:
        return str(fetch(self.dsn, "select state from lease where address = $1", address))


class NotYetError(Exception):
    """An answer that does not know of the change."""


def soon(step: Callable[[], Step], expected: type[Exception] | None = None) -> Any:
    """Repeat a client's step until it is answered, or ends with the expected exception."""
    deadline = time.monotonic() + SOON
    while True:
        try:
            answer, error = step().reply, None
        except (NoAnswer, Refused, NotYetError) as raised:
            answer, error = None, raised
        if expected is None and answer is not None:
            return answer
        if expected is not None and isinstance(error, expected):
            return None
        assert time.monotonic() < deadline, error or answer


def saying(step: Step, code: int, *addresses: str) -> Step:
    """The answer, if this option of it has these addresses."""
    if step.reply.options.get(code, b"") != b"".join(IPv4Address(address).packed for address in addresses):
        raise NotYetError(step.reply.options)
    return step
