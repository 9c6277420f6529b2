"""What is served at /console/: a page with a policy and a nonce of its own, files for good, and nothing else."""

import gzip
import re
from pathlib import Path

import httpx
import pytest

from api.http import console
from api.http.gate import Gate
from api.http.ratelimit import RateLimit
from ipam_core.errors import NotFound

ROOT = "http://127.0.0.1:8080"


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As Vite and build/compress.ts leave it."""
    assets = tmp_path / "assets"
    assets.mkdir()
    (tmp_path / "index.html").write_text(f'<link nonce="{console.NONCE}" href="/console/assets/a-1.css">')
    (assets / "a-1.css").write_text("p{}")
    (assets / "a-1.css.gz").write_bytes(gzip.compress(b"p{}"))
    (assets / "a-1.css.br").write_bytes(b"by brotli")
    finding = console.find
    monkeypatch.setattr(console, "find", lambda path, headers: finding(path, headers, tmp_path))
    return tmp_path


@pytest.mark.usefixtures("built")
async def test_each_answer_has_a_nonce_of_its_own(stranger: httpx.AsyncClient) -> None:
    nonces = set()
    for place in ("/console", "/console/", "/console/subnets/1?tab=pools"):
        page = await stranger.get(ROOT + place)
        assert page.status_code == 200
        (nonce,) = re.findall(r"'nonce-([\w-]+)'", page.headers["content-security-policy"])
        assert f'nonce="{nonce}"' in page.text
        assert page.headers["cache-control"] == "no-store"
        nonces.add(nonce)
    assert len(nonces) == 3


@pytest.mark.usefixtures("built")
async def test_the_policy_allows_this_host_alone_and_nothing_unsafe(stranger: httpx.AsyncClient) -> None:
    policy = (await stranger.get(f"{ROOT}/console/")).headers["content-security-policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules.pop("default-src") == "'none'"
    assert rules.pop("frame-ancestors") == "'none'"
    assert re.fullmatch(r"'self' 'nonce-[\w-]{22}'", rules.pop("style-src"))
    assert set(rules.values()) <= {"'self'", "'none'"}


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br", "br"),
        ("gzip", "gzip"),
        ("br;q=0, gzip;q=0.5", "gzip"),
        ("br;q=0.1, gzip;q=0.9", "gzip"),
        ("*", "br"),
        ("identity", None),
        ("", None),
    ],
)
@pytest.mark.usefixtures("built")
async def test_files_are_for_good_and_compressed(
    stranger: httpx.AsyncClient, accepted: str, encoding: str | None, built: Path
) -> None:
    request = stranger.build_request(
        "GET", f"{ROOT}/console/assets/a-1.css", headers={"accept-encoding": accepted}
    )
    answer = await stranger.send(request, stream=True)
    body = b"".join([piece async for piece in answer.aiter_raw()])
    assert answer.headers.get("content-encoding") == encoding
    ending = {"br": ".br", "gzip": ".gz", None: ""}[encoding]
    assert body == (built / "assets" / f"a-1.css{ending}").read_bytes()
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"] == "text/css; charset=utf-8"
    assert answer.headers["vary"] == "accept-encoding"


@pytest.mark.usefixtures("built")
async def test_nothing_of_it_counts_against_the_limit(app: Gate, stranger: httpx.AsyncClient) -> None:
    app.all_requests = RateLimit("default", 1)
    for path in ("/console/", "/console/assets/a-1.css") * 3:
        assert (await stranger.get(ROOT + path)).status_code == 200


@pytest.mark.parametrize("path", ["/a-2.css", "/../index.html", "/%2e%2e/index.html", "/a-1.css.gz"])
@pytest.mark.usefixtures("built")
def test_other_files_are_not_there(path: str) -> None:
    with pytest.raises(NotFound):
        console.find(f"/console/assets{path}", {})


async def test_it_says_so_until_it_is_built(tmp_path: Path) -> None:
    answer = console.find("/console", {}, tmp_path)
    assert answer is not None
    assert answer.status == 404
    assert b"make console" in answer.body
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_what_is_not_below_it_is_not_its_own(tmp_path: Path) -> None:
    assert console.find("/consoles", {}, tmp_path) is None
    assert console.find("/api/v1/leases", {}, tmp_path) is None


async def test_a_browser_that_opens_the_bare_address_gets_there(stranger: httpx.AsyncClient) -> None:
    """Programs do not: they get what the API has always answered."""
    browser = await stranger.get(f"{ROOT}/", headers={"accept": "text/html,*/*;q=0.8"})
    assert (browser.status_code, browser.headers["location"]) == (302, "/console/")
    assert "accept" in browser.headers["vary"]
    program = await stranger.get(f"{ROOT}/", headers={"accept": "*/*"})
    assert program.status_code in (401, 403, 404)
    written = await stranger.post(f"{ROOT}/", headers={"accept": "text/html"})
    assert written.status_code in (401, 403, 404)
