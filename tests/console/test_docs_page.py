"""The API page in a browser: no script is blocked, nothing comes from another host, and a token tries an operation."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from cli.serving import Served
from console.watched import Watched
from playwright.sync_api import Browser, Page, expect

PATIENCE_MS = 60_000
"""Swagger UI draws a document of a megabyte, on a machine that runs other tests meanwhile."""


@pytest.fixture
def docs(browsing: Browser, service: Served) -> Iterator[Page]:
    root = service.url.removesuffix("/api/v1")
    httpx.get(
        f"{root}/docs", timeout=PATIENCE_MS / 1000
    ).raise_for_status()  # which is made for its first request
    context = browsing.new_context(base_url=root)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    watched = Watched(page)
    page.goto("/docs")
    yield page
    faults = watched.faults()
    context.close()
    assert faults == []


def test_it_lists_the_operations_and_tries_one_with_a_token(docs: Page, tokens: dict[str, str]) -> None:
    document: dict[str, Any] = json.loads(docs.locator("#openapi").text_content() or "")
    expect(docs.locator("h3.opblock-tag")).to_have_count(len(document["tags"]), timeout=PATIENCE_MS)
    docs.get_by_role("button", name="Authorize").click()
    dialog = docs.locator(".auth-container")
    dialog.get_by_role("textbox").fill(tokens["viewer"])
    dialog.get_by_role("button", name="Apply credentials").click()
    dialog.get_by_role("button", name="Close").click()
    docs.locator("h3#operations-tag-tokens").click()
    expect(docs.locator(".opblock")).to_have_count(tagged(document, "tokens"))
    operation = docs.locator(".opblock", has=docs.locator("[data-path='/api/v1/tokens/self']"))
    operation.locator(".opblock-summary-control").click()
    operation.get_by_role("button", name="Try it out").click()
    operation.get_by_role("button", name="Execute").click()
    answer = operation.locator(".live-responses-table")
    expect(answer.locator(".response-col_status").last).to_contain_text("200")
    expect(answer.locator(".highlight-code").first).to_contain_text('"role": "viewer"')


def tagged(document: dict[str, Any], tag: str) -> int:
    methods = ("get", "post", "patch", "delete")
    items = document["paths"].values()
    return sum(tag in item[method]["tags"] for item in items for method in methods if method in item)
