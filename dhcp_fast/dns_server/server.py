"""Process of a DNS server from its start to its end: sockets, zones, and the tasks beside the answers."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from hashlib import blake2b
from typing import Any

import asyncpg
import dns.rcode
import structlog

from dhcp_fast.dns.query import Responder, SignedQuery
from dhcp_fast.dns.zone_image import ZoneSet
from dhcp_fast.dns_server import metrics, notify, transfers, tsig
from dhcp_fast.dns_server.secondaries import Secondaries
from dhcp_fast.dns_server.secondary_watch import SecondaryWatch
from dhcp_fast.dns_server.streams import Streams
from dhcp_fast.dns_server.zone_loader import ZoneLoader
from dhcp_fast.net.listen import MISSING, missing_addresses, open_dns
from dhcp_fast.net.udp import UdpSocket
from dhcp_fast.wire.dns_message import look
from ipam_core import faults
from ipam_core.db import queries, schema
from ipam_core.db.connect import connect, create_pool
from ipam_core.db.outage import AWAY, reason
from ipam_core.db.pulse import pulse
from ipam_core.model.values import Address
from ipam_core.outbound import opening
from ipam_core.processes import health
from ipam_core.processes import notify as systemd
from ipam_core.secrets import Keyring
from ipam_core.settings import Settings
from ipam_core.workers.node import Node, reported
from ipam_core.workers.publisher import Publisher

COOKIE_PURPOSE = b"dns cookies"
AGAIN_SECONDS = 0.5

log = structlog.get_logger("dns")


class DnsServer:
    """Call `run` until canceled; raises SettingsError if an address cannot be served,
    SecretKeyError without the database's key, NewerSchema.
    """

    def __init__(self, settings: Settings, dsn: str) -> None:
        self.settings = settings
        self.dsn = dsn
        self.sockets, listeners = open_dns(settings)
        self.zones = ZoneSet()
        self.loader = ZoneLoader(dsn, self.zones, self.changed)
        self.keyring = Keyring(settings.secret_key_path)
        self.secondaries = Secondaries(dsn, self.keyring, opening.guard(settings, dsn))
        self.notifier = notify.Notifier(self.secondaries, settings.dns_listen)
        self.secondaries.joined = self.joined
        self.transfers = transfers.Transfers(self.loader, self.secondaries, dsn)
        self.publisher = Publisher(dsn)
        self.watch = SecondaryWatch(self.loader, self.secondaries, self.transfers.pool, self.notifier.served)
        self.notifier.refused = self.watch.refused
        self.transfers.refused = self.watch.refused_here
        self.streams = Streams(
            listeners, self.respond, self.secondaries.is_secondary, settings.connections_per_address
        )
        self.responder: Responder | None = None

    async def run(self) -> None:
        pages = health.process_pages(self.readyz, self.metrics)
        shown = await health.listen(self.settings.health_listen, pages)
        systemd.ready()
        try:
            async with pulse(self.dsn), self.among_nodes():
                secret = await self.shared_secret()
                self.responder = Responder(self.zones, secret, self.settings.dns_response_rate)
                async with asyncio.TaskGroup() as group:
                    for work in (self.loader, self.secondaries, self.publisher, self.watch):
                        group.create_task(work.run())
                    group.create_task(self.serve_when_loaded())
        finally:
            shown.close()
            self.close()

    @contextlib.asynccontextmanager
    async def among_nodes(self) -> AsyncIterator[None]:
        """Report this server among the nodes. Its session is its own: transfers may hold all of theirs."""
        node = Node("dns", ", ".join(map(str, self.settings.dns_listen[:1])))
        pool = await create_pool(self.dsn, min_size=0, max_size=1)
        try:
            async with reported(node, pool, self.fault):
                yield
        finally:
            pool.terminate()

    def fault(self) -> str:
        """Return why zones are not served, or not all or not as they are now; empty where they are."""
        return self.not_ready() or "; ".join(self.warnings())

    def not_ready(self) -> str:
        return self.loader.not_ready()

    def warnings(self) -> list[str]:
        missing = [MISSING.format(each) for each in missing_addresses(self.settings.dns_listen)]
        return missing + self.loader.warnings() + self.publisher.warnings

    async def readyz(self) -> health.Answer:
        return health.readiness(self.not_ready(), self.warnings())

    async def metrics(self) -> health.Answer:
        return health.numbers(metrics.text(self))

    async def shared_secret(self) -> bytes:
        """Return the secret for cookies are made, the same at every server: a hash of what the database knows alone."""
        while True:
            try:
                return await self.read_secret()
            except AWAY as error:
                if self.loader.fault != reason(error):
                    log.warning("database not available", error=reason(error))
                self.loader.fault = reason(error)
            await asyncio.sleep(AGAIN_SECONDS)

    async def read_secret(self) -> bytes:
        connection: asyncpg.Connection = await connect(self.dsn)
        try:
            await schema.check(connection)
            await self.keyring.adopt(connection)
            secret: bytes = await queries.load("reconfigure").read_secret(connection)
        finally:
            connection.terminate()
        return blake2b(secret, digest_size=16, person=COOKIE_PURPOSE).digest()

    async def serve_when_loaded(self) -> None:
        """Serve when the zones are loaded.

        Until then queries wait in the sockets: without its zones a server would refuse them.
        """
        while self.loader.not_ready():  # noqa: ASYNC110 - at the start only
            await asyncio.sleep(0.01)
        for sock in self.sockets:
            asyncio.get_running_loop().add_reader(sock.fd, self.readable, sock)
        await self.streams.open()

    def changed(self, _zone_no: int, zone: bytes, _serial: int) -> None:
        self.notifier.tell(zone)
        self.watch.ask_soon(zone)

    def joined(self, zone: bytes) -> None:
        """Notify the secondaries of a zone that has a new one; a zone that is not served yet is
        notified when it is.
        """
        if zone in self.zones.zones:
            self.notifier.tell(zone)
            self.watch.ask_soon(zone)

    def readable(self, sock: UdpSocket) -> None:
        assert self.responder is not None
        for query in self.responder.receive(sock):
            if response := self.answer_signed(query):
                self.responder.send(sock, query, response)

    def answer_signed(self, query: SignedQuery) -> bytes:
        """Answer over UDP; empty: there is no response. A fault is this query's alone."""
        assert self.responder is not None
        *_, at, end = look(query.data)
        try:
            bare, signature = tsig.take(query.data, at, end, self.keys_for(query.data, end))
            return signature.sign(self.responder.answer_known(bare, query.address, signature.size))
        except tsig.Unsigned as refused:
            return refused.response if self.responder.has_room(query.address) else b""
        except Exception as error:  # noqa: BLE001 - the other queries of the batch are answered
            faults.caught("dns query over UDP", error)
            return failure(query.data, end)

    def keys_for(self, data: bytes, end: int) -> tsig.Keys:
        """Return the keys for the name of a query's question, which ends there."""
        return self.secondaries.keys_for(data[tsig.HEADER : max(tsig.HEADER, end - 4)].lower())

    async def respond(self, data: bytes, peer: Address) -> AsyncGenerator[bytes, None]:
        """Answer over TCP.

        An error affects this query alone. In the middle of a response the connection ends, because
        the client could not find the end of it.
        """
        begun = False
        try:
            async with contextlib.aclosing(self.answers(data, peer)) as messages:
                async for message in messages:
                    begun = True
                    yield message
        except Exception as error:
            faults.caught("dns query over TCP", error)
            if begun:
                raise ConnectionAbortedError from error
            yield failure(data, look(data)[4])

    async def answers(self, data: bytes, peer: Address) -> AsyncGenerator[bytes, None]:
        assert self.responder is not None
        code, kind, klass, signed_at, end = look(data)
        signature = None
        if code == 0 and signed_at:
            try:
                data, signature = tsig.take(data, signed_at, end, self.keys_for(data, end))
            except tsig.Unsigned as refused:
                if kind in (transfers.AXFR, transfers.IXFR):
                    name = data[tsig.HEADER : max(tsig.HEADER, end - 4)].lower()
                    self.watch.refused_here(name, peer, "its signature is not valid")
                yield refused.response
                return
        if code == 0 and klass == 1 and kind in (transfers.AXFR, transfers.IXFR):
            transfer = self.transfers.respond(data, kind, peer, signature)
            async with contextlib.aclosing(
                transfer
            ) as messages:  # its place is free as soon as the client has gone
                async for message in messages:
                    yield message
        elif response := self.responder.answer_stream(data, peer.packed):
            yield transfers.signed(response, signature)

    def close(self) -> None:
        for sock in self.sockets:
            asyncio.get_running_loop().remove_reader(sock.fd)
            sock.close()
        self.streams.close()
        self.notifier.close()
        self.transfers.close()

    def numbers(self) -> Mapping[str, Any]:
        counted: Mapping[str, Any] = self.responder.counters() if self.responder else {}
        codes = counted.get("codes", [])
        images = self.zones.zones.values()
        return {
            **{key: counted.get(key, 0) for key in metrics.COUNTERS},
            "queries": {"udp": counted.get("udp", 0), "tcp": counted.get("tcp", 0)},
            "codes": {code: count for code, count in enumerate(codes) if count},
            "kernel_drops": sum(sock.kernel_drops for sock in self.sockets),
            "loads": self.loader.loads,
            "deltas": self.loader.deltas,
            "published": self.publisher.published,
            "elected": self.publisher.elected,
            "zones": len(images),
            "names": sum(map(len, images)),
            "age": self.loader.age(),
            **self.watch.numbers(),
            "transfers": {each: self.transfers.counts[each] for each in transfers.OUTCOMES},
            "notifies": {each: self.notifier.counts[each] for each in notify.OUTCOMES},
        }


def failure(data: bytes, end: int) -> bytes:
    """Return SERVFAIL to a query whose question ends there."""
    return tsig.with_code(tsig.without_records(data, end), dns.rcode.SERVFAIL)
