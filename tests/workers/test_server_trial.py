"""`POST /dns-servers/{id}/test`: in words for operators, within bounds, and without a secret."""

import asyncio
import socket
import sys
from typing import Any

import httpx
import pytest
from workers.site import Site

SECRET = "c2VjcmV0LW9mLXRoZS1rZXktZm9yLXRlc3Rz"


@pytest.fixture
async def silent() -> Any:
    """A port that accepts and never says anything."""
    server = await asyncio.start_server(lambda _reader, _writer: asyncio.sleep(60), "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


def closed() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def tried(admin: httpx.AsyncClient, make: Any, **fields: Any) -> tuple[bool, str]:
    """Whether it is well, and what is said."""
    server = await make("/dns-servers", name="ns", secret=SECRET, **fields)
    await make("/dns-zones", name="lab.example", dns_server_id=server["id"])
    answer = await admin.post(f"/dns-servers/{server['id']}/test")
    assert answer.status_code == 200, answer.text
    assert SECRET not in answer.text
    return answer.json()["ok"], " ".join(step["detail"] for step in answer.json()["steps"])


async def test_what_is_wrong_with_a_server_of_updates(
    admin: httpx.AsyncClient, make: Any, silent: int
) -> None:
    tsig = {"adapter": "bind_tsig", "key_name": "ipam-key", "key_algorithm": "hmac-sha256"}
    ok, said = await tried(admin, make, **tsig, address="127.0.0.1", port=closed())
    assert (ok, "Connect" in said) == (False, True), said


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"adapter": "bind_tsig", "key_name": "k", "address": "no-such-host.invalid"}, "cannot be resolved"),
        (
            {"adapter": "bind_tsig", "key_name": "k", "address": "127.0.0.1", "port": "silent"},
            "does not answer",
        ),
        ({"adapter": "powerdns_http", "url": "http://127.0.0.1:{silent}"}, "does not answer within"),
        ({"adapter": "powerdns_http", "url": "http://127.0.0.1:{closed}"}, "cannot be reached"),
        ({"adapter": "powerdns_http", "url": "https://127.0.0.1:{api}"}, "TLS"),
    ],
)
async def test_what_is_wrong_is_said_in_words(
    admin: httpx.AsyncClient, make: Any, silent: int, fields: dict[str, Any], words: str
) -> None:
    async def speak_plainly(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(speak_plainly, "127.0.0.1", 0) as plain:
        ports = {"silent": silent, "closed": closed(), "api": plain.sockets[0].getsockname()[1]}
        told = dict(fields)
        if "url" in told:
            told["url"] = told["url"].format(**ports)
        if told.get("port") == "silent":
            told["port"] = silent
        ok, said = await tried(admin, make, **told)
    assert (ok, words in said) == (False, True), said


async def test_zones_of_our_own(admin: httpx.AsyncClient, make: Any) -> None:
    server = await make("/dns-servers", name="own", adapter="embedded")
    path = f"/dns-servers/{server['id']}/test"
    zone = await make("/dns-zones", name="lab.example", dns_server_id=server["id"])
    answer = (await admin.post(path)).json()
    assert answer["steps"] == [{"name": "zone lab.example", "ok": True, "detail": "not served (dns_enabled)"}]
    await admin.patch(f"/dns-zones/{zone['id']}", json={"dns_enabled": True})
    answer = (await admin.post(path)).json()
    assert (answer["ok"], answer["steps"][0]["detail"]) == (True, "served")
    assert (await admin.post("/dns-servers/0197a3c4-52b1-7c31-9d4e-0f5a6b7c8d9e/test")).status_code == 404


async def test_kerberos_without_its_library(
    admin: httpx.AsyncClient,
    make: Any,
    site: Site,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The test and the outbox say how to get it."""
    monkeypatch.setitem(sys.modules, "gssapi", None)  # as Python remembers what is not there
    told = {
        "adapter": "ad_gsstsig",
        "address": "dc1.lab.example",
        "principal": "svc",
        "keytab": "/etc/svc.keytab",
    }
    server = await make("/dns-servers", name="dc", **told)
    await make("/dns-zones", name="lab.example", dns_server_id=server["id"])
    prefix = await make("/prefixes", cidr="10.20.0.0/16")
    fields = {"ddns_enabled": True, "ddns_domain": "lab.example"}
    await make("/subnets", prefix_id=prefix["id"], cidr="10.20.1.0/24", **fields)
    answer = (await admin.post(f"/dns-servers/{server['id']}/test")).json()
    assert not answer["ok"]
    assert "pip install 'ipam[gss]'" in answer["steps"][0]["detail"]
    await site.lease("10.20.1.5", "laptop")
    await site.settle()
    (update,) = (await admin.get("/ddns-updates")).json()["items"]
    assert (update["state"], "pip install 'ipam[gss]'" in update["last_error"]) == ("retrying", True)
