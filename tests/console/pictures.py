"""The pictures of the screens in docs/console and the page docs/reference/console.md that shows them.

What a screen is for is said by the comment at the head of its page, so that a new screen needs no line elsewhere.
"""

import io
import itertools
import re
from pathlib import Path

from console.document import ROOT
from console.routes import Route, screens
from PIL import Image

FOLDER = ROOT / "docs" / "console"
PAGE = ROOT / "docs" / "reference" / "console.md"
WIDTHS = (1280, 360)
SCHEMES = ("light", "dark")
KINDS = tuple(itertools.product(WIDTHS, SCHEMES))
COLOURS = 64
TALLEST = 1400  # a telephone's picture is no longer than that
HEAD = re.compile(r"(?:// .*\n)+")

BEGINNING = """# The console

The console is a browser application that uses the HTTP API. The API serves it at `/console/`. Before
each action it shows the request that it sends. `make console` builds the console; packages contain it
built. [api/console/README.md](../../api/console/README.md) describes its code.

This page shows each screen at 1280 and at 360 px, in light and in dark. `make screenshots` writes the
page and takes the pictures, of the site in `tests/console/site.yaml`.
"""
SECTION = """
## {title}

`{path}`: {told}

| | light | dark |
|---|---|---|
"""


def picture(route: Route, width: int, scheme: str) -> Path:
    return FOLDER / f"{route.name}-{width}-{scheme}.png"


def routes() -> list[Route]:
    return [route for screen in screens() for route in screen.routes]


def told(route: Route) -> str:
    """The comment at the head of its page."""
    head = HEAD.match(route.page.read_text())
    assert head is not None, f"{route.page} does not begin with a comment that says what it is for"
    return " ".join(line.removeprefix("// ") for line in head[0].splitlines())


def store(path: Path, png: bytes) -> None:
    """In as few colours as the screens have."""
    drawn = Image.open(io.BytesIO(png)).convert("RGB")
    cut = drawn.crop((0, 0, drawn.width, min(drawn.height, TALLEST)))
    few = cut.quantize(
        COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
    )  # a link's colour is rare
    few.save(path, optimize=True)


def write_page(titles: dict[str, str]) -> None:
    """`titles`: what each route's screen calls itself, by the route's path."""
    sections = (section(route, titles[route.path]) for route in routes())
    PAGE.write_text(BEGINNING + "".join(sections))


def section(route: Route, title: str) -> str:
    rows = (
        f"| {width} px | " + " | ".join(image(route, title, width, scheme) for scheme in SCHEMES) + " |\n"
        for width in WIDTHS
    )
    return SECTION.format(title=title, path=route.path, told=told(route)) + "".join(rows)


def image(route: Route, title: str, width: int, scheme: str) -> str:
    return f"![{title}, {width} px, {scheme}](../console/{picture(route, width, scheme).name})"
