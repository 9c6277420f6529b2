"""Where connections may go: addresses in every disguise, names that change, certificates of names, the proxy."""

import asyncio
import re
import socket
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from ports import free_port
from workers.receiver import SECRET, Receiver, Reply
from workers.site import LOOPBACK

from dhcp_fast.workers.sockets import listening
from ipam_core.errors import SettingsError
from ipam_core.outbound import guard as guard_module
from ipam_core.outbound import opening
from ipam_core.outbound.faults import ForbiddenAddressError, Kind, OutboundError
from ipam_core.outbound.guard import OPERATOR, Guard, Reach
from ipam_core.outbound.threads import Threads
from ipam_core.processes.supervisor import free_endpoint, supervised
from ipam_core.setting_values import Endpoint, Proxy
from ipam_core.settings import Settings, load
from ipam_core.workers.webhook_endpoint import Endpoint as WebhookEndpoint

ROOT = Path(__file__).parents[2]
HOST_ITSELF = """127.0.0.1 127.1.2.3 ::1 0.0.0.0 0.1.2.3 ::""".split()  # noqa: SIM905 - a line each would be a page
CLOSED = """169.254.169.254 169.254.0.1 fe80::1 224.0.0.1 255.255.255.255 ff02::1 100.100.100.200 168.63.129.16
192.0.0.192 fd00:ec2::254 fd20:ce::254 fec0::1""".split()  # noqa: SIM905
DISGUISED = """::ffff:127.0.0.1 ::ffff:169.254.169.254 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 2002:7f00:1::1
2002:a9fe:a9fe::1 64:ff9b:1::7f00:1 64:ff9b:1:7f00:0:100:: 64:ff9b:1:a9fe:a9:fe00:: ::ffff:0:127.0.0.1
2001:0:7f00:1::1 2001:0:4136:e378:8000:63bf:80ff:fffe 2001:db8::5efe:7f00:1 2001:db8::200:5efe:a9fe:a9fe
64:ff9b:1::808:808 ::ffff:0.0.0.0 ::ffff:224.0.0.1 2002:e000:1::""".split()  # noqa: SIM905
PRIVATE = """10.1.2.3 192.168.1.1 172.16.0.9 172.31.255.255 100.64.0.1 100.127.0.1 fd12::1 fc00::1 ::ffff:10.1.2.3
64:ff9b::a00:1 2002:c0a8:101::1 198.18.0.1 240.0.0.1""".split()  # noqa: SIM905
OUTSIDE = ["203.0.113.9", "172.32.0.1", "100.128.0.1", "2001:db8::1", "64:ff9b::808:808", "2606:4700::1111"]
TENANT = Reach(2, of_tenant=True)
ON_HOST = Reach(1, on_host=True)
DELIVERY: Any = {"message_id": "m", "payload": {"type": "webhook.ping", "timestamp": "", "data": {}}}


def open_ones(guard: Guard, texts: list[str], reach: Reach, port: int = 80) -> list[str]:
    return [text for text in texts if not guard.refusal(ip_address(text), port, reach)]


async def posted(guard: Guard, url: str, reach: Reach = OPERATOR) -> int:
    """A message over a connection of its own; the status of what it is answered."""
    endpoint = WebhookEndpoint(guard, reach, url, [SECRET])
    connection = await endpoint.connected()
    answer = await connection.post(endpoint.message(DELIVERY))
    endpoint.close()
    return answer.status


@pytest.mark.parametrize(
    ("reach", "is_open"),
    [
        (OPERATOR, PRIVATE + OUTSIDE),
        (TENANT, OUTSIDE),
        (ON_HOST, HOST_ITSELF + PRIVATE + OUTSIDE),
    ],
)
def test_addresses(reach: Reach, is_open: list[str]) -> None:
    """Private networks are where an operator's receivers are; the host itself is open to an operator's DNS servers."""
    every = HOST_ITSELF + CLOSED + DISGUISED + PRIVATE + OUTSIDE
    assert open_ones(Guard(), every, reach) == is_open


def test_addresses_of_this_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """By whatever way they are written; private or public, they lead here."""
    own = {ip_address("203.0.113.77"), ip_address("2001:db8::77")}
    monkeypatch.setattr(guard_module, "own_addresses", lambda: own)
    texts = ["203.0.113.77", "2001:db8::77", "::ffff:203.0.113.77", "2002:cb00:714d::"]
    assert open_ones(Guard(), texts, OPERATOR) == []
    assert open_ones(Guard(), texts, ON_HOST) == texts[:2]


def test_exceptions() -> None:
    guard = Guard([ip_network("127.0.0.2/32"), ip_network("fe80::/10"), ip_network("10.0.0.0/8")])
    every = HOST_ITSELF + CLOSED + DISGUISED + PRIVATE
    assert open_ones(guard, every, TENANT) == ["fe80::1", "10.1.2.3"]
    assert open_ones(guard, ["127.0.0.2"], TENANT) == ["127.0.0.2"]


def test_our_own_services_stay_closed() -> None:
    """Even where the setting lists the host, and for an operator's DNS servers."""
    guard = Guard([LOOPBACK], own_ports={5432})
    for reach in (OPERATOR, TENANT, ON_HOST):
        assert open_ones(guard, ["127.0.0.1", "127.0.0.2", "0.0.0.0"], reach, 5432) == []
    assert open_ones(guard, ["127.0.0.1"], TENANT, 5433) == ["127.0.0.1"]
    assert open_ones(guard, ["203.0.113.9"], TENANT, 5432) == ["203.0.113.9"]


def test_ports_of_our_own_services() -> None:
    settings = Settings(
        api_listen=Endpoint("0.0.0.0", 8443),
        health_listen=Endpoint("127.0.0.1", 9001),
        database_url="postgresql://u:p@h1:6001,[::1]:6002,h3/ipam",
    )
    made = opening.guard(settings, "postgresql:///ipam?host=/run/pg&port=6003")
    assert made.own_ports == {8443, 9001, 6001, 6002, 5432, 6003}


async def test_a_part_of_up_knows_what_the_others_serve(monkeypatch: pytest.MonkeyPatch) -> None:
    """The health address of all is no part's own; its DNS server is closed to all but an operator's DNS servers."""
    of_all, of_part = free_port(), free_port()
    inside = Settings(
        outbound_allow=(LOOPBACK,),
        health_listen=Endpoint("127.0.0.1", of_all),
        dns_listen=(Endpoint("127.0.0.1", 5353),),
    )
    async with supervised(inside, {"worker": ["worker"]}) as supervisor:
        variables = supervisor.parts[0].environment(Endpoint("127.0.0.1", of_part))
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    guard = opening.guard(load())
    for port in (of_all, of_part):
        for reach in (OPERATOR, TENANT, ON_HOST):
            assert open_ones(guard, ["127.0.0.1"], reach, port) == []
    assert open_ones(guard, ["127.0.0.1"], OPERATOR, 5353) == []
    assert open_ones(guard, ["127.0.0.1"], TENANT, 5353) == []
    assert open_ones(guard, ["127.0.0.1"], ON_HOST, 5353) == ["127.0.0.1"]


def test_pages_of_our_own_processes_are_where_no_connection_goes() -> None:
    """Parts of `ipam up` and workers of `ipam dhcp` take other ports at each start, which other processes do not know.
    The address is closed even where it is listed, and another one of the host does not lead there."""
    guard = Guard([LOOPBACK])
    with listening() as page:
        for host, port in (page.getsockname(), msgspec.structs.astuple(free_endpoint())):
            inner = [host, f"::ffff:{host}", f"64:ff9b::{host}"]
            for reach in (OPERATOR, TENANT, ON_HOST):
                assert open_ones(guard, [*inner, "127.0.0.1"], reach, port) == ["127.0.0.1"]
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", port))


def test_units_close_the_health_ports_of_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """But for an operator's DNS servers, because a unit may have moved away from its port."""
    units = [path.read_text() for path in (ROOT / "deploy/systemd").glob("ipam-[adw]*.service")]
    ports = {int(found) for unit in units for found in re.findall(r"HEALTH_LISTEN=.*:(\d+)", unit)}
    connecting = [unit for unit in units if not re.search(r"^ExecStart=.* dhcp$", unit, re.MULTILINE)]
    assert (len(ports), len(connecting)) == (4, 3)
    for unit in connecting:
        (told,) = re.findall(r"^Environment=UNIT_HEALTH_PORTS=(.*)$", unit, re.MULTILINE)
        monkeypatch.setenv("UNIT_HEALTH_PORTS", told)
        guard = opening.guard(Settings(outbound_allow=(LOOPBACK,)))
        assert not [port for port in ports if open_ones(guard, ["127.0.0.1"], OPERATOR, port)]
        assert open_ones(guard, ["127.0.0.1"], ON_HOST, 8084) == ["127.0.0.1"]


@pytest.mark.parametrize(
    "host", ["localhost", "2130706433", "0x7f.1", "127.1", "0", "0177.0.0.1", "ip6-localhost"]
)
@pytest.mark.parametrize("reach", [OPERATOR, TENANT])
async def test_names_and_notations_of_the_host_itself(host: str, reach: Reach) -> None:
    with pytest.raises(OutboundError) as caught:
        await Guard().addresses(host, 80, reach)
    assert caught.value.kind in (Kind.FORBIDDEN, Kind.NAME)


async def test_a_name_is_resolved_once_and_its_good_address_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its next answer is another one, as an attacker has it; among several the forbidden ones are left out."""
    asked: list[str] = []
    answers: list[Any] = [["169.254.169.254", "127.0.0.1"], ["169.254.169.254"]]

    def resolve(host: str, port: int) -> list[Any]:
        asked.append(host)
        return [ip_address(text) for text in answers.pop(0)]

    monkeypatch.setattr(guard_module, "resolve", resolve)
    guard = Guard([LOOPBACK])
    async with Receiver().serving() as receiver:
        url = f"http://hooks.example:{receiver.port}/x"
        assert await posted(guard, url) == 204
        assert receiver.got[0].headers["host"] == f"hooks.example:{receiver.port}"
        assert receiver.got[0].headers["accept-encoding"] == "identity"
        assert asked == ["hooks.example"]
        with pytest.raises(
            ForbiddenAddressError, match=r"hooks.example is 169.254.169.254, .*outbound_allow"
        ):
            await posted(guard, url)
        assert len(receiver.got) == 1


async def test_the_next_address_is_tried_where_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [ip_address("127.0.0.9"), ip_address("127.0.0.1")]
    monkeypatch.setattr(guard_module, "resolve", lambda _host, _port: found)
    async with Receiver().serving() as receiver:
        assert await posted(Guard([LOOPBACK]), f"http://two.example:{receiver.port}/") == 204


async def test_an_address_that_is_silent_does_not_take_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of a host whose IPv6 leads nowhere."""
    found = [ip_address("127.0.0.9"), ip_address("127.0.0.1")]
    monkeypatch.setattr(guard_module, "resolve", lambda _host, _port: found)
    monkeypatch.setattr(guard_module, "CONNECT_SECONDS", 0.3)
    async with Receiver().serving() as receiver:
        with socket.create_server(("127.0.0.9", receiver.port), backlog=0), socket.socket() as first:
            first.connect(("127.0.0.9", receiver.port))  # the kernel answers no other one
            began = time.monotonic()
            assert await posted(Guard([LOOPBACK]), f"http://two.example:{receiver.port}/") == 204
            assert time.monotonic() - began >= 0.3


async def test_a_connection_is_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not after a pause in which the receiver may have closed it, and not so long that a name which moved is missed."""
    asked: list[str] = []

    def resolve(host: str, port: int) -> list[Any]:
        asked.append(host)
        return [ip_address("127.0.0.1")]

    monkeypatch.setattr(guard_module, "resolve", resolve)
    async with Receiver().serving() as receiver:
        url = f"http://hooks.example:{receiver.port}/"
        endpoint = WebhookEndpoint(Guard([LOOPBACK]), OPERATOR, url, [SECRET])
        for made, used, connections in ((0, 0, 1), (50, 0.5, 1), (61, 0, 2), (0, 0.5, 2), (30, 2, 3)):
            if endpoint.connection:
                endpoint.connection.made -= made
                endpoint.connection.used -= used
            assert (await endpoint.attempt(DELIVERY, 20.0)).delivered
            assert len(asked) == connections
        receiver.decide = lambda _: Reply(200, ("connection: close",))
        for connections in (3, 4):
            assert (await endpoint.attempt(DELIVERY, 20.0)).delivered
            assert len(asked) == connections
        endpoint.close()


async def test_no_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    async with Receiver().serving() as receiver:
        assert await posted(Guard([LOOPBACK]), receiver.url) == 204


# --- the proxy of the setting


@asynccontextmanager
async def proxy(asked: list[str], answer: str = "200 Connection established") -> AsyncIterator[int]:
    """A proxy that takes CONNECT; its port."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        asked.append(head)
        writer.write(f"HTTP/1.1 {answer}\r\n\r\n".encode())
        if answer.startswith("2"):
            host, _, port = head.split()[1].rpartition(":")
            there, back = await asyncio.open_connection(host, int(port))
            await asyncio.gather(pump(reader, back), pump(there, writer))
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
    writer.close()


async def test_the_proxy_gets_the_address_that_was_judged(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Over TLS the certificate is still of the name; the password goes to the proxy alone."""
    monkeypatch.setattr(guard_module, "resolve", lambda _host, _port: [ip_address("127.0.0.1")])
    cert, context = serving_context(tmp_path, "hooks.example")
    asked: list[str] = []
    async with proxy(asked) as port:
        guard = Guard([LOOPBACK], cert, Proxy("127.0.0.1", port, "u:p:w"))
        for secured, scheme in ((None, "http"), (context, "https")):
            async with Receiver().serving(secured) as receiver:
                assert await posted(guard, f"{scheme}://hooks.example:{receiver.port}/x") == 204
                assert asked.pop() == (
                    f"CONNECT 127.0.0.1:{receiver.port} HTTP/1.1\r\nHost: 127.0.0.1:{receiver.port}\r\n"
                    "Proxy-Authorization: Basic dTpwOnc=\r\n\r\n"
                )
                assert "proxy-authorization" not in receiver.got[0].headers
        with pytest.raises(ForbiddenAddressError):
            await posted(Guard(through=guard.through), "http://hooks.example/")
    assert asked == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("407 Authenticate", "refuses the connection \\(HTTP 407\\)"),
        ("ipam", "response to CONNECT is not HTTP"),
    ],
)
async def test_a_proxy_that_refuses(answer: str, said: str) -> None:
    async with proxy([], answer) as port:
        guard = Guard([LOOPBACK], through=Proxy("127.0.0.1", port))
        with pytest.raises(OutboundError, match=said):
            await posted(guard, "http://127.0.0.1:9/")


async def test_a_proxy_that_is_away() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        guard = Guard([LOOPBACK], through=Proxy("127.0.0.1", probe.getsockname()[1]))
        with pytest.raises(OutboundError, match=r"the proxy 127\.0\.0\.1 port .* cannot be reached"):
            await posted(guard, "http://127.0.0.1:9/")


# --- TLS


def serving_context(folder: Path, name: str) -> tuple[Path, ssl.SSLContext]:
    cert, key = certificate(folder, name)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert, key)
    return cert, context


def certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """Of a name, signed by itself: the certificate and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    called = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(called)
        .issuer_name(called)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    )
    return folder / "cert.pem", folder / "key.pem"


async def test_certificates_are_of_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Although the connection goes to an address; and of whom the setting trusts."""
    monkeypatch.setattr(guard_module, "resolve", lambda _host, _port: [ip_address("127.0.0.1")])
    cert, context = serving_context(tmp_path, "hooks.example")
    trusting, other = Guard([LOOPBACK], cert), Guard([LOOPBACK])
    async with Receiver().serving(context) as receiver:
        assert await posted(trusting, f"https://hooks.example:{receiver.port}/") == 204
        for guard, name in ((trusting, "another.example"), (other, "hooks.example")):
            with pytest.raises(OutboundError, match="certificate verify failed") as caught:
                await posted(guard, f"https://{name}:{receiver.port}/")
            assert caught.value.kind == Kind.TLS
        assert len(receiver.got) == 1


def test_a_file_without_certificates_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.pem", Path(__file__)):
        with pytest.raises(SettingsError, match="webhook_ca"):
            Guard(ca=path)


# --- names whose server does not answer


async def test_names_that_hang_hold_up_their_own_tenant_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """The threads of one tenant are all taken, and stay so after their callers gave up."""
    over = asyncio.Event()
    loop = asyncio.get_running_loop()

    def resolve(host: str, port: int) -> list[Any]:
        if host == "hangs.example":
            asyncio.run_coroutine_threadsafe(over.wait(), loop).result()
        return [ip_address("203.0.113.9")]

    monkeypatch.setattr(guard_module, "resolve", resolve)
    monkeypatch.setattr(guard_module, "RESOLVE_SECONDS", 0.2)
    guard = Guard()
    guard.threads = Threads(most=20, of_tenant=3)
    hanging = [guard.addresses("hangs.example", 80, Reach(1, of_tenant=True)) for _ in range(30)]
    assert {str(each) for each in await asyncio.gather(*hanging, return_exceptions=True)} == {
        "the name hangs.example was not resolved within 0 s"
    }
    with pytest.raises(OutboundError, match="not resolved"):
        await guard.addresses("good.example", 80, Reach(1, of_tenant=True))
    assert await guard.addresses("good.example", 80, TENANT) == [ip_address("203.0.113.9")]
    over.set()
    while guard.threads.places._value < 20:  # noqa: ASYNC110 - the threads tell nobody
        await asyncio.sleep(0.01)
    assert await guard.addresses("good.example", 80, Reach(1, of_tenant=True)) == [ip_address("203.0.113.9")]
