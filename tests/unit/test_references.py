"""docs/reference/cli.md and events.md list every command and event as the code has them."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from api.cli import installed, main, manual, reference
from api.write_documents import references
from ipam_core.model.event import LEASES, OBJECTS, SYSTEM
from ipam_core.model.event_texts import TEXTS
from ipam_core.model.families import FAMILIES

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", ["reference/cli.md", "reference/events.md"])
def test_the_pages_are_fresh(name: str) -> None:
    """After a change: python -m api.write_documents docs/"""
    assert (DOCS / name).read_bytes() == references()[name]


def test_each_command_is_in_one_group() -> None:
    grouped = " ".join(reference.GROUPS.values()).split()
    assert len(grouped) == len(set(grouped))
    assert set(grouped) | set(FAMILIES) == set(installed())


def test_each_option_of_each_command_has_a_row() -> None:
    page = reference.text()
    root = click.Context(main, info_name="ipam")
    for name in " ".join(reference.GROUPS.values()).split():
        command = reference.command_of(root, name)
        below = page.partition(f"\n### ipam {name}\n")[2].partition("\n### ")[0]
        assert below, name
        for option, _ in reference.records(command):
            assert (
                f"| `{option}` |".replace("|", "\\|").replace("\\| `", "| `").replace("` \\|", "` |") in below
            )


def test_each_event_has_a_text_and_an_example_of_all_fields() -> None:
    assert TEXTS.keys() == SYSTEM
    for type_, (_, fields, example) in TEXTS.items():
        assert example.keys() - fields.keys() == set(), type_
        assert fields.keys() - example.keys() <= {"subnet_id"}, type_


def test_the_page_names_each_type() -> None:
    page = (DOCS / "reference/events.md").read_text()
    kinds = {type_.partition(".")[0] for type_ in OBJECTS}
    assert set(re.findall(r"`(lease\.\w+)`", page)) == LEASES
    assert set(re.findall(r"^### (\S+)$", page, re.MULTILINE)) == SYSTEM
    assert all(f"`{kind}`" in page for kind in kinds)


def test_each_command_has_a_manual_page(tmp_path: Path) -> None:
    """Written as the packages do; ipam(1) leads to all of them."""
    subprocess.run([sys.executable, "-m", "api.write_man", str(tmp_path)], check=True)
    written = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert written.keys() == {"ipam.1", *(f"ipam-{name}.1" for name in installed())}
    for name in installed():
        assert f".B ipam {name}\n".replace("-", "\\-") in written["ipam.1"]
    subnets = written["ipam-subnets.1"]
    for words in ("ipam subnets create", ".B \\-\\-vlan\\-id NUMBER", ".B lease_time_seconds", "EXIT STATUS"):
        assert words in subnets


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_manual_pages_are_sound_roff() -> None:
    for page in manual.pages().values():
        found = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True, text=True, check=True
        )
        assert found.stderr == ""
