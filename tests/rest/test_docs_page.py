"""The page /docs: open to everybody, complete on this host, and with all that the document says.

The files of Swagger UI are stand-ins, which need no npm; tests/console/test_docs_page.py opens the real page.
"""

import re
from html.parser import HTMLParser
from pathlib import Path

import httpx
import msgspec
import pytest

from api.http.gate import Gate
from api.http.ratelimit import RateLimit
from api.openapi import page as docs_page

ROOT = "http://127.0.0.1:8080"


class Page(HTMLParser):
    """What a page loads, and the document within it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.document = ""
        self.inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        told = dict(attributes)
        self.loaded += [value for name in ("src", "href", "action") if (value := told.get(name))]
        self.inside = told.get("id") == "openapi"
        assert tag != "script" or self.inside or "src" in told, "the policy runs no script within the page"
        assert not any(name == "style" or name.startswith("on") for name in told)

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        self.document += data if self.inside else ""


@pytest.fixture
async def page(swagger_ui: Path, stranger: httpx.AsyncClient) -> httpx.Response:
    return await stranger.get(f"{ROOT}/docs")


async def test_it_is_open_and_carries_the_document(page: httpx.Response, stranger: httpx.AsyncClient) -> None:
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    whole = (await stranger.get("/openapi.json")).json()
    assert msgspec.json.decode(Page(page.text).document) == whole
    assert whole["components"]["securitySchemes"]["token"] == {"type": "http", "scheme": "bearer"}


async def test_it_loads_from_this_host_alone(page: httpx.Response, stranger: httpx.AsyncClient) -> None:
    loaded = Page(page.text).loaded
    kinds = {"js": "text/javascript", "css": "text/css", "png": "image/png"}
    assert {path.rpartition(".")[2] for path in loaded} == set(kinds)
    for path in loaded:
        assert re.fullmatch(r"/docs/[a-z0-9.-]+", path)
        found = await stranger.get(ROOT + path)
        assert found.status_code == 200
        assert found.headers["content-type"].startswith(kinds[path.rpartition(".")[2]])
        assert found.headers.get_list("cache-control") == ["max-age=3600"]
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert set(re.findall(r"[\w-]+-src ([^;]+)", policy)) <= {
        "'none'",
        "'self'",
        "'self' 'unsafe-inline'",
        "'self' data:",
    }
    without = page.text.replace(Page(page.text).document, "")
    assert "://" not in re.sub(r'<script type="application/json".*?</script>', "", without, flags=re.S)


@pytest.mark.usefixtures("swagger_ui")
async def test_what_it_loads_does_not_count(app: Gate, stranger: httpx.AsyncClient) -> None:
    app.all_requests = RateLimit("default", 2)
    page = await stranger.get(f"{ROOT}/docs")
    for _ in range(3):
        for path in Page(page.text).loaded:
            assert (await stranger.head(ROOT + path)).status_code == 200
    assert (await stranger.get(f"{ROOT}/docs")).status_code == 200
    assert (await stranger.get(f"{ROOT}/docs")).status_code == 429


@pytest.mark.usefixtures("swagger_ui")
async def test_what_it_does_not_load_is_not_there(stranger: httpx.AsyncClient) -> None:
    for path in ("/docs/nothing.js", "/docs/../pyproject.toml", "/docs/index.html"):
        assert (await stranger.get(ROOT + path)).status_code == 404


async def test_where_it_is_not_built_a_page_says_how(
    stranger: httpx.AsyncClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docs_page, "BUILT", tmp_path / "nothing")
    answer = await stranger.get(f"{ROOT}/docs")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "make console" in answer.text
    assert "/api/v1/openapi.json" in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    missing = await stranger.get(f"{ROOT}/docs/swagger-ui.css")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "not_found")


async def test_it_opens_once_it_is_built(
    swagger_ui: Path, stranger: httpx.AsyncClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`make run` builds it beside a server that serves already."""
    with monkeypatch.context() as before:
        before.setattr(docs_page, "BUILT", tmp_path / "nothing")
        assert (await stranger.get(f"{ROOT}/docs")).status_code == 404
    assert (await stranger.get(f"{ROOT}/docs")).status_code == 200
