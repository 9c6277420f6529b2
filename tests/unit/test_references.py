"""docs/reference/cli.md and events.md list every command and event as the code has them."""

import re
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from api.cli import installed, main, reference
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


def test_the_manual_page_is_sound_roff(tmp_path: Path) -> None:
    page = reference.manual()
    assert '.SS "ipam backup"' in page
    if shutil.which("groff"):
        found = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True, text=True, check=True
        )
        assert found.stderr == ""
        assert "hostname" in re.sub(r".\x08", "", found.stdout)  # letters are overstruck
