"""Reconfigure messages, beside the packet path. A request through the API makes a client renew,
rebind or request its options again (RFC 8415 section 18.3.11).

One server of all sends it: through the relays of the client's last message, else to its own
address. A client without a relay may be out of that server's reach, so every server on its link
sends it too. The datagrams are identical, and the client treats a second one as a replay. The
message is repeated until the lease is written again, which shows that the client received it, or
until the last retry (section 15: REC_TIMEOUT, REC_MAX_RC).
"""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from ipaddress import IPv6Address, ip_address
from typing import Any

import structlog

from dhcp_fast.database.connections import Connections
from dhcp_fast.engine.configure import server_id
from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.reconfigure import reconfigure_key
from dhcp_fast.net.listen import is_here
from dhcp_fast.net.udp import UdpSocket
from dhcp_fast.packets.reconfigure6 import ASKS_FOR, back_through, reconfigure, relays_of
from ipam_core import faults
from ipam_core.db import queries
from ipam_core.db.outage import FAILED, reason
from ipam_core.model.values import Address

SQL = queries.load("reconfigure")

FIRST_SECONDS = 2.0
MOST_SENT = 8
MOST_AT_ONCE = 1000
CLIENT_PORT, SERVER_PORT = 546, 547

Row = Mapping[str, Any]
Key = tuple[int, str]  # tenant, address

log = structlog.get_logger()


class Reconfigurations:
    """Reconfigure messages in progress.

    `is_elected`: true if this process sends for all; `addresses`: its addresses on the links that
    it serves.
    """

    def __init__(
        self,
        engine: Engine,
        sockets: Sequence[UdpSocket],
        connections: Connections,
        is_elected: Callable[[], bool],
        addresses: Callable[[], Collection[Address]],
    ) -> None:
        self.engine = engine
        self.connections = connections
        self.is_elected = is_elected
        self.addresses = addresses
        self.sockets = sockets
        self.telling: dict[Key, asyncio.Task[None]] = {}

    def close(self) -> None:
        for task in self.telling.values():
            task.cancel()

    def begin(self, asked: Iterable[Row]) -> None:
        """Begin a request in place of the last one."""
        for row in asked:
            try:
                self.begin_one(row)
            except Exception as error:  # noqa: BLE001 - the other clients are told
                faults.caught("reconfigure", error)

    def begin_one(self, row: Row) -> None:
        key = row["tenant_no"], row["after"]["ip"]
        if before := self.telling.pop(key, None):
            before.cancel()
        if len(self.telling) >= MOST_AT_ONCE:
            log.warning("Reconfigure not sent: too many are in progress", address=key[1])
            return
        self.telling[key] = asyncio.get_running_loop().create_task(self.tell(key, row["after"]))

    async def tell(self, key: Key, asked: Row) -> None:
        try:
            await self.tell_until_heard(key, asked)
        except FAILED as error:
            log.warning("Reconfigure could not be sent", address=key[1], error=reason(error))
        except Exception as error:  # noqa: BLE001 - as above
            faults.caught("reconfigure", error, address=key[1])
        finally:
            if self.telling.get(key) is asyncio.current_task():
                del self.telling[key]

    async def tell_until_heard(self, key: Key, asked: Row) -> None:
        first = await self.read(key)
        lease, pause = first, FIRST_SECONDS
        for _ in range(MOST_SENT):
            if lease is None or not lease["runs"] or lease["version"] != first["version"]:
                return
            self.send(lease, asked)
            await asyncio.sleep(pause)
            pause *= 2
            lease = await self.read(key)

    async def read(self, key: Key) -> Any:
        async with self.connections.plan.acquire() as connection:
            return await SQL.read_told_lease(connection, tenant_no=key[0], address=ip_address(key[1]))

    def send(self, lease: Row, asked: Row) -> None:
        duid, asks_for = lease["duid"], ASKS_FOR[asked["message"]]
        message = reconfigure(
            server_id(self.engine), duid, asks_for, asked["replay"], reconfigure_key(self.engine, duid)
        )
        if lease["relay_info"] is not None:
            self.send_through_relays(lease["relay_info"], message)
        elif lease["reached_at"] is None:
            log.warning(
                "Reconfigure cannot be sent: the address of the client is unknown", duid=duid.hex(":")
            )
        elif self.is_elected() or self.is_near(lease):
            self.send_to(IPv6Address(lease["reached_at"]), CLIENT_PORT, message)

    def is_near(self, lease: Row) -> bool:
        return lease["cidr"] is not None and any(address in lease["cidr"] for address in self.addresses())

    def send_through_relays(self, relay_info: bytes, message: bytes) -> None:
        """Send through relays. One that is known by a link-local address is reached by a server on its link."""
        packed, relays = relays_of(relay_info)
        to = IPv6Address(packed)
        if to.is_link_local or self.is_elected():
            entry = self.engine.plan.relay_entry(int(to))
            named = entry is not None and entry.vss
            self.send_to(to, SERVER_PORT, back_through(relays, message, with_network=named))

    def send_to(self, to: IPv6Address, port: int, data: bytes) -> None:
        """Send to a link-local address on each interface. To another address, send from the addresses of
        `dhcp6_listen` that reach it, of which a relay may know any; from the interfaces where there is none."""
        named = [each for each in self.sockets if not each.interface and may_reach(each.address[0], to)]
        taken = [sent(each, to, port, data) for each in named]
        if not any(taken):
            for each in self.sockets:
                if each.interface:
                    sent(each, to, port, data)


def may_reach(host: str, to: IPv6Address) -> bool:
    """Return whether a socket that is bound to `host` has a source address for the destination now."""
    source = IPv6Address(host.partition("%")[0])
    return not to.is_link_local and (to.is_loopback or not source.is_loopback) and is_here(host)


def sent(by: UdpSocket, to: IPv6Address, port: int, data: bytes) -> bool:
    """Send a datagram and return whether the kernel took it."""
    if by.sock is None:
        return False
    try:
        by.sock.sendto(data, (str(to), port, 0, by.ifindex if to.is_link_local else 0))
    except OSError:  # no way to it from there
        return False
    return True
