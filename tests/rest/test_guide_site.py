"""What is served at /docs/guide/: the site that `make docs` builds, complete on this host and open to everybody."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin

import guide_site
import httpx
import pytest
import yaml

from api.http import guide
from api.http.gate import Gate
from api.http.ratelimit import RateLimit
from ipam_core.errors import NotFound

ROOT = "http://127.0.0.1:8080"
INDEX = f"{ROOT}/docs/guide/"
LOADED = re.compile(r'<(?:script|img|link|iframe|source)\b[^>]*?\b(?:src|href)="([^"]+)"')
LINKED = re.compile(r'<a\b[^>]*?\bhref="([^"]+)"')
ANCHOR = re.compile(r'\b(?:id|name)="([^"]+)"')
INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


@pytest.fixture(scope="module")
def site() -> Path:
    return guide_site.require()


@pytest.mark.usefixtures("site")
async def test_it_is_open_and_its_pages_are_revalidated(stranger: httpx.AsyncClient) -> None:
    for place in ("", "how-to/install.html", "reference/settings.html"):
        page = await stranger.get(INDEX + place)
        assert page.status_code == 200
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert page.headers["cache-control"] == "no-cache"
        again = await stranger.get(INDEX + place, headers={"if-none-match": page.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == page.headers["etag"]


@pytest.mark.usefixtures("site")
async def test_the_folder_redirects_to_its_index(stranger: httpx.AsyncClient) -> None:
    answer = await stranger.get(f"{ROOT}/docs/guide")
    assert (answer.status_code, answer.headers["location"]) == (308, "/docs/guide/")


@pytest.mark.usefixtures("site")
async def test_the_policy_runs_the_scripts_of_the_page_only(stranger: httpx.AsyncClient) -> None:
    page = await stranger.get(INDEX)
    policy = dict(rule.strip().split(" ", 1) for rule in page.headers["content-security-policy"].split(";"))
    digests = {
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        for script in INLINE.findall(page.text)
    }
    assert digests
    scripts = set(policy.pop("script-src").split())
    assert scripts == {"'self'", *(f"'sha256-{digest}'" for digest in digests)}
    assert policy.pop("default-src") == policy["frame-ancestors"] == "'none'"
    assert policy.pop("style-src") == "'self' 'unsafe-inline'"
    assert set(policy.values()) <= {"'self'", "'self' data:", "'none'"}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("search.json", "application/json"),
        ("openapi.json", "application/json"),
        ("console/overview-1280-light.png", "image/png"),
        ("deploy/prometheus/ipam.rules.yml", "text/plain; charset=utf-8"),
        ("deploy/nginx.conf", "text/plain; charset=utf-8"),
        ("deploy/Containerfile", "text/plain; charset=utf-8"),
    ],
)
async def test_files_have_their_content_type(
    stranger: httpx.AsyncClient, site: Path, name: str, kind: str
) -> None:
    answer = await stranger.get(INDEX + name, headers={"accept-encoding": "gzip"})
    assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
    assert ("content-encoding" in answer.headers) is name.endswith(".json")
    assert answer.content == (site / name).read_bytes()
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_pages_load_nothing_from_other_hosts(site: Path) -> None:
    pages = {path: path.read_text() for path in site.rglob("*.html")}
    assert len(pages) > 30
    outside = {
        (path.name, url)
        for path, text in pages.items()
        for url in LOADED.findall(text)
        if "//" in url or not (path.parent / urldefrag(url).url).exists()
    }
    assert outside == set()
    assert "@import" not in "".join(path.read_text() for path in site.rglob("*.css"))


def test_each_link_leads_to_a_file_and_an_anchor(site: Path) -> None:
    """Those of files that are no pages too, of which the generator knows nothing."""
    anchors = {path.as_uri(): set(ANCHOR.findall(path.read_text())) for path in site.rglob("*.html")}
    dead = []
    for path in site.rglob("*.html"):
        for link in LINKED.findall(path.read_text()):
            url, anchor = urldefrag(urljoin(path.as_uri(), link))
            if url.startswith("file:") and (
                not Path(url.removeprefix("file://")).is_file() or (anchor and anchor not in anchors[url])
            ):
                dead.append((path.relative_to(site).as_posix(), link))
    assert dead == []


def leaves(nav: Any) -> Iterator[str]:
    """Yield the pages of a tree of `nav`."""
    if isinstance(nav, str):
        yield nav
    else:
        for part in nav.values() if isinstance(nav, dict) else nav:
            yield from leaves(part)


def test_each_page_is_reached_from_the_index_by_the_navigation(site: Path) -> None:
    entries = re.findall(r"<a\b[^>]*\bmd-nav__link\b[^>]*>", (site / "index.html").read_text())
    linked = {link.removeprefix("./") for link in LINKED.findall("".join(entries))}
    named = set(leaves(yaml.safe_load((guide_site.ROOT / "mkdocs.yml").read_text())["nav"])) - {"index.md"}
    assert len(named) > 30
    wanted = {re.sub(r"README\.md$", "index.md", name).removesuffix("md") + "html" for name in named}
    assert wanted - linked == set()


def test_the_search_index_has_every_page(site: Path) -> None:
    index = json.loads((site / "search.json").read_text())
    found = {urldefrag(item["location"]).url for item in index["items"]}
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    assert pages - found == set()


@pytest.mark.usefixtures("site")
async def test_nothing_of_it_counts_against_the_limit(app: Gate, stranger: httpx.AsyncClient) -> None:
    app.all_requests = RateLimit("default", 1)
    for _ in range(3):
        assert (await stranger.get(INDEX)).status_code == 200


@pytest.mark.parametrize(
    "name",
    [
        "sources.html",
        "index.html.gz",
        "../http/guide.py",
        "../../http/guide.py",
        ".hidden",
        "how-to",
        "a\0b",
        "a/../b",
    ],
)
def test_other_files_do_not_exist(site: Path, name: str) -> None:
    with pytest.raises(NotFound):
        guide.find(f"/docs/guide/{name}", False, {}, site)


def test_it_reports_that_it_is_not_built(tmp_path: Path) -> None:
    answer = guide.find("/docs/guide/index.html", False, {}, tmp_path)
    assert answer is not None
    assert answer.status == 404
    assert b"make docs" in answer.body
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_other_paths_are_not_its_own(tmp_path: Path) -> None:
    assert guide.find("/docs", False, {}, tmp_path) is None
    assert guide.find("/docs/guides", False, {}, tmp_path) is None
    assert guide.find("/docs/swagger-ui.css", False, {}, tmp_path) is None
