"""Where a webhook may go: addresses in every disguise, names that change, certificates of names."""

import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from workers.receiver import SECRET, Receiver, Reply
from workers.site import LOOPBACK

from ipam_core.errors import SettingsError
from ipam_core.workers import guarded_http
from ipam_core.workers.guarded_http import ForbiddenAddressError, Guard
from ipam_core.workers.webhook_endpoint import Endpoint

INSIDE = """127.0.0.1 127.1.2.3 ::1 0.0.0.0 0.1.2.3 :: 169.254.169.254 169.254.0.1 fe80::1 224.0.0.1 255.255.255.255
ff02::1 100.100.100.200 168.63.129.16 fd00:ec2::254 ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::127.0.0.1
64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 2002:7f00:1::1 2002:a9fe:a9fe::1 fec0::1""".split()  # noqa: SIM905 - a line each would be a page
OUTSIDE = [
    "10.1.2.3",
    "192.168.1.1",
    "172.16.0.9",
    "100.64.0.1",
    "203.0.113.9",
    "fd12::1",
    "2001:db8::1",
    "64:ff9b::a00:1",
]
DELIVERY: Any = {"message_id": "m", "payload": {"type": "webhook.ping", "timestamp": "", "data": {}}}


@pytest.fixture
def guard() -> Iterator[Guard]:
    made = Guard()
    yield made
    made.close()


async def posted(guard: Guard, url: str) -> int:
    """A message over a connection of its own; the status of what it is answered."""
    endpoint = Endpoint(guard, url, [SECRET])
    connection = await endpoint.connected()
    answer = await connection.post(endpoint.message(DELIVERY))
    endpoint.close()
    return answer.status


def test_addresses(guard: Guard) -> None:
    """Private networks are where receivers are; the host itself and what clouds keep beside it are not."""
    assert [text for text in INSIDE if not guard.refuses(ip_address(text))] == []
    assert [text for text in OUTSIDE if guard.refuses(ip_address(text))] == []
    own = [entry[4][0] for entry in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    assert all(guard.refuses(ip_address(text)) for text in own)


def test_exceptions() -> None:
    guard = Guard([ip_network("127.0.0.2/32"), ip_network("fe80::/10")])
    allowed = [text for text in INSIDE if not guard.refuses(ip_address(text))]
    assert allowed == ["fe80::1"]
    assert not guard.refuses(ip_address("127.0.0.2"))
    guard.close()


@pytest.mark.parametrize("host", ["localhost", "2130706433", "0x7f.1", "127.1", "0"])
async def test_names_and_notations_of_the_host_itself(guard: Guard, host: str) -> None:
    with pytest.raises((ForbiddenAddressError, OSError)):
        await guard.addresses(host, 80)


async def test_a_name_is_resolved_once_and_its_good_address_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its next answer is another one, as who attacks has it; among several the forbidden ones are left out."""
    asked: list[str] = []
    answers: list[Any] = [["169.254.169.254", "127.0.0.1"], ["169.254.169.254"]]

    def resolve(host: str, port: int) -> list[Any]:
        asked.append(host)
        return [ip_address(text) for text in answers.pop(0)]

    monkeypatch.setattr(guarded_http, "resolve", resolve)
    guard = Guard([LOOPBACK])
    async with Receiver().serving() as receiver:
        url = f"http://hooks.example:{receiver.port}/x"
        assert await posted(guard, url) == 204
        assert receiver.got[0].headers["host"] == f"hooks.example:{receiver.port}"
        assert asked == ["hooks.example"]
        with pytest.raises(ForbiddenAddressError, match=r"hooks.example is 169.254.169.254, .*webhook_allow"):
            await posted(guard, url)
        assert len(receiver.got) == 1
    guard.close()


async def test_the_next_address_is_tried_where_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [ip_address("127.0.0.9"), ip_address("127.0.0.1")]
    monkeypatch.setattr(guarded_http, "resolve", lambda _host, _port: found)
    guard = Guard([LOOPBACK])
    async with Receiver().serving() as receiver:
        assert await posted(guard, f"http://two.example:{receiver.port}/") == 204
    guard.close()


async def test_a_connection_is_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not after a pause in which the receiver may have closed it, and not so long that a name which moved is missed."""
    asked: list[str] = []

    def resolve(host: str, port: int) -> list[Any]:
        asked.append(host)
        return [ip_address("127.0.0.1")]

    monkeypatch.setattr(guarded_http, "resolve", resolve)
    guard = Guard([LOOPBACK])
    async with Receiver().serving() as receiver:
        endpoint = Endpoint(guard, f"http://hooks.example:{receiver.port}/", [SECRET])
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
    guard.close()


async def test_no_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    guard = Guard([LOOPBACK])
    async with Receiver().serving() as receiver:
        assert await posted(guard, receiver.url) == 204
    guard.close()


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
    monkeypatch.setattr(guarded_http, "resolve", lambda _host, _port: [ip_address("127.0.0.1")])
    cert, key = certificate(tmp_path, "hooks.example")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert, key)
    trusting, other = Guard([LOOPBACK], cert), Guard([LOOPBACK])
    async with Receiver().serving(context) as receiver:
        assert await posted(trusting, f"https://hooks.example:{receiver.port}/") == 204
        for guard, name in ((trusting, "another.example"), (other, "hooks.example")):
            with pytest.raises(ssl.SSLCertVerificationError, match="certificate verify failed"):
                await posted(guard, f"https://{name}:{receiver.port}/")
        assert len(receiver.got) == 1
    for guard in (trusting, other):
        guard.close()


def test_a_file_without_certificates_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.pem", Path(__file__)):
        with pytest.raises(SettingsError, match="webhook_ca"):
            Guard(ca=path)
