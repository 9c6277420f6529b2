"""Secure dynamic updates by GSS-TSIG (RFC 3645): Active Directory, its likeness in Samba, and BIND with Kerberos.

    Kerberos ticket -> TKEY over TCP (RFC 2930) -> a context that signs many updates -> TSIG

One negotiation at a time, in a thread as far as it waits for a KDC; whoever wants to send meanwhile waits for that one.
A context is made anew after four fifths of its life, and where the server has forgotten it.
"""

import asyncio
import secrets
import time
from collections.abc import Collection
from typing import Any, NamedTuple

import dns.exception
import dns.flags
import dns.inet
import dns.message
import dns.name
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.rrset
import dns.tsig
import dns.update
from dns.rcode import Rcode
from dns.rdatatype import RdataType
from dns.rdtypes.ANY.TKEY import TKEY

from ipam_core.model.dns_server import DnsServer
from ipam_core.outbound import name_work
from ipam_core.outbound.dns_stream import DnsPeer
from ipam_core.outbound.guard import Guard, Reach
from ipam_core.workers.adapters import (
    Change,
    Found,
    Refused,
    Step,
    TestResult,
    Unreachable,
    UpdateError,
    kerberos,
)
from ipam_core.workers.adapters.bind_tsig import CLOCKS, PORT, test_updates
from ipam_core.workers.adapters.confirm import confirmed
from ipam_core.workers.adapters.reading import UNREADABLE, Place
from ipam_core.workers.adapters.update import Updates, changes_nothing

GSS_API = 3  # TKEY's mode (RFC 2930 section 2.5)
DAY = 86400
KDC_SECONDS = 10.0
MOST_ANSWER = 4096  # octets; contexts are of one thread, so answers are read on the event loop
LIVED = 0.8
# Servers know a signature's place among the last twenty (Heimdal) or so; one that many others overtook looks replayed.
AT_ONCE = 8
TKEY_FAULTS = {
    Rcode.BADSIG: "BADSIG",
    Rcode.BADKEY: "BADKEY",
    Rcode.BADTIME: "BADTIME",
    Rcode.BADMODE: "BADMODE",
    Rcode.BADNAME: "BADNAME",
    Rcode.BADALG: "BADALG",
}
NOT_TAKEN = "the server refuses the ticket ({code}): it has another key for {target}, or the clocks differ"
NO_TKEY = "the server refuses to negotiate keys ({code}): it is not set up for GSS-TSIG"
FORGOTTEN = "the server refuses the signature of a context that it has just created"


class ContextLostError(Exception):
    """The server does not know the context any more."""


class Context(NamedTuple):
    """Security context that signs; `until` on the loop's clock."""

    key: dns.tsig.Key
    security: Any
    until: float


class AdGssTsig:
    """One server. Raises Refused where its address is no name."""

    def __init__(self, server: DnsServer, secret: str | None, guard: Guard, reach: Reach) -> None:
        self.who = kerberos.account(server, secret)
        if dns.inet.is_address(self.who.host):
            raise Refused(
                f"address must be the server's name, because tickets are issued for names: {self.who.host} is none"
            )
        self.guard, self.reach = guard, reach
        self.place = Place(DnsPeer(guard, reach, self.who.host, server.port or PORT))
        self.updates = Updates(self.send, self.place.ask)
        self.turns = asyncio.Semaphore(AT_ONCE)
        self.context: Context | None = None
        self.negotiating: asyncio.Task[Context] | None = None
        self.negotiations = 0

    async def add(self, change: Change) -> None:
        await self.updates.add(change)

    async def remove(self, change: Change) -> None:
        await self.updates.remove(change)

    async def close(self) -> None:
        """Close the context; a thread that still waits for a KDC ends by itself."""
        if self.negotiating is not None:
            self.negotiating.cancel()
            await asyncio.gather(self.negotiating, return_exceptions=True)

    async def read(self, zone: str, names: Collection[str]) -> Found:
        """Read without a signature: servers admit a transfer by address, if at all."""
        return await self.place.read(zone, names)

    # --- sending

    async def send(self, message: dns.update.UpdateMessage) -> Rcode:
        """Return the answer's code, once more with another context where the server lost this one. Raises
        UpdateError."""
        async with self.turns:
            context = await self.negotiated()
            try:
                return await self.send_signed(message, context)
            except ContextLostError:
                if self.context is context:
                    self.context = None
            try:
                return await self.send_signed(message, await self.negotiated())
            except ContextLostError:
                raise Refused(FORGOTTEN) from None

    async def send_signed(self, message: dns.update.UpdateMessage, context: Context) -> Rcode:
        message.use_tsig(context.key, algorithm=dns.tsig.GSS_TSIG)
        answer = await self.exchange(message)
        try:
            return Rcode(dns.message.from_wire(answer, context.key, message.mac or b"").rcode())
        except (dns.tsig.PeerBadKey, dns.tsig.PeerBadSignature):
            raise ContextLostError from None
        except dns.tsig.PeerBadTime:
            raise Refused(CLOCKS) from None
        except dns.exception.DNSException:
            return await self.confirm(message, answer)

    async def confirm(self, message: dns.update.UpdateMessage, answer: bytes) -> Rcode:
        """Return the data of an answer, also without a valid signature."""
        hint = Rcode(unverified(message, answer).rcode())
        code = await confirmed(message, hint, self.place.ask)
        if code is None:
            raise Unreachable(
                f"the answer {dns.rcode.to_text(hint)} has no valid signature, and the records contradict it"
            )
        return code

    async def exchange(self, message: dns.message.Message) -> bytes:
        """Return the answer's octets. Raises UpdateError."""
        # Signed in the order in which they are sent.
        answer = await self.place.exchange(lambda: signed(message))
        if len(answer) > MOST_ANSWER:
            raise Refused(f"{UNREADABLE}: it has more than {MOST_ANSWER} octets")
        try:
            name_work.check(answer)
        except name_work.TooMuchWorkError as error:
            raise Refused(f"{UNREADABLE}: {error}") from None
        return answer

    # --- negotiating

    async def negotiated(self) -> Context:
        """Return the context to sign with. Raises UpdateError."""
        if self.context is not None and asyncio.get_running_loop().time() < self.context.until:
            return self.context
        if self.negotiating is None or self.negotiating.done():
            self.negotiating = asyncio.create_task(self.negotiate())
            self.negotiating.add_done_callback(lambda task: task.cancelled() or task.exception())
        # Other updates wait for it too, so it continues if one of them runs out of time.
        return await asyncio.shield(self.negotiating)

    async def negotiate(self) -> Context:
        began = asyncio.get_running_loop().time()
        security, token = await self.begin()
        # Samba reads no compressed key name, so it must have no end in common with a zone.
        name = dns.name.from_text(f"{secrets.token_hex(16)}.invalid.")
        told = tkey_of(await self.exchange(tkey_query(name, token)), name, self.who.target)
        lifetime = min(kerberos.finish(self.who, security, told.key), left(told.expiration))
        key = dns.tsig.Key(name, security, dns.tsig.GSS_TSIG)
        self.context = Context(key, security, began + LIVED * lifetime)
        self.negotiations += 1
        return self.context

    async def begin(self) -> kerberos.Begun:
        closed = self.reach.of_tenant
        try:
            async with asyncio.timeout(KDC_SECONDS):
                return await self.guard.threads.run(
                    self.reach.tenant_no, lambda: kerberos.begin(self.who, closed)
                )
        except TimeoutError:
            raise Unreachable(
                f"Kerberos for {self.who.target}: no KDC answers within {KDC_SECONDS:.0f} s"
            ) from None

    # --- trying

    async def test(self, zones: list[str]) -> TestResult:
        try:
            context = await self.negotiated()
        except UpdateError as error:
            return TestResult(False, [Step("Kerberos", False, str(error))])
        seconds = context.until - asyncio.get_running_loop().time()
        told = f"{context.security.initiator_name} for {self.who.target}, to be renewed in {seconds:.0f} s"
        steps = [Step("Kerberos", True, told)]
        found = await test_updates(self.send, zones)
        if found.takes_dhcid is not None:
            self.updates.marks.learn(takes_dhcid=found.takes_dhcid)
        steps += found.steps
        if zones:
            steps.append(await self.test_unsigned(zones[0]))
        return TestResult(found.ok, steps, found.takes_dhcid)

    async def test_unsigned(self, zone: str) -> Step:
        """Return no hindrance, but worth knowing."""
        message = changes_nothing(zone)
        try:
            code = unverified(message, await self.exchange(message)).rcode()
        except UpdateError as error:
            return Step("unsigned updates", True, str(error))
        if code == Rcode.NOERROR:
            return Step(
                "unsigned updates", True, f"accepted: anyone who can reach the server can change {zone}"
            )
        return Step("unsigned updates", True, f"refused ({dns.rcode.to_text(code)}), as required")


def signed(message: dns.message.Message) -> bytes:
    """Return the signed message with its length in front. Raises ContextLostError where the context has ended."""
    try:
        return message.to_wire(prepend_length=True)
    except Exception as error:
        if type(error).__module__.startswith("gssapi"):
            raise ContextLostError from None
        raise


def unverified(message: dns.message.Message, answer: bytes) -> dns.message.Message:
    """Return the answer, whatever its signature. Raises Refused where it is none."""
    try:
        found = dns.message.from_wire(answer, keyring=False)
    except dns.exception.DNSException as error:
        raise Refused(f"{UNREADABLE}: {error}") from None
    if not message.is_response(found):
        raise Refused(f"{UNREADABLE}: it answers another query")
    return found


def tkey_query(name: dns.name.Name, token: bytes) -> dns.message.Message:
    """Return the TKEY query (RFC 3645 section 3.1.2)."""
    now = int(time.time())
    query = dns.message.make_query(name, RdataType.TKEY, dns.rdataclass.ANY, flags=0)
    told = (dns.tsig.GSS_TSIG, now, now + DAY, GSS_API, 0, token)
    record = TKEY(dns.rdataclass.ANY, RdataType.TKEY, *told)  # type: ignore[no-untyped-call]  # dnspython's
    query.additional.append(dns.rrset.from_rdata(name, 0, record))
    return query


def tkey_of(answer: bytes, name: dns.name.Name, target: str) -> TKEY:
    """Return the server's part. Raises Refused. Its signature is not looked at: the token in it is what counts."""
    try:
        message = dns.message.from_wire(answer, keyring=False)
    except dns.exception.DNSException as error:
        raise Refused(f"{UNREADABLE}: {error}") from None
    found = [each for each in message.answer if each.rdtype == RdataType.TKEY and each.name == name]
    if message.rcode() != Rcode.NOERROR or not found:
        raise Refused(NO_TKEY.format(code=dns.rcode.to_text(message.rcode())))
    record: Any = found[0][0]
    if record.error != Rcode.NOERROR:
        code = TKEY_FAULTS.get(record.error, dns.rcode.to_text(record.error))
        raise Refused(NOT_TAKEN.format(code=code, target=target))
    return record  # type: ignore[no-any-return]  # dnspython's rdata have no types


def left(expiration: int) -> float:
    """Return seconds to a time of TKEY's, if that lies ahead by this machine's clock."""
    seconds = expiration - time.time()
    return seconds if seconds > 0 else DAY
