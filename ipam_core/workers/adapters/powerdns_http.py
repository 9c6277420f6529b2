"""PowerDNS by its HTTP API: RRsets are replaced whole, under the API key of the server's secret.

The API has no conditions, so ownership is looked up before it is written: the name's DHCID record, and ours alone of
two that race (our own database decides whose a name is before anything is sent, see ddns_owner).
"""

import ssl
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from ipam_core.model.dns_server import DnsServer
from ipam_core.outbound.guard import Guard, Reach
from ipam_core.outbound.http_client import HttpClient, Query, Reply, decoded, encoded
from ipam_core.workers.adapters import (
    COMPARED,
    Change,
    Found,
    NameConflict,
    Refused,
    Step,
    TestResult,
    Unreachable,
    UpdateError,
    speaking,
)

SECONDS = 5.0
SERVER = "localhost"  # the only server name in PowerDNS's API
WHY = {
    401: "the API key is refused",
    403: "the API key is refused",
    404: "the server has no such zone",
}

REFUSES = "the server refuses the update"
MOST_SHORT = 65_536  # octets of an answer without zone data
MOST, MOST_OF_TENANT = 64 << 20, 8 << 20  # of a zone; a server that a tenant chose gets less of our memory
MOST_OF_NAME = 1 << 20  # of one name there, of which many are asked for at once
MOST_EXCERPT, MOST_WORDS, MOST_VERSION = 4096, 200, 50

T = TypeVar("T")
RRsets = dict[tuple[str, str], list[str]]  # by name and type, both as PowerDNS spells them


class Info(msgspec.Struct, frozen=True):
    """Facts about a server."""

    version: str = ""


class Record(msgspec.Struct, frozen=True, gc=False):
    content: str


class RRset(msgspec.Struct, frozen=True, gc=False):
    """One of a zone; its records stay JSON until they are wanted, which halves the time of a large zone."""

    name: str
    type: str
    records: msgspec.Raw


class Zone(msgspec.Struct, frozen=True):
    rrsets: list[RRset]


class Fault(msgspec.Struct, frozen=True):
    """Body of a refusal."""

    error: str


INFO = msgspec.json.Decoder(Info)
ZONE = msgspec.json.Decoder(Zone)
RECORDS = msgspec.json.Decoder(list[Record])


class PowerDns:
    """One server. Raises Refused where there is no address to ask."""

    def __init__(
        self,
        server: DnsServer,
        secret: str | None,
        guard: Guard,
        reach: Reach,
        context: ssl.SSLContext | None = None,
    ) -> None:
        if server.url is None:
            raise Refused("the server has no url")
        self.base = f"/api/v1/servers/{quote(server.server_id or SERVER, safe='')}"
        self.of_tenant = reach.of_tenant
        headers = {"x-api-key": secret} if secret else {}
        self.client = HttpClient(guard, reach, server.url.rstrip("/"), headers, SECONDS, context)

    async def close(self) -> None:
        self.client.close()

    async def add(self, change: Change) -> None:
        if change.forward_zone is not None:
            await self.add_forward(change, change.forward_zone)
        if change.reverse_zone is not None:
            name = change.pointer
            await self.patch(change.reverse_zone, [replaced(name, "PTR", change.ttl, [f"{change.fqdn}."])])

    async def add_forward(self, change: Change, zone: str) -> None:
        name, mark = f"{change.fqdn}.", change.mark
        there = await self.rrsets_of(zone, name)
        if not is_free(there, name, change) or (name, "NS") in there or await self.is_delegated(zone, change):
            raise NameConflict(f"{change.fqdn} is already used by another client")
        wanted = [replaced(name, change.kind, change.ttl, list(change.data(adds=True)))]
        mark = None if change.target is not None else mark
        if mark is not None:
            wanted.append(replaced(name, "DHCID", change.ttl, [mark]))
        await self.patch(zone, wanted)

    async def is_delegated(self, zone: str, change: Change) -> bool:
        """Return whether a delegation or DNAME record above the name takes it out of the zone; a name of one label
        needs no question."""
        for name in change.cuts[1:]:
            there = await self.rrsets_of(zone, name)
            if (name, "NS") in there or (name, "DNAME") in there:
                return True
        return False

    async def remove(self, change: Change) -> None:
        if change.forward_zone is not None:
            await self.remove_forward(change, change.forward_zone)
        if change.reverse_zone is not None:
            name = change.pointer
            there = await self.rrsets_of(change.reverse_zone, name)
            if f"{change.fqdn}." in there.get((name, "PTR"), []):
                await self.patch(change.reverse_zone, [deleted(name, "PTR")])

    async def remove_forward(self, change: Change, zone: str) -> None:
        name, kind, mark = f"{change.fqdn}.", change.kind, change.mark
        there = await self.rrsets_of(zone, name)
        held = there.get((name, "DHCID"), [])
        if change.target is not None and change.own_data not in there.get((name, kind), []):
            return
        if (
            change.target is None
            and change.is_checked
            and mark is not None
            and mark not in held
            and not change.is_unmarked
        ):
            return
        kept = change.data(adds=False)
        left = [each for each in there.get((name, kind), []) if each != change.own_data or each in kept]
        left += [each for each in kept if each not in left]
        wanted = [replaced(name, kind, change.ttl, left) if left else deleted(name, kind)]
        others = [each for (_, other), each in there.items() if other in ("A", "AAAA") and other != kind]
        if not left and not others and not change.keeps_name and held and mark in held:
            wanted.append(deleted(name, "DHCID"))
        await self.patch(zone, wanted)

    async def rrsets_of(self, zone: str, name: str) -> RRsets:
        """Return those of one name; a zone of a million is not read for it."""
        most = MOST_OF_NAME if self.of_tenant else MOST
        answer = await self.ask("GET", zone_path(self.base, zone), (("rrset_name", name),), most=most)
        # Servers before 4.9 do not know the parameter, and answer all.
        return await told(answer, partial(rrsets_in, wanted=lambda rrset: rrset.name == name))

    async def read(self, zone: str, names: Collection[str]) -> Found:  # noqa: ARG002 - it is read whole
        most = MOST_OF_TENANT if self.of_tenant else MOST
        answer = await self.ask("GET", zone_path(self.base, zone), most=most, large=True)
        rrsets = await told(answer, partial(rrsets_in, wanted=lambda rrset: rrset.type in COMPARED))
        return Found(
            {(name.lower(), kind): {each.lower() for each in data} for (name, kind), data in rrsets.items()},
            complete=True,
        )

    async def patch(self, zone: str, rrsets: list[dict[str, Any]]) -> None:
        await self.ask("PATCH", zone_path(self.base, zone), body=encoded({"rrsets": rrsets}))

    async def ask(
        self,
        method: str,
        path: str,
        query: Query = (),
        body: bytes | None = None,
        most: int = MOST_SHORT,
        *,
        large: bool = False,
    ) -> Reply:
        """Return a successful answer. Raises UpdateError."""
        async with speaking():
            answer = await self.client.request(method, path, query, body, most, large=large)
        if 200 <= answer.status < 300:
            return answer
        if answer.status >= 500:
            raise Unreachable(f"the server failed temporarily (HTTP {answer.status})")
        why = WHY.get(answer.status) or (REFUSES if self.of_tenant else said(answer))
        raise Refused(f"{why} (HTTP {answer.status})", answer.status)

    async def test(self, zones: list[str]) -> TestResult:
        steps: list[Step] = []
        try:
            version = (await told(await self.ask("GET", self.base), INFO.decode)).version
            shown = "" if self.of_tenant else printable(version)[:MOST_VERSION]
            steps.append(Step("API", True, f"PowerDNS {shown}".strip()))
        except UpdateError as error:
            return TestResult(False, [Step("API", False, str(error))])
        for zone in zones:
            try:
                await self.ask("GET", zone_path(self.base, zone), (("rrsets", "false"),))
                steps.append(Step(f"zone {zone}", True, "found"))
            except UpdateError as error:
                steps.append(Step(f"zone {zone}", False, str(error)))
        return TestResult(all(step.ok for step in steps), steps, takes_dhcid=True)


def zone_path(base: str, zone: str) -> str:
    return f"{base}/zones/{quote(zone + '.', safe='')}"


def rrsets_in(body: bytes, wanted: Callable[[RRset], bool]) -> RRsets:
    return {
        (rrset.name, rrset.type): [record.content for record in RECORDS.decode(rrset.records)]
        for rrset in ZONE.decode(body).rrsets
        if wanted(rrset)
    }


async def told(answer: Reply, decode: Callable[[bytes], T]) -> T:
    """Return what the body says. Raises Refused where it is something else."""
    try:
        return await decoded(answer.body, decode)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Refused(f"the answer is not from PowerDNS (HTTP {answer.status})") from None


def said(answer: Reply) -> str:
    """Return a short excerpt of what the operator's server says is wrong, without control characters."""
    if len(answer.body) > MOST_EXCERPT:
        return REFUSES
    try:
        return printable(msgspec.json.decode(answer.body, type=Fault).error)[:MOST_WORDS] or REFUSES
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return REFUSES


def printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def is_free(there: RRsets, name: str, change: Change) -> bool:
    """Return whether the change may write the name: nobody has it, or its mark is this owner's or of the one it
    replaces, or any mark will do. An operator's name may have records of other types, an alias none."""
    if change.target is not None:
        return not there or there == {(name, change.kind): [change.own_data]}
    held, kinds = there.get((name, "DHCID"), []), {kind for _, kind in there}
    if "CNAME" in kinds:
        return False
    if not change.is_checked or change.mark is None or not there or change.is_unmarked:
        return True
    if change.conflict_mode == "check_exists_dhcid" and held:
        return True
    if change.mark in held or (change.replaced_mark is not None and change.replaced_mark in held):
        return True
    return change.shares and not held and change.kind not in kinds


def replaced(name: str, kind: str, ttl: int, contents: list[str]) -> dict[str, Any]:
    records = [{"content": content, "disabled": False} for content in contents]
    return {"name": name, "type": kind, "ttl": ttl, "changetype": "REPLACE", "records": records}


def deleted(name: str, kind: str) -> dict[str, Any]:
    return {"name": name, "type": kind, "changetype": "DELETE"}
