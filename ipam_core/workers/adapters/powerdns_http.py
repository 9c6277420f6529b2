"""PowerDNS by its HTTP API: RRsets are replaced whole, under the API key of the server's secret.

The API has no conditions, so ownership is looked up before it is written: the name's DHCID record, and ours alone of
two that race (our own database decides whose a name is before anything is sent, see ddns_name).
"""

import ssl
from collections.abc import Collection
from typing import Any
from urllib.parse import quote

import httpx

from ipam_core.model.dns_server import DnsServer
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
)

SECONDS = 5.0
SERVER = "localhost"  # what PowerDNS calls itself
WHY = {
    401: "the API key is not taken",
    403: "the API key is not taken",
    404: "the server has no such zone",
}

RRsets = dict[tuple[str, str], list[str]]  # by name and type, both as PowerDNS spells them


class PowerDns:
    """One server. Raises Refused where there is no address to ask."""

    def __init__(self, server: DnsServer, secret: str | None, verify: ssl.SSLContext | bool = True) -> None:
        if server.url is None:
            raise Refused("the server has no url")
        self.base = f"/api/v1/servers/{quote(server.server_id or SERVER, safe='')}"
        headers = {"x-api-key": secret} if secret else {}
        self.client = httpx.AsyncClient(
            base_url=server.url.rstrip("/"), headers=headers, timeout=SECONDS, verify=verify
        )

    async def close(self) -> None:
        await self.client.aclose()

    async def add(self, change: Change) -> None:
        if change.forward_zone is not None:
            name = f"{change.fqdn}."
            there = await self.rrsets_of(change.forward_zone, name)
            mark = change.mark
            if change.is_checked and is_anothers(there, name, mark, change):
                raise NameConflict(f"{change.fqdn} is there already, and is not this client's")
            wanted = [replaced(name, change.kind, change.ttl, [str(change.ip)])]
            if mark is not None:
                wanted.append(replaced(name, "DHCID", change.ttl, [mark]))
            await self.patch(change.forward_zone, wanted)
        if change.reverse_zone is not None:
            name = change.pointer
            await self.patch(change.reverse_zone, [replaced(name, "PTR", change.ttl, [f"{change.fqdn}."])])

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
        if change.is_checked and mark is not None and mark not in held:
            return
        left = [each for each in there.get((name, kind), []) if each != str(change.ip)]
        wanted = [replaced(name, kind, change.ttl, left) if left else deleted(name, kind)]
        others = [each for (_, other), each in there.items() if other in ("A", "AAAA") and other != kind]
        if not left and not others and not change.keeps_name and held:
            wanted.append(deleted(name, "DHCID"))
        await self.patch(zone, wanted)

    async def rrsets_of(self, zone: str, name: str) -> RRsets:
        """Those of one name; a zone of a million is not read for it."""
        query = {"rrset_name": name}
        answer = await self.ask("GET", f"{self.base}/zones/{quote(zone + '.', safe='')}", params=query)
        found: RRsets = {}
        for rrset in answer.json()["rrsets"]:
            if rrset["name"] == name:  # servers before 4.9 do not know the parameter, and answer all
                found[name, rrset["type"]] = [record["content"] for record in rrset["records"]]
        return found

    async def read(self, zone: str, names: Collection[str]) -> Found:  # noqa: ARG002 - it is read whole
        answer = await self.ask("GET", f"{self.base}/zones/{quote(zone + '.', safe='')}")
        rrsets = [rrset for rrset in answer.json()["rrsets"] if rrset["type"] in COMPARED]
        return Found(
            {
                (rrset["name"].lower(), rrset["type"]): {each["content"].lower() for each in rrset["records"]}
                for rrset in rrsets
            },
            complete=True,
        )

    async def patch(self, zone: str, rrsets: list[dict[str, Any]]) -> None:
        body = {"rrsets": rrsets}
        await self.ask("PATCH", f"{self.base}/zones/{quote(zone + '.', safe='')}", json=body)

    async def ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Raises UpdateError where the answer is no success."""
        try:
            answer = await self.client.request(method, path, **more)
        except httpx.TimeoutException:
            raise Unreachable(f"{self.client.base_url} does not answer within {SECONDS:.0f} s") from None
        except httpx.ConnectError as error:
            raise Unreachable(f"{self.client.base_url} cannot be reached: {error}") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unreachable(f"{self.client.base_url} does not speak HTTP as it should: {error}") from None
        if answer.is_success:
            return answer
        if answer.status_code >= 500:
            raise Unreachable(f"the server could not do it just now (HTTP {answer.status_code})")
        why = WHY.get(answer.status_code) or said(answer)
        raise Refused(f"{why} (HTTP {answer.status_code})", answer.status_code)

    async def test(self, zones: list[str]) -> TestResult:
        steps: list[Step] = []
        try:
            version = (await self.ask("GET", self.base)).json().get("version", "")
            steps.append(Step("API", True, f"PowerDNS {version}".strip()))
        except (UpdateError, ValueError) as error:
            return TestResult(False, [Step("API", False, str(error))])
        for zone in zones:
            try:
                await self.ask(
                    "GET", f"{self.base}/zones/{quote(zone + '.', safe='')}", params={"rrsets": "false"}
                )
                steps.append(Step(f"zone {zone}", True, "found"))
            except UpdateError as error:
                steps.append(Step(f"zone {zone}", False, str(error)))
        return TestResult(all(step.ok for step in steps), steps, takes_dhcid=True)


def said(answer: httpx.Response) -> str:
    """What the server says is wrong, without control characters."""
    try:
        found = str(answer.json()["error"])
    except (ValueError, KeyError, TypeError):
        return "the server refuses the update"
    return "".join(c if c.isprintable() else " " for c in found)[:500]


def is_anothers(there: RRsets, name: str, mark: str | None, change: Change) -> bool:
    """Whether the name is there, and neither bears the client's mark nor, where any will do, one at all."""
    if not there:
        return False
    held = there.get((name, "DHCID"), [])
    return not held if change.conflict_mode == "check_exists_dhcid" else mark not in held


def replaced(name: str, kind: str, ttl: int, contents: list[str]) -> dict[str, Any]:
    records = [{"content": content, "disabled": False} for content in contents]
    return {"name": name, "type": kind, "ttl": ttl, "changetype": "REPLACE", "records": records}


def deleted(name: str, kind: str) -> dict[str, Any]:
    return {"name": name, "type": kind, "changetype": "DELETE"}
