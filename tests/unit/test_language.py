"""What people read is plain technical English: documents, help, settings, the API's document, messages, deploy files.

The rules are in `language.py`: refused words, clauses in place of a subject, British spelling, sentences that are too
long. A text is one place: a file, the help of a command, a setting.
"""

import json
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import click
import language
import prose
import pytest
import yaml

from api.cli import main
from ipam_core import settings_reference

ROOT = Path(__file__).parents[2]
PACKAGES = ("api", "dhcp_fast", "ipam_core")

# Texts that cite the specification, or that only those who change the code read.
LEFT_OUT = {"docs/decisions.md", "docs/reference/http-interface.md"}

# Folders of packages from elsewhere, and of modules that are written from the API's document.
GENERATED = {"node_modules", "modules"}

# Texts still to be rewritten, a name a line; the list only shrinks.
LIST = Path(__file__).with_name("language_pending.txt")
PENDING = set(LIST.read_text().split("\n")) if LIST.exists() else set()


def documents() -> Iterator[Path]:
    others = ("README.md", "SECURITY.md", "CONTRIBUTING.md", "benchmarks/README.md", "tests/README.md")
    yield from (ROOT / name for name in (*others, "api/ansible/README.md", "api/console/README.md"))
    yield from (
        path for path in ROOT.glob("docs/**/*.md") if path.relative_to(ROOT).as_posix() not in LEFT_OUT
    )
    yield from ROOT.glob("deploy/**/*.md")


def sources() -> Iterator[Path]:
    for package in PACKAGES:
        for suffix in ("py", "pyx"):
            paths = (ROOT / package).rglob(f"*.{suffix}")
            yield from (path for path in paths if not GENERATED & {*path.parts})


def deploy_files() -> Iterator[Path]:
    yield from (path for path in (ROOT / "deploy").rglob("*") if path.is_file() and path.suffix != ".md")
    yield ROOT / "Makefile"


def of_document(path: Path) -> Iterator[prose.Sentence]:
    return prose.markdown(path.read_text("utf-8"))


def of_changes() -> Iterator[prose.Sentence]:
    """Return what the next release changes; older entries stay as they were published."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    return prose.markdown(text.partition("## Unreleased")[2].partition("\n## ")[0])


def of_source(path: Path) -> Iterator[prose.Sentence]:
    yield from prose.strings(path.read_text("utf-8"))
    if path.relative_to(ROOT).as_posix() == "ipam_core/errors.py":  # docstrings are the messages
        yield from prose.plain(
            prose.PLACEHOLDER.sub("CODE", text) for text in path.read_text().split('"""')[3::2]
        )


def of_deploy_file(path: Path) -> Iterator[prose.Sentence]:
    text = path.read_text("utf-8")
    if path.suffix == ".json":
        return prose.plain(labels(json.loads(text)))
    if path.name == "ipam.rules.yml":
        return prose.plain(
            [*annotations(text), *(line[2:] for line in text.split("\n") if line.startswith("# "))]
        )
    if path.name == "Makefile":
        return prose.plain([*re.findall(r"## (.*)", text), *re.findall(r'echo "(.*?)"', text)])
    if path.suffix == "" and path.name != "Containerfile":
        return prose.plain([*re.findall(r"^\s*# (.*)", text, re.M), *re.findall(r'echo "(.*?)"', text)])
    return prose.comments(text)


def labels(tree: Any) -> Iterator[str]:
    """Yield titles and descriptions of a dashboard, or of an OpenAPI document."""
    if isinstance(tree, dict):
        yield from (
            tree[key] for key in ("title", "description", "summary") if isinstance(tree.get(key), str)
        )
    if isinstance(tree, dict | list):
        for child in tree.values() if isinstance(tree, dict) else tree:
            yield from labels(child)


def annotations(text: str) -> Iterator[str]:
    for group in yaml.safe_load(text)["groups"]:
        for rule in group["rules"]:
            yield from (re.sub(r"\{\{.*?\}\}", "CODE", value) for value in rule["annotations"].values())


def commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, f"{path} {name}")


def of_command(command: click.Command) -> Iterator[prose.Sentence]:
    """Return a command's own text and that of its options."""
    record = command.to_info_dict(click.Context(command))
    texts = [record["help"] or "", record["epilog"] or ""] + [
        each.get("help") or "" for each in record["params"]
    ]
    return prose.plain(text.replace("\b", "") for text in texts)


def places() -> Iterator[tuple[str, Iterator[prose.Sentence]]]:
    """Yield each place by the name that PENDING has for it."""
    for read, paths in ((of_document, documents()), (of_source, sources()), (of_deploy_file, deploy_files())):
        yield from ((path.relative_to(ROOT).as_posix(), read(path)) for path in sorted(paths))
    yield "CHANGELOG.md", of_changes()
    api = json.loads((ROOT / "docs/openapi.json").read_text())
    described = (
        text for text in labels(api) if text not in api["components"]["schemas"]
    )  # names are no prose
    yield "docs/openapi.json", chain.from_iterable(map(prose.markdown, described))
    for name, _, meaning in settings_reference.fields():
        yield f"setting {name}", prose.plain([meaning])
    for name, command in commands(main, "ipam"):
        yield f"{name} --help", of_command(command)


def found_in(sentences: Iterator[prose.Sentence]) -> list[str]:
    return [
        f"{sentence}\n    {fault}"
        for sentence, heading in dict.fromkeys(sentences)
        for fault in language.faults(sentence, heading=heading)
    ]


REFUSED = (
    "The log says why.",
    "Options stand with the subnet.",
    "A client that declines is told nothing.",
    "Whoever asks is answered.",
    "What is left goes to the next pool.",
    "At most ten connections; who does not read is cut off.",
    "Each pool: those that are full are left out.",
    "The color of a neighbour.",
    "An unauthorised request.",
    "What fields mean: dNS servers.",
    "One " + "and one " * 20,
)
TAKEN = (
    "The log reports the reason.",
    "The standby stands for the primary.",
    "What is a lease?",
    "Clients that stop reading are disconnected.",
    "Use the server whose name is shown.",
    "The neighbor has one license; `licence` is a name of the API.",
    "Read it as you want.",
    "The IP address of iPXE, by mDNS.",
)


@pytest.mark.parametrize("sentence", REFUSED)
def test_a_construction_is_refused(sentence: str) -> None:
    assert found_in(prose.plain([sentence]))


@pytest.mark.parametrize("sentence", TAKEN)
def test_plain_sentences_are_taken(sentence: str) -> None:
    assert not found_in(prose.plain([sentence]))


def test_sentences_are_found_where_people_read_them() -> None:
    """Of a document, a configuration file and a program, and nothing of their code."""
    page = "# What\n\nOne `says` [link](says.md).\n\n```\nit says\n```\n\n| What | b |\n|---|---|\n| says so | x |\n"
    assert ("One CODE link.", False) in set(prose.markdown(page))
    assert {text for text in prose.markdown(page) if found_in(iter([text]))} == {("says so", False)}
    notes = prose.comments("# Who asks\n# is answered.\n#listen = 1\nkey = 2  # a port\n")
    assert [text for text, _ in notes] == ["Who asks is answered.", "a port"]
    program = '"""It says so."""\nraise Wrong(f"{name} says that"\n    " it is full")\nsql = "select a, b from says"\n'
    assert [text for text, _ in prose.strings(program)] == ["CODE says that it is full"]


def test_acronyms_keep_their_capitals_in_every_module() -> None:
    """Also in what nobody but a reader of the code sees: such texts were once made by a program."""
    texts = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in sources()}
    wrong = {name: found for name, text in texts.items() if (found := language.ACRONYM.findall(text))}
    assert wrong == {}


def test_texts_are_plain_english() -> None:
    wrong = {name: found for name, text in places() if (found := found_in(text)) and name not in PENDING}
    assert not wrong, "\n\n".join(f"{name}\n" + "\n".join(found) for name, found in wrong.items())
