"""Until the first token exists, over loopback only root, the service's account and whoever has the code (decisions:
Bootstrap). A real server, and clients of other real accounts."""

import concurrent.futures
import os
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import psycopg
import pytest
from cli.serving import Served, serving
from conftest import COPIED, made
from ports import free_port

from ipam_core import bootstrap_code
from ipam_core.bootstrap_code import MOST_WRONG, accepts, issue
from ipam_core.processes import local_access
from ipam_core.processes.local_access import owner

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="missing peer: another account can be had by root only"
)

NOBODY = 65534
FIRST = {"name": "first", "role": "admin"}
ASK = """
import http.client, json, sys
host, port, method, path, headers, body = json.loads(sys.argv[1])
connection = http.client.HTTPConnection(host, port, timeout=20)
connection.request(method, "/api/v1" + path, body, {"content-type": "application/json", **headers})
answer = connection.getresponse()
print(answer.status)
print(answer.read().decode())
"""


def ask(
    served: Served, method: str, path: str, body: Any = None, *, host: str = "127.0.0.1", **headers: str
) -> tuple[int, str]:
    """A request by a process of the account `nobody`."""
    port = httpx.URL(served.url).port
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    told = [host, port, method, path, named, None if body is None else msgspec.json.encode(body).decode()]
    done = subprocess.run(
        [sys.executable, "-c", ASK, msgspec.json.encode(told).decode()],
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
        env={"PATH": "/usr/bin:/bin"},
    )
    status, _, text = done.stdout.partition("\n")
    return int(status), text


@pytest.fixture
def served(database: str, tmp_path: Path) -> Iterator[Served]:
    """A server whose first token the test makes."""
    tmp_path.chmod(0o755)
    with serving(database, tmp_path, first_token=False) as running:
        yield running


@pytest.fixture(scope="module")
def untouched(
    postgres_dsn: str, clerk: psycopg.Connection[Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """One server for the tests that leave it without a token and without an object."""
    folder = tmp_path_factory.mktemp("untouched")
    folder.chmod(0o755)
    with made(clerk, postgres_dsn, COPIED) as dsn, serving(dsn, folder, first_token=False) as running:
        yield running


def test_another_account_may_do_nothing(untouched: Served) -> None:
    for method, path, body in (
        ("GET", "/tenants", None),
        ("GET", "/tokens/self", None),
        ("POST", "/prefixes", {"cidr": "10.0.0.0/8"}),
        ("POST", "/tokens", FIRST),
        ("GET", "/openapi.json", None),
    ):
        status, text = ask(untouched, method, path, body)
        assert status == 403, (method, path, text)
        assert "ipam token create" in text
    assert httpx.get(f"{untouched.url}/prefixes", verify=False).json()["items"] == []


def test_ipv6(database: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    listen = f"[::1]:{free_port()}"
    with serving(database, tmp_path, first_token=False, api_listen=listen) as running:
        served = running._replace(url=f"http://{listen}/api/v1")
        assert ask(served, "GET", "/tenants", host="::1")[0] == 403
        assert httpx.get(f"{served.url}/tenants", verify=False).status_code == 200


@pytest.mark.parametrize(
    ("family", "host"),
    [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1"), (socket.AF_INET6, "::1")],
)
def test_the_owner_at_a_socket_of_both_families(family: int, host: str) -> None:
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as listening:
        mine = socket.socket(family)
        mine.connect((host, listening.getsockname()[1]))
        accepted, peer = listening.accept()
        os.fchown(mine.fileno(), 4711, 4711)
        with mine, accepted:
            assert owner(peer[:2], accepted.getsockname()[:2]) == 4711


HANG_UP = """
import socket, struct, sys
port, how = int(sys.argv[1]), sys.argv[2]
body = b'{"cidr": "10.0.0.0/8"}'
head = b"POST /api/v1/prefixes HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Type: application/json\\r\\nContent-Length: "
for _ in range(100):
    found = socket.create_connection(("127.0.0.1", port))
    found.sendall(head + str(len(body)).encode() + b"\\r\\n\\r\\n" + body)
    if how == "reset":
        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    if how == "half":
        found.shutdown(socket.SHUT_WR)
        found.recv(4096)
    found.close()
"""


@pytest.mark.parametrize("how", ["close", "reset", "half"])
def test_whoever_hangs_up_is_not_root(untouched: Served, how: str) -> None:
    """The kernel lists a socket that its process has closed as root's."""
    port = str(httpx.URL(untouched.url).port)
    subprocess.run(
        [sys.executable, "-c", HANG_UP, port, how], user=NOBODY, group=NOBODY, extra_groups=[], check=True
    )
    time.sleep(0.5)  # the last requests are served
    assert httpx.get(f"{untouched.url}/prefixes", verify=False).json()["items"] == []


def test_a_closed_socket_has_no_owner() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        mine = socket.create_connection(listening.getsockname())
        accepted, peer = listening.accept()
        ends = peer, listening.getsockname()
        assert owner(*ends) == os.geteuid()
        mine.close()
        assert owner(*ends) is None
        accepted.close()


def test_an_account_without_a_number_here_is_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a container all of them look alike, and like `nobody`."""
    monkeypatch.setattr(os, "geteuid", lambda: NOBODY)
    assert not local_access.is_operator(NOBODY)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert [local_access.is_operator(each) for each in (0, 1000, 1001, None)] == [True, True, False, False]


PASSED_ON = """
X-Cluster-Client-IP X-Original-Forwarded-For Fastly-Client-IP X-Envoy-External-Address X-Forwarded X-Forwarded-Port
X-Forwarded-Server X-Forwarded-Prefix X-Forwarded-Proto Forwarded Via X-Real-IP True-Client-IP CF-Connecting-IP CF-Ray
CF-Visitor CDN-Loop X-Client-IP Client-IP X-ProxyUser-Ip X-Original-Host X-Original-URL X-Azure-ClientIP X-ARR-SSL
WL-Proxy-Client-IP Proxy-Client-IP X-Amzn-Trace-Id X-Amz-Cf-Id X-Scheme X-Remote-IP Max-Forwards Front-End-Https
X-Nginx-Proxy Forwarded-For Forwarded-For-Ip X-Appengine-User-Ip X-Originating-IP
"""


def test_a_proxy_that_names_itself_somehow_makes_nobody_local(untouched: Served) -> None:
    """Root's own requests, as they look behind a proxy that root runs."""
    for name in PASSED_ON.split():
        assert (
            httpx.get(f"{untouched.url}/tenants", verify=False, headers={name: "127.0.0.1"}).status_code
            == 403
        ), name
    for name in ("X-Request-Id", "Traceparent", "Accept", "User-Agent", "Cookie", "Referer"):
        assert httpx.get(f"{untouched.url}/tenants", verify=False, headers={name: "x"}).status_code == 200, (
            name
        )


def test_the_code_makes_the_first_token_of_any_account(served: Served, tmp_path: Path) -> None:
    code = issue(tmp_path)
    assert len(code) >= 22, "128 bits"
    found = (tmp_path / bootstrap_code.NAME).stat()
    assert (stat.S_IMODE(found.st_mode), found.st_uid) == (0o600, os.geteuid())
    assert code not in (tmp_path / bootstrap_code.NAME).read_text()
    for method, path, body in (
        ("GET", "/tenants", None),
        ("POST", "/prefixes", {"cidr": "10.0.0.0/8"}),
        ("POST", "/tokens/x/rotate", {}),
    ):
        assert ask(served, method, path, body, bootstrap_code=code)[0] == 403
    assert ask(served, "POST", "/tokens", FIRST, bootstrap_code=code, via="1.1 x")[0] == 403
    assert (
        ask(
            served,
            "POST",
            "/tokens",
            FIRST,
            bootstrap_code=code,
            host="127.0.0.1",
            origin="http://evil.example",
        )[0]
        == 403
    )
    status, text = ask(served, "POST", "/tokens", FIRST | {"role": "viewer"}, bootstrap_code=code)
    assert status == 422, text
    status, text = ask(served, "POST", "/tokens", FIRST, bootstrap_code=code)
    assert status == 201, text
    assert ask(served, "POST", "/tokens", FIRST | {"name": "second"}, bootstrap_code=code)[0] == 401
    assert not (tmp_path / bootstrap_code.NAME).exists()
    assert code not in (tmp_path / "api.log").read_text()


def test_a_code_ends_with_its_tries_for_all_processes(served: Served, database: str, tmp_path: Path) -> None:
    """Two API processes on one folder, one of them started after the first wrong tries; root is asked too."""
    code = issue(tmp_path)
    body = {"json": FIRST, "headers": {"bootstrap-code": code[:-1] + ("x" if code[-1] != "x" else "y")}}
    for _ in range(MOST_WRONG - 2):
        assert httpx.post(f"{served.url}/tokens", verify=False, **body).status_code == 403
    with serving(database, tmp_path, first_token=False) as other:
        for _ in range(2):
            assert httpx.post(f"{other.url}/tokens", verify=False, **body).status_code == 403
        for each in (served, other):
            status, text = ask(each, "POST", "/tokens", FIRST, bootstrap_code=code)
            assert status == 403
            assert "no longer valid" in text


def test_one_code_makes_one_token(served: Served, tmp_path: Path) -> None:
    code = issue(tmp_path)

    def make(number: int) -> int:
        return ask(served, "POST", "/tokens", FIRST | {"name": f"first {number}"}, bootstrap_code=code)[0]

    with concurrent.futures.ThreadPoolExecutor(6) as callers:
        statuses = list(callers.map(make, range(6)))
    assert sorted(set(statuses)) in ([201], [201, 401], [201, 401, 403], [201, 403])
    assert statuses.count(201) == 1


def test_a_code_ends_by_time_and_by_a_newer_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = issue(tmp_path)
    second = issue(tmp_path)
    assert not accepts(tmp_path, first)
    assert accepts(tmp_path, second)
    now = time.time()
    for moment, good in ((now + 3595, True), (now + 3605, False), (now - 60, False)):
        monkeypatch.setattr(time, "time", lambda moment=moment: moment)
        assert accepts(tmp_path, second) == good


@pytest.mark.parametrize("text", ["", "{}", "[", '{"sha256": "x", "expires": 1e300}', "\x00" * 1000])
def test_a_file_that_is_damaged_accepts_nothing(tmp_path: Path, text: str) -> None:
    code = issue(tmp_path)
    (tmp_path / bootstrap_code.NAME).write_text(text)
    assert not accepts(tmp_path, code)
    assert not accepts(tmp_path, "")
    (tmp_path / bootstrap_code.NAME).unlink()
    assert not accepts(tmp_path, code)


def test_tries_at_one_moment_are_all_counted(tmp_path: Path) -> None:
    code = issue(tmp_path)
    with concurrent.futures.ThreadPoolExecutor(8) as callers:
        assert not any(callers.map(lambda _: accepts(tmp_path, "wrong"), range(MOST_WRONG)))
    assert not accepts(tmp_path, code)
