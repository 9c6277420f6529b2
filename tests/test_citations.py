"""What comments, docstrings and documents cite is there: engine rules, decisions, the specification, modules.

"rule 9" is a numbered rule of docs/explanation/engine.md, "decisions: Options" a heading of docs/decisions.md,
"specification 1.6" a line of docs/reference/http-interface.md. A module that prose names stands in the repository, and
a package that draws its rooms in its __init__.py leaves none out.
"""

import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

import pytest

from api.generators import __main__ as generators
from ipam_core.dhcp import generate_codes

ROOT = Path(__file__).parents[1]
PROSE = (".md", ".sql", ".toml", ".conf", ".sh", ".service", "Makefile")
CODE = (".py", ".pyx", ".pxd", ".pyi")
PACKAGES = ("api/", "dhcp_fast/", "ipam_core/")
COLLECTION = "api/ansible/"  # Ansible's own layout, a file a module

# What CONTRIBUTING.md adds as an example, and this test plants.
EXAMPLES = {"ipam_core/model/vlan.py", "ipam_core/services/vlans.py"}
# Their modules are a family, a kind or a scenario each, and need no line of their own.
A_FILE_EACH = {
    "api/routes",
    "dhcp_fast/bench/scenarios",
    "ipam_core/dhcp/kinds",
    "ipam_core/model",
    "ipam_core/services",
}

RULES = re.compile(r"\brules? (\d+(?:(?:, | and |, and )\d+)*)", re.I)
DECISIONS = re.compile(r"\b[Dd]ecisions(?:: |, (?=[A-Z]))([^.;)\n]+)")
SPECIFICATION = re.compile(r"\bspecification (\d+(?:\.\d+)?)", re.I)
MODULE = re.compile(r"(?<![\w.*{<])\.?[\w/-]*\w\.(?:pyx|pxd|pyi|py)\b")
COMMENTS = re.compile(r'"""(.*?)"""|#([^\n]*)', re.S)
LINE_BREAK = re.compile(r"\n[ \t]*(?:#|--)?[ \t]*")


def known() -> list[str]:
    """The files that git knows, less those that are being moved away."""
    listing = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"]
    names = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True).stdout.decode()
    return [name for name in names.split("\0") if name and (ROOT / name).exists()]


FILES = known()
TEXTS = {
    name: (ROOT / name).read_text("utf-8")
    for name in FILES
    if name.endswith((*PROSE, *CODE)) and name != "tests/test_citations.py"
}


# --- what there is to cite


def engine_rules(text: str) -> set[str]:
    return set(re.findall(r"^(\d+)\. ", text, re.M))


def headings(text: str) -> set[str]:
    return set(re.findall(r"^## (.+)$", text, re.M))


def specification_lines(text: str) -> set[str]:
    """Its sections, "1", and their numbered lines, "1.6"."""
    found, section = set[str](), ""
    for line in text.splitlines():
        if heading := re.match(r"## (?:(\d+)\.)?", line):
            section = heading[1] or ""
            found.add(section)
        elif (numbered := re.match(r"(\d+)\. ", line)) and section:
            found.add(f"{section}.{numbered[1]}")
    return found


RULE_NUMBERS = engine_rules(TEXTS["docs/explanation/engine.md"])
HEADINGS = headings(TEXTS["docs/decisions.md"])
LINES = specification_lines(TEXTS["docs/reference/http-interface.md"])


# --- what is cited


def numbers(text: str) -> Iterator[str]:
    for found in RULES.finditer(text):
        yield from re.findall(r"\d+", found[1])


def wrong_citations(text: str) -> list[str]:
    """The citations in the text that lead nowhere; lines may break within them."""
    text = LINE_BREAK.sub(" ", text)
    wrong = [f"rule {number}" for number in numbers(text) if number not in RULE_NUMBERS]
    wrong += [cited[0] for cited in DECISIONS.finditer(text) if not is_heading(cited[1])]
    return wrong + [cited[0] for cited in SPECIFICATION.finditer(text) if cited[1] not in LINES]


def is_heading(cited: str) -> bool:
    return any(re.match(rf"{re.escape(title)}(?:[:,\"]|$)", cited) for title in HEADINGS)


def prose(name: str, text: str) -> str:
    """Comments and docstrings of code, the whole of a document."""
    if not name.endswith(CODE):
        return text
    return "\n".join(docstring or comment for docstring, comment in COMMENTS.findall(text))


def endings(files: Iterable[str]) -> set[str]:
    """All by which one may name a module: its file, with as much of its path as one likes."""
    paths = [PurePosixPath(name).parts for name in files if name.endswith(CODE)]
    return {"/".join(parts[start:]) for parts in paths for start in range(len(parts))}


GENERATED = [f"dhcp_fast/{name}" for name in generate_codes.FILES] + [
    str(path) for path in generators.files()
]
NAMES = endings([*FILES, *GENERATED])


def missing_modules(text: str, names: set[str]) -> list[str]:
    named = {found[0].lstrip("/") for found in MODULE.finditer(text)}
    return sorted(named - names - EXAMPLES)


def test_every_citation_leads_somewhere() -> None:
    found = {name: wrong for name, text in TEXTS.items() if (wrong := wrong_citations(text))}
    assert found == {}


def test_every_module_that_prose_names_is_there() -> None:
    found = {
        name: wrong for name, text in TEXTS.items() if (wrong := missing_modules(prose(name, text), NAMES))
    }
    assert found == {}


# --- the maps


def modules() -> dict[str, set[str]]:
    """Of each folder of our packages which modules it holds."""
    found: dict[str, set[str]] = {}
    names = (name for name in FILES if name.startswith(PACKAGES) and not name.startswith(COLLECTION))
    for path in (PurePosixPath(name) for name in names if name.endswith(CODE)):
        found.setdefault(str(path.parent), set()).add(path.stem)
    return found


def left_out(text: str, stems: Iterable[str]) -> list[str]:
    docstring = text.partition('"""')[2].partition('"""')[0]
    return sorted(stem for stem in stems if stem != "__init__" and not re.search(rf"\b{stem}\b", docstring))


@pytest.mark.parametrize("folder", sorted(set(modules()) - A_FILE_EACH))
def test_a_package_names_its_modules(folder: str) -> None:
    assert left_out(TEXTS[f"{folder}/__init__.py"], modules()[folder]) == []


# --- does it see what is wrong?


@pytest.mark.parametrize(
    "text",
    [
        "# as rule 99 wants",
        "(engine rules 8, 99)",
        '"""An address (engine\n    rule 99)."""',
        "# decided long ago (decisions: Reservations of rooms)",
        '"decisions, Subnet fields: which there are"',
        "-- the first token (specification 5.9)",
        "(specification 77)",
    ],
)
def test_a_wrong_citation_is_seen(text: str) -> None:
    assert wrong_citations(text)


@pytest.mark.parametrize(
    "text",
    [
        "# as rule 9 wants",
        "(engine rules 8, 9, 31)",
        "(rules 14 and 23)",
        "(decisions: Options)",
        "(decisions: Which addresses\n    # are given)",
        '"decisions, Unknown bindings: NAK"',
        "by its own decisions, on an engine",
        "(specification 1.6)",
        "specification 5.2",
    ],
)
def test_a_right_citation_is_none(text: str) -> None:
    assert not wrong_citations(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.pyx", '"""What locate.pyx finds."""'),
        ("a.py", "x = 1  # see engine/packet4.pyx"),
        ("a.md", "`dhcp_fast/state/packet4.pyx` reads it"),
    ],
)
def test_a_module_that_is_gone_is_seen(name: str, text: str) -> None:
    assert missing_modules(prose(name, text), endings(["wire/packet4.pyx", "engine/engine.pyx"]))


def test_a_module_that_is_there_or_stands_in_code_is_none() -> None:
    text = 'run("gone.py")  # wire/packet4.pyx has it\n"""And packet4.pyx."""'
    assert not missing_modules(prose("a.py", text), endings(["dhcp_fast/wire/packet4.pyx"]))


def test_a_module_without_a_line_is_seen() -> None:
    assert left_out('"""A room.\n\nfirst.py   one\n"""\nimport second', ["first", "second"]) == ["second"]
