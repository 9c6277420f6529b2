"""The import law over rooms, for Python, Cython (import and cimport) and TypeScript: lower never imports higher, and
no imports form a circle. Imports for types alone count like all others.

Each package describes its rooms in its __init__.py, the console in its README; FLOORS is the law. A room is a folder,
or a module at the root of a package. A module below none of the named rooms would escape the law, so each must have a
floor.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("ipam_core", "dhcp_fast", "api")
CONSOLE = ROOT / "api/console/src"
SCREENS = [f"screens.{path.name}" for path in sorted((CONSOLE / "screens").iterdir()) if path.is_dir()]

# From the ground up; rooms of one floor do not see each other.
FLOORS = {
    "ipam_core": """
        errors build_info printing stoppable faults bootstrap_code host_labels supplied_options
        untrusted_yaml
        setting_values
        settings model dhcp.kinds
        dhcp dns db.embedded outbound client_settings settings_reference event_reference
        db
        secrets services.entity
        services backup
        netbox workers
        processes
        commands
    """,
    "dhcp_fast": """
        packets structures wire scheduling watching
        leases net bench.generator
        pg dns bench.report
        plan bench.servers
        state bench.scenarios
        clients
        sharing
        dhcp4 dhcp6 bench probe
        engine
        database.plan database.leases
        database
        explained_options
        explain6 leasequery
        server dns_server explain
        workers replay trace
        run
        arguments
        probe_command
        commands
    """,
    "api": """
        client http importers tls
        exporters
        cli openapi local_token local_zones local_relays
        routes
        app protocol
        server write_documents write_man generators
        commands
    """,
    "console": f"""
        pure
        store
        text api
        session
        parts
        screens.screen
        {" ".join(SCREENS)} sign-in
        screens.all
        frame
        main
    """,
}
COMPILED = (
    "structures",
    "wire",
    "leases",
    "net",
    "pg",
    "plan",
    "state",
    "clients",
    "sharing",
    "dhcp4",
    "dhcp6",
    "engine",
    "dns",
)
SQL = ("asyncpg", "psycopg", "aiosql", "ipam_core.db", "ipam_core.services", "dhcp_fast.database")
LOAD = ("dhcp_fast.bench", "dhcp_fast.probe")
# room -> what it may not import although it stands lower, or is no room of ours
FORBIDDEN = {
    "ipam_core": ("api", "dhcp_fast"),
    "dhcp_fast": ("api",),
    "api": ("dhcp_fast",),
    "dhcp_fast.wire": ("dhcp_fast.leases", "dhcp_fast.structures"),
    **{
        room: tuple(f"dhcp_fast.{other}" for other in (*COMPILED, "database", "server", "workers"))
        for room in LOAD
    },
    "api.client": ("asyncpg", "ipam_core.db", "ipam_core.services", "api.http"),
    "api.importers": ("asyncpg", "httpx", "ipam_core.db", "ipam_core.services", "api.http"),
    "api.exporters": ("asyncpg", "httpx", "ipam_core.db", "ipam_core.services", "api.http"),
    "api.cli": ("asyncpg", "ipam_core.db", "ipam_core.services", "api.http"),
    **{f"dhcp_fast.{room}": (*SQL, "asyncio", "uvloop", *LOAD) for room in COMPILED},
    "dhcp_fast.dns": (
        *SQL,
        "asyncio",
        "uvloop",
        *LOAD,
        "dhcp_fast.leases",
        "dhcp_fast.packets",
    ),
    # Nothing that serves depends on the load generator or the probe, which stand below some of it.
    **{
        f"dhcp_fast.{room}": LOAD
        for room in ("database", "server", "dns_server", "replay", "workers", "trace", "run")
    },
}
# The frame knows screens by screens/all.ts alone.
FORBIDDEN["console.frame"] = tuple(f"console.{screen}" for screen in SCREENS)
ONE_DOOR = ("api.commands", "dhcp_fast.explain")
OUTSIDE = ("benchmarks", "tests")

FROM = re.compile(r"^[ \t]*from[ \t]+([\w.]+)[ \t]+c?import[ \t]+(\([^)]*\)|[^\n(]+)", re.M)
IMPORT = re.compile(r"^[ \t]*c?import[ \t]+([\w., ]+)$", re.M)
TYPESCRIPT = re.compile(r"""\b(?:from|import)\s*\(?\s*"(\.[^"]+?)(?:\.tsx?)?\"""")


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


# The Ansible collection is no package of ours: it runs inside of Ansible, and imports nothing of this repository.
COLLECTION = ROOT / "api/ansible"
SOURCES = sorted(
    path
    for top in PACKAGES
    for end in ("py", "pyx", "pxd")
    for path in (ROOT / top).rglob(f"*.{end}")
    if COLLECTION not in path.parents
)
MODULES = {module_of(path) for path in SOURCES}


def imported(text: str) -> Iterator[str]:
    """Yield every module that a text names; `from a import b` names a.b if that is a module, else a."""
    text = re.sub(r"#.*", "", text)
    for found in FROM.finditer(text):
        for item in found[2].strip("()").split(","):
            name = f"{found[1]}.{item.split(' as ')[0].strip()}"
            yield name if name in MODULES else found[1]
    for found in IMPORT.finditer(text):
        yield from (item.split(" as ")[0].strip() for item in found[1].split(","))


def imports() -> dict[str, set[str]]:
    """Of each module of ours which modules it names, its .pyx and .pxd together."""
    found: dict[str, set[str]] = {module: set() for module in MODULES}
    for path in SOURCES:
        found[module_of(path)] |= set(imported(path.read_text("utf-8"))) - {module_of(path)}
    return found


def console_module(path: str) -> str:
    """Return the name of a file of the console, given below src/: console.parts.table.Row for parts/table/Row.tsx."""
    return "console." + re.sub(r"(\.d)?\.tsx?$", "", path).replace("/", ".")


def console_imported(path: str, text: str) -> Iterator[str]:
    """Yield the modules that a file of the console imports, also for types or on demand; no styles."""
    for found in TYPESCRIPT.finditer(text):
        if not found[1].endswith((".css", ".json")):
            yield console_module(posixpath.normpath(posixpath.join(posixpath.dirname(path), found[1])))


def console_imports() -> dict[str, set[str]]:
    """Return the modules of the console, without tests, each with those that it imports."""
    files = [
        path.relative_to(CONSOLE).as_posix() for path in CONSOLE.rglob("*.ts*") if ".test." not in path.name
    ]
    return {
        console_module(name): set(console_imported(name, (CONSOLE / name).read_text("utf-8")))
        for name in files
    }


def floors(package: str) -> dict[str, int]:
    lines = FLOORS[package].split("\n")
    return {f"{package}.{room}": height for height, line in enumerate(lines) for room in line.split()}


HEIGHTS = {room: height for package in FLOORS for room, height in floors(package).items()}


def room_of(module: str) -> str | None:
    """The most particular room that it stands in."""
    inside = [room for room in HEIGHTS if module == room or module.startswith(f"{room}.")]
    return max(inside, key=len, default=None)


def runs_up(module: str, other: str) -> bool:
    """Is `other` in a room that does not stand below the one of `module`?"""
    here, there = room_of(module), room_of(other)
    if here is None or there is None or here == there or here.split(".")[0] != there.split(".")[0]:
        return False
    return HEIGHTS[there] >= HEIGHTS[here]


def is_in(name: str, room: str) -> bool:
    return name == room or name.startswith(f"{room}.")


def is_forbidden(module: str, other: str) -> bool:
    if (module, other) == ONE_DOOR:
        return False
    bans = [ban for room, banned in FORBIDDEN.items() if is_in(module, room) for ban in banned]
    return any(is_in(other, ban) for ban in (*bans, *OUTSIDE))


def breaches(graph: Mapping[str, Iterable[str]]) -> list[str]:
    return sorted(
        f"{module} -> {other}"
        for module, others in graph.items()
        for other in others
        if runs_up(module, other) or is_forbidden(module, other)
    )


def circles(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """Modules that are reached from themselves, each with one way round."""
    return [" -> ".join(way) for module in sorted(graph) if (way := way_back(graph, module))]


def way_back(graph: Mapping[str, Iterable[str]], start: str) -> list[str]:
    ways, seen = [[start]], set[str]()
    while ways:
        way = ways.pop(0)
        for other in sorted(graph.get(way[-1], ())):
            if other == start:
                return [*way, other]
            if other not in seen:
                seen.add(other)
                ways.append([*way, other])
    return []


def reached(graph: Mapping[str, Iterable[str]], starts: Iterable[str]) -> set[str]:
    """Return all modules that these import, directly or by others."""
    found, waiting = set[str](), [*starts]
    while waiting:
        for other in graph.get(waiting.pop(), ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def test_lower_never_imports_higher() -> None:
    assert breaches(imports()) == []
    assert breaches(console_imports()) == []


def test_what_speaks_http_only_reaches_no_database() -> None:
    """Not by other modules either."""
    graph = imports()
    rooms = ("api.cli", "api.client", "api.importers", "api.exporters")
    starts = [module for module in graph if any(is_in(module, room) for room in rooms)]
    banned = ("asyncpg", "psycopg", "aiosql", "ipam_core.db", "ipam_core.services", "dhcp_fast")
    assert len(starts) > len(rooms)
    assert sorted(name for name in reached(graph, starts) if any(is_in(name, ban) for ban in banned)) == []


def test_the_collection_imports_nothing_of_ours() -> None:
    texts = [path.read_text("utf-8") for path in COLLECTION.rglob("*.py")]
    named = {name.split(".")[0] for text in texts for name in imported(text)}
    assert texts
    assert named.isdisjoint(PACKAGES)


def test_no_imports_form_a_circle() -> None:
    assert circles(imports()) == []
    assert circles(console_imports()) == []


def test_benchmarks_import_in_no_circle_and_have_names_of_their_own() -> None:
    """`from console import browser` is tests/console: a benchmark named so would be taken for it."""
    files = {path.stem: path.read_text("utf-8") for path in (ROOT / "benchmarks").glob("*.py")}
    assert circles({f"benchmarks.{name}": set(imported(text)) for name, text in files.items()}) == []
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir()}
    assert files.keys() & folders == set()


def test_every_module_has_a_floor() -> None:
    modules = (MODULES | console_imports().keys()) - set(PACKAGES)
    assert sorted(module for module in modules if room_of(module) is None) == []


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("dhcp_fast.wire.packet4", "from dhcp_fast.engine.engine cimport Engine"),
        ("dhcp_fast.wire.packet4", "from dhcp_fast.structures cimport bitmap"),
        ("dhcp_fast.leases.pools", "cimport dhcp_fast.state.slot as slot"),
        ("dhcp_fast.dns.answer", "from dhcp_fast.leases.pools cimport Pool"),
        ("dhcp_fast.dns.query", "from dhcp_fast.state.token_bucket cimport TokenBucket"),
        ("dhcp_fast.dns_server.server", "from dhcp_fast.server import http"),
        ("dhcp_fast.engine.engine", "import asyncio"),
        ("dhcp_fast.engine.batch", "    from ipam_core.db import connect  # late"),
        ("dhcp_fast.probe.probe", "from dhcp_fast.dhcp4.messages cimport (\n    decide,\n)"),
        ("dhcp_fast.bench.bench", "from benchmarks import perfdhcp"),
        ("dhcp_fast.engine.engine", "from dhcp_fast.bench.generator cimport ledger"),
        ("dhcp_fast.database.leases.initial_load", "from dhcp_fast.bench.servers import audit"),
        ("dhcp_fast.server.server", "from dhcp_fast.probe.client import Client"),
        ("dhcp_fast.replay.frames", "from dhcp_fast.probe import client"),
        ("dhcp_fast.workers.host", "import dhcp_fast.bench.report.figures"),
        ("dhcp_fast.run", "import api.app"),
        ("api.http.gate", "from api.routes import families"),
        ("api.cli.objects", "from ipam_core.services import pools"),
        ("api.server", "from dhcp_fast import explain"),
        ("ipam_core.model.page", "from ipam_core.services import pools"),
        ("dhcp_fast.packets.dissect", "if TYPE_CHECKING:\n    from dhcp_fast.engine.engine import Engine\n"),
    ],
)
def test_the_law_sees_a_breach(module: str, line: str) -> None:
    assert breaches({module: imported(line)})


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("dhcp_fast.wire.packet4", "from libc.stdint cimport uint8_t"),
        ("dhcp_fast.dhcp4.reply", "from dhcp_fast.wire.cursor cimport Cursor"),
        ("api.commands", "from dhcp_fast import explain"),
    ],
)
def test_the_law_lets_pass_what_is_lawful(module: str, line: str) -> None:
    assert not breaches({module: imported(line)})


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("pure/csv.ts", 'import { read } from "../store/stored.ts";'),
        ("store/tenant.ts", 'import { session } from "../session/session.ts";'),
        ("text/frame.ts", 'import type { Call } from "../api/calls.ts";'),
        ("session/session.ts", 'import {\n  Copy,\n} from "../parts/call/Copy.tsx";'),
        ("parts/Acts.tsx", 'const late = import("../screens/tokens/Tokens.tsx");'),
        ("screens/tokens/Tokens.tsx", 'import { text } from "../webhooks/text.ts";'),
        ("screens/tokens/Tokens.tsx", 'export { Frame } from "../../frame/Frame.tsx";'),
        ("frame/Frame.tsx", 'import { Tokens } from "../screens/tokens/Tokens.tsx";'),
    ],
)
def test_the_law_sees_a_breach_of_the_console(path: str, line: str) -> None:
    assert breaches({console_module(path): console_imported(path, line)})


def test_the_console_may_import_what_is_lower() -> None:
    lines = """
        import "./Tokens.css";
        import type { components } from "../../api/schema";
        import { call } from "../../api/calls.ts";
        import { text } from "./text.ts";
        import type { Screen } from "../screen.ts";
    """
    found = set(console_imported("screens/tokens/Tokens.tsx", lines))
    schema, own = {"console.api.schema", "console.api.calls"}, {"console.screens.tokens.text"}
    assert found == schema | own | {"console.screens.screen"}
    assert breaches({"console.screens.tokens.Tokens": found}) == []


def test_a_circle_is_named() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [
        "a -> b -> c -> a",
        "b -> c -> a -> b",
        "c -> a -> b -> c",
    ]
