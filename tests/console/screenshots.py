"""Takes the pictures of docs/console and writes docs/reference/console.md: `make screenshots`.

No part of the tests, for it changes files; pytest runs it when it is named."""

import pytest
from console import pictures, routes
from console.conftest import Open
from console.traffic import Traffic

from api.client import Client

HEIGHT = 800


@pytest.mark.usefixtures("furnished")
def test_every_screen_is_drawn(opened: Open, tokens: dict[str, str], client: Client) -> None:
    pictures.FOLDER.mkdir(exist_ok=True)
    for old in pictures.FOLDER.glob("*.png"):
        old.unlink()
    titles: dict[str, str] = {}
    for width, scheme in pictures.KINDS:
        size = {"width": width, "height": HEIGHT}
        page = opened(
            "/assets", tokens["admin"], viewport=size, color_scheme=scheme, locale="en-GB", timezone_id="UTC"
        )
        traffic = Traffic(page)
        for route in pictures.routes():
            page.goto(f"/console{routes.place_of(client, route)}")
            traffic.settle()
            drawn = page.screenshot(full_page=width < HEIGHT, animations="disabled")
            pictures.store(pictures.picture(route, width, scheme), drawn)
            titles[route.path] = page.get_by_role("heading", level=1).first.inner_text()
    pictures.write_page(titles)
