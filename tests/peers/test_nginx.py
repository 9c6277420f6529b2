"""deploy/nginx.conf by nginx itself: TLS ends there, and the API counts the client that nginx names, not one that the
client makes up.
"""

import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from cli.serving import Served, serving
from cli.test_tls import write_pair
from ports import free_port
from system import peers

from api.local_token import create_token

EXAMPLE = (Path(__file__).parents[2] / "deploy/nginx.conf").read_text()
AROUND = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log; events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  {server}
}}
"""
HOST, OTHER = "127.0.0.2", "127.0.0.3"

pytestmark = [pytest.mark.peers, pytest.mark.peer("nginx")]


@pytest.fixture
def served(database: str, tmp_path: Path) -> Iterator[Served]:
    with serving(database, tmp_path, trusted_proxies="127.0.0.1/32") as served:
        yield served


@pytest.fixture
def proxy(served: Served, tmp_path: Path) -> Iterator[tuple[str, ssl.SSLContext]]:
    """Its URL, and what its certificate is checked against."""
    certificate, key = write_pair(tmp_path)
    port = free_port()
    server = EXAMPLE
    for there, here in (
        ("/etc/ssl/certs/ipam.pem", str(certificate)),
        ("/etc/ssl/private/ipam.key", str(key)),
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("listen [::]:443 ssl;", ""),
        ("http://127.0.0.1:8080", served.url.removesuffix("/api/v1")),
    ):
        assert there in server
        server = server.replace(there, here)
    (tmp_path / "nginx.conf").write_text(AROUND.format(folder=tmp_path, server=server))
    command = [peers.program("nginx"), "-p", tmp_path, "-c", tmp_path / "nginx.conf"]
    process = subprocess.Popen(command, env=peers.environment())
    deadline = time.monotonic() + 10
    while not (tmp_path / "nginx.pid").exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    yield f"https://127.0.0.1:{port}/api/v1", ssl.create_default_context(cafile=certificate)
    process.terminate()
    process.wait(10)


async def test_the_client_is_the_one_that_nginx_names(
    database: str, proxy: tuple[str, ssl.SSLContext]
) -> None:
    url, trusted = proxy
    narrow = {"name": "narrow", "role": "viewer", "tenant_id": None, "allowed_cidrs": [f"{HOST}/32"]}
    told = {"Authorization": f"Bearer {await create_token(database, narrow)}"}
    statuses = []
    for address, forged in ((HOST, {}), (OTHER, {}), (OTHER, {"X-Forwarded-For": HOST})):
        transport = httpx.AsyncHTTPTransport(verify=trusted, local_address=address)
        async with httpx.AsyncClient(transport=transport) as client:
            statuses.append((await client.get(f"{url}/prefixes", headers=told | forged)).status_code)
    assert statuses[0] == 200
    assert statuses[1] == statuses[2] != 200
