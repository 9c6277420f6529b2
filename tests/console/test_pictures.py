"""docs/reference/console.md shows every screen that there is: `make screenshots` makes page and pictures anew."""

import re

import pytest
from console import pictures

MOST_OCTETS = 6_000_000


@pytest.mark.parametrize("route", pictures.routes(), ids=lambda route: route.name)
def test_a_screen_is_shown_and_told(route: pictures.Route) -> None:
    page = pictures.PAGE.read_text()
    assert f"`{route.path}`: {pictures.told(route)}\n" in page
    for width, scheme in pictures.KINDS:
        assert f"](../console/{pictures.picture(route, width, scheme).name})" in page


def test_the_pictures_are_those_of_the_page_and_fit_a_repository() -> None:
    shown = set(re.findall(r"\]\(\.\./console/([^)]+)\)", pictures.PAGE.read_text()))
    there = {path.name: path.stat().st_size for path in pictures.FOLDER.iterdir()}
    assert set(there) == shown
    assert sum(there.values()) < MOST_OCTETS
