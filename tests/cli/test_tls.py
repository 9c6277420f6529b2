"""The API with a certificate: HTTPS from its start, a new certificate without a restart, and who trusts it."""

import json
import os
import socket
import ssl
import subprocess
import time
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import httpx
import pytest
from cli.serving import IPAM, serving
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from api import tls
from ipam_core.errors import SettingsError
from ipam_core.setting_values import Endpoint
from ipam_core.settings import Settings, network


def write_pair(folder: Path, name: str = "api") -> tuple[Path, Path]:
    """A certificate of 127.0.0.1 signed by itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    called = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "ipam")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(called)
        .issuer_name(called)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, none = serialization.Encoding.PEM, serialization.NoEncryption()
    paths = folder / f"{name}.pem", folder / f"{name}.key"
    paths[0].write_bytes(made.public_bytes(pem))
    paths[1].write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, none))
    return paths


def served_certificate(port: int) -> str:
    return ssl.get_server_certificate(("127.0.0.1", port))


def agreed(cert: Path, port: int, suite: str) -> str:
    """The suite of a connection of TLS 1.2 whose client offers this one alone."""
    context = ssl.create_default_context(cafile=cert)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(suite + ":@SECLEVEL=0")
    plain = socket.create_connection(("127.0.0.1", port))
    with plain, context.wrap_socket(plain, server_hostname="127.0.0.1") as secured:
        found = secured.cipher()
        assert found is not None
        return found[0]


def test_https_and_a_new_certificate(database: str, tmp_path: Path) -> None:
    cert, key = write_pair(tmp_path)
    first = cert.read_text()
    with serving(database, tmp_path, api_tls_certificate=str(cert), api_tls_key=str(key)) as served:
        port = int(served.url.split(":")[2].split("/")[0])
        assert served.url.startswith("https://")
        assert served_certificate(port) == first
        environment = os.environ | {"IPAM_API_URL": served.url, "IPAM_API_TOKEN": served.token}
        command = [*IPAM, "prefixes", "list", "--json"]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 1
        assert "IPAM_API_CA names the file" in ran.stderr
        plain = environment | {"IPAM_API_URL": served.url.replace("https:", "http:")}
        ran = subprocess.run(command, env=plain, capture_output=True, text=True, check=False)
        assert "begin IPAM_API_URL with https://" in ran.stderr
        with httpx.Client(verify=ssl.create_default_context(cafile=cert)) as client:
            health = client.get(f"{served.url}/tenants")
        assert health.headers["strict-transport-security"] == "max-age=31536000"
        assert agreed(cert, port, "ECDHE-ECDSA-AES128-GCM-SHA256") == "ECDHE-ECDSA-AES128-GCM-SHA256"
        for suite in ("ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384", "ECDHE-ECDSA-AES128-CCM"):
            with pytest.raises(ssl.SSLError):
                agreed(cert, port, suite)
        trusting = environment | {"IPAM_API_CA": str(cert)}
        ran = subprocess.run(command, env=trusting, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        write_pair(tmp_path)
        deadline = time.monotonic() + 60
        while served_certificate(port) == first:
            assert time.monotonic() < deadline
            time.sleep(0.2)
        assert served_certificate(port) == cert.read_text()
    assert all(json.loads(line) for line in (tmp_path / "api.log").read_text().splitlines())


def test_what_is_no_http_is_logged_as_json(database: str, tmp_path: Path) -> None:
    with serving(database, tmp_path) as served:
        port = int(served.url.split(":")[2].split("/")[0])
        with socket.create_connection(("127.0.0.1", port)) as plain, pytest.raises(ssl.SSLError):
            ssl.create_default_context().wrap_socket(plain, server_hostname="x")
        with socket.create_connection(("127.0.0.1", port)) as plain:
            plain.sendall(b"\x00 nonsense\r\n\r\n")
            assert plain.recv(100).startswith(b"HTTP/1.1 400")
        environment = os.environ | {"IPAM_API_URL": served.url.replace("http:", "https:")}
        ran = subprocess.run(
            [*IPAM, "prefixes", "list"], env=environment, capture_output=True, text=True, check=False
        )
        assert "HTTP is spoken there: begin IPAM_API_URL with http://" in ran.stderr
        assert httpx.get(f"{served.url}/prefixes").status_code == 401
    lines = [json.loads(line) for line in (tmp_path / "api.log").read_text().splitlines()]
    told = {line["event"]: line for line in lines}
    assert told["https_where_http_is_spoken"]["client"] == "127.0.0.1"
    assert "Invalid HTTP request received." in told


def test_a_pair_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    cert, key = write_pair(tmp_path)
    _, other = write_pair(tmp_path, "other")
    assert tls.context(Settings(api_tls_certificate=cert, api_tls_key=key)) is not None
    for wrong, field in (
        (Settings(api_tls_certificate=cert), "api_tls_key"),
        (Settings(api_tls_key=key), "api_tls_certificate"),
        (Settings(api_tls_certificate=cert, api_tls_key=other), "api_tls_certificate"),
        (
            Settings(api_tls_certificate=cert, api_tls_key=tmp_path / "none"),
            "api_tls_key: .*none cannot be read",
        ),
    ):
        with pytest.raises(SettingsError, match=field):
            tls.context(wrong)


@pytest.mark.parametrize(
    ("settings", "warns"),
    [
        (Settings(), False),
        (Settings(api_listen=Endpoint("::1", 8080)), False),
        (Settings(api_listen=Endpoint("192.0.2.1", 8080)), True),
        (Settings(api_listen=Endpoint("0.0.0.0", 8080)), True),
        (Settings(api_listen=Endpoint("192.0.2.1", 8080), trusted_proxies=(network("192.0.2.2/32"),)), False),
    ],
)
def test_plain_text_beyond_loopback_is_warned_of(
    settings: Settings, warns: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr("api.tls.log.warning", lambda event, **_told: said.append(event), raising=False)
    assert tls.context(settings) is None
    assert said == (["listens_without_tls"] if warns else [])
