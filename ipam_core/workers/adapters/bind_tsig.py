"""Servers that take dynamic updates signed with a shared key (RFC 8945), or by their address alone: BIND, Knot,
PowerDNS.

Over TCP: an answer is then surely to this update, and no update is lost on the way without a word.
"""

from collections.abc import Awaitable, Callable, Collection

import dns.exception
import dns.message
import dns.name
import dns.rcode
import dns.tsig
import dns.update
from dns.rcode import Rcode

from ipam_core.model.dns_server import DnsServer
from ipam_core.outbound.dns_stream import DnsPeer
from ipam_core.outbound.guard import Guard, Reach
from ipam_core.workers.adapters import Change, Found, Refused, Step, TestResult, UpdateError
from ipam_core.workers.adapters.reading import UNREADABLE, Keys, Place
from ipam_core.workers.adapters.update import UNKNOWN_TYPE, WHY, Updates, changes_nothing, marks_nothing

PORT = 53
ALGORITHM = "hmac-sha256"
UNSIGNED = "the server answers without a signature: it does not serve the zone, or does not know the key"
CLOCKS = "the clocks of the two hosts differ too much for a signature"
TSIG_FAULTS = {
    dns.tsig.PeerBadKey: "the server does not know the key's name",
    dns.tsig.PeerBadSignature: "the server refuses the signature: the secret differs",
    dns.tsig.PeerBadTime: CLOCKS,
    dns.tsig.PeerBadTruncation: "the server refuses the length of the signature",
    dns.message.UnknownTSIGKey: "the server answers with another key",
    dns.tsig.BadSignature: "the answer's signature is wrong",
}
TAKEN = "taken"
BY_TEXT = "refused: TXT records mark the owners of names instead"
UNMARKED = (
    "the server refuses them and TXT records, so names cannot be marked: set ddns_conflict_mode to"
    " no_check_without_dhcid, and protect names of others with the access rights of the server"
)

Send = Callable[[dns.update.UpdateMessage], Awaitable[Rcode]]


class BindTsig:
    """One server. Raises Refused where its credentials make no key."""

    def __init__(self, server: DnsServer, secret: str | None, guard: Guard, reach: Reach) -> None:
        self.place = Place(DnsPeer(guard, reach, server.address or "", server.port or PORT))
        self.keyring = keyring(server, secret)
        self.updates = Updates(self.send, self.place.ask)

    async def add(self, change: Change) -> None:
        await self.updates.add(change)

    async def remove(self, change: Change) -> None:
        await self.updates.remove(change)

    async def close(self) -> None:
        """Return each update has a connection of its own."""

    async def send(self, message: dns.update.UpdateMessage) -> Rcode:
        """Return the answer's code. Raises UpdateError."""
        if self.keyring:
            message.use_tsig(self.keyring)
        try:
            answer = await self.place.send(message)
        except tuple(TSIG_FAULTS) as error:
            raise Refused(TSIG_FAULTS[type(error)]) from None
        except dns.exception.DNSException as error:
            raise Refused(UNSIGNED if "requires a TSIG" in str(error) else f"{UNREADABLE}: {error}") from None
        return Rcode(answer.rcode())

    async def test(self, zones: list[str]) -> TestResult:
        return await test_updates(self.send, zones)

    async def read(self, zone: str, names: Collection[str]) -> Found:
        return await self.place.read(zone, names, self.keyring)


def keyring(server: DnsServer, secret: str | None) -> Keys:
    """Return the keyring; empty where the server admits updates by address."""
    if not server.key_name or not secret:
        return {}
    name = dns.name.from_text(server.key_name)
    try:
        return {name: dns.tsig.Key(name, secret, server.key_algorithm or ALGORITHM)}
    except (ValueError, dns.exception.DNSException):
        raise Refused("the secret is not a TSIG key in base64") from None


async def test_updates(send: Send, zones: list[str]) -> TestResult:
    """Return an update of each zone that changes nothing, and one that shows whether the server knows DHCID records."""
    steps: list[Step] = []
    takes: bool | None = None
    for zone in zones:
        try:
            code = await send(changes_nothing(zone))
            ok = code == Rcode.NOERROR
            steps.append(Step(f"update {zone}", ok, TAKEN if ok else refusal(code)))
            if ok and takes is None:
                takes, step = await test_marks(send, zone)
                steps.append(step)
        except UpdateError as error:
            steps.append(Step(f"update {zone}", False, str(error)))
    if not zones:
        steps.append(
            Step("zones", False, "no zone and no subnet uses this server, so updates cannot be tested")
        )
    return TestResult(all(step.ok for step in steps), steps, takes)


async def test_marks(send: Send, zone: str) -> tuple[bool, Step]:
    """Return whether DHCID records are known, and what that means. Raises UpdateError."""
    dhcid, text = [await send(each) for each in marks_nothing(zone)]
    if dhcid not in UNKNOWN_TYPE:
        ok = dhcid == Rcode.NOERROR
        return True, Step("DHCID records", ok, TAKEN if ok else refusal(dhcid))
    ok = text == Rcode.NOERROR
    return False, Step("DHCID records", ok, BY_TEXT if ok else UNMARKED)


def refusal(code: Rcode) -> str:
    return f"{WHY.get(code, 'the server refuses the update')} ({dns.rcode.to_text(code)})"
