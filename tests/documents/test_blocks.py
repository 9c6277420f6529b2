"""Every shell and Python block of every page runs as it is written, in order, on a fresh machine for each page.

A block that cannot run carries a mark with the reason; the number of marks is kept here, so that each new one is
noticed.
"""

import shutil
from pathlib import Path

import pytest
from documents import blocks
from documents.machine import machine
from system.namespaces import Network

PAGES = blocks.pages()
RUNNING = [
    page
    for page in PAGES
    if "in" not in blocks.marks_of(page.read_text()) and blocks.to_run(page.read_text())
]
ELSEWHERE = [page for page in PAGES if "in" in blocks.marks_of(page.read_text())]
MOST_NOT_RUN = 32


@pytest.mark.long
@pytest.mark.peer("namespaces")
@pytest.mark.peer("dig")
@pytest.mark.parametrize("page", RUNNING, ids=blocks.name_of)
def test_the_blocks_of_a_page_run(page: Path, network: Network, database: str, tmp_path: Path) -> None:
    text = page.read_text()
    with machine(network, database, tmp_path, demo=blocks.marks_of(text).get("on") == "demo") as made:
        for name, path in blocks.given(text).items():
            shutil.copyfile(path, made.folder / name)
        made.follow(blocks.to_run(text))


@pytest.mark.parametrize("page", ELSEWHERE, ids=blocks.name_of)
def test_a_page_that_another_test_runs_is_named_there(page: Path) -> None:
    test = blocks.ROOT / blocks.marks_of(page.read_text())["in"]
    assert page.name in test.read_text()


@pytest.mark.parametrize("page", PAGES, ids=blocks.name_of)
def test_commands_are_fenced(page: Path) -> None:
    """Only fenced blocks are run, so an indented one would be a promise that nobody checks."""
    assert list(blocks.unfenced(page.read_text())) == []


def test_blocks_that_are_not_run_are_few_and_give_a_reason() -> None:
    found = [
        (blocks.name_of(page), block.line, block.told)
        for page in blocks.pages()
        for block in blocks.blocks_of(page.read_text())
        if block.mark == "not run" and block.kind in blocks.RUN
    ]
    assert all(len(reason.split()) > 2 for *_, reason in found), found
    assert len(found) <= MOST_NOT_RUN, found
