"""Every screen of the console and its routes, read from the screen.ts of its folder: a new screen is found by being
there."""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from console.document import SCREENS

from api.client import Client

ROUTE = re.compile(r'path:\s*"([^"]+)",\s*load:\s*\(\)\s*=>\s*import\("\./([\w/.]+)"\)')
BEGUN = re.compile(r"\bload:")

# What is asked of screens that show nothing until they are asked, of the furnished site.
WORDS = {
    "/hosts": "?q=10.20.0.40",
    "/time": "?q=10.20.0.32%2F27",
}


# Where there is nothing to see before something happens; test_live.py makes it happen.
SILENT = {"/leases/live"}


class Route(NamedTuple):
    path: str
    page: Path

    @property
    def name(self) -> str:
        """For files and headings: "dns-zones-one" of "/dns/zones/$id"."""
        return self.path.strip("/").replace("$id", "one").replace("/", "-")


class Screen(NamedTuple):
    name: str
    routes: tuple[Route, ...]


@cache
def screens() -> tuple[Screen, ...]:
    return tuple(read(path) for path in sorted(SCREENS.glob("*/screen.ts")))


def read(path: Path) -> Screen:
    text = path.read_text()
    found = tuple(Route(route, path.parent / page) for route, page in ROUTE.findall(text))
    assert len(found) == len(BEGUN.findall(text)) > 0, f"{path} has a route that is not read"
    return Screen(path.parent.name, found)


def place_of(client: Client, route: Route) -> str:
    """Where the route leads; "$id" is the first object of the collection that the words before it name."""
    collection, parameter, rest = route.path.partition("/$id")
    if not parameter:
        return route.path + WORDS.get(route.path, "")
    first = next(client.items("/" + collection.strip("/").replace("/", "-")))
    return f"{collection}/{first['id']}{rest}"
