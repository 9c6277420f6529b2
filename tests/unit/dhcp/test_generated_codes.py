"""The constants of the codec and the engine are the tables' own."""

import os
import re
from pathlib import Path

import pytest

from ipam_core.dhcp import generate_codes, reasons

PACKAGE = Path(__file__).parents[3] / "dhcp_fast"


@pytest.mark.parametrize("name", generate_codes.FILES)
def test_file_is_fresh(name: str) -> None:
    """If this fails: make setup"""
    assert (PACKAGE / name).read_text() == generate_codes.text(name, generate_codes.words(PACKAGE))


def test_only_files_that_are_not_current_are_written(tmp_path: Path) -> None:
    for name in generate_codes.FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / "wire/user.pyx").write_text("x = OPT_DOMAIN_NAME_SERVERS + OPT6_IA_PD\n")
    generate_codes.main([str(tmp_path)])
    assert "OPT_ROUTERS" not in (tmp_path / "wire/codes.pxd").read_text()
    assert "    OPT_DOMAIN_NAME_SERVERS = 6\n" in (tmp_path / "wire/codes.pxd").read_text()
    assert "    DHCPACK = 5\n" in (tmp_path / "wire/codes.pxd").read_text()
    assert "    OPT6_IA_PD = 25\n" in (tmp_path / "wire/codes6.pxd").read_text()
    assert "    MSG6_RELAY_FORW = 12\n" in (tmp_path / "wire/codes6.pxd").read_text()
    assert "    STATUS6_NOBINDING = 3\n" in (tmp_path / "wire/codes6.pxd").read_text()
    assert "    REASON_STALE = 32\n" in (tmp_path / "state/reasons.pxd").read_text()
    for name in generate_codes.FILES:
        os.utime(tmp_path / name, (1, 1))
    (tmp_path / "wire/faults.pxd").write_text("stale\n")
    os.utime(tmp_path / "wire/faults.pxd", (1, 1))
    generate_codes.main([str(tmp_path)])
    written = {name for name in generate_codes.FILES if (tmp_path / name).stat().st_mtime > 1}
    assert written == {"wire/faults.pxd"}
    assert (tmp_path / "wire/faults.pxd").read_text() == generate_codes.text("wire/faults.pxd", set())


@pytest.mark.parametrize(
    ("table", "file", "constant"),
    [
        ("DROPS", "state/reasons.pxd", "    REASON_BRAND_NEW = "),
        ("NOTICES", "state/reasons.pxd", "    NOTICE_BRAND_NEW = "),
    ],
)
def test_a_new_reason_leaves_the_time_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str, file: str, constant: str
) -> None:
    """Nothing that was compiled is stale then: modules that use the new constant have been edited since."""
    (tmp_path / "state").mkdir()
    (tmp_path / "wire").mkdir()
    generate_codes.write(tmp_path)
    os.utime(tmp_path / file, (1, 1))
    before = (tmp_path / file).read_text()
    monkeypatch.setattr(reasons, table, getattr(reasons, table) | {"brand_new": "never seen"})
    generate_codes.write(tmp_path)
    after = (tmp_path / file).read_text()
    assert constant in after
    assert [line for line in after.splitlines() if "BRAND_NEW" not in line] == before.splitlines()
    assert (tmp_path / file).stat().st_mtime == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "cdef enum A:\n    A_X = 1"),
        ("cdef enum A:\n    A_X = 1\n    A_Y = 2", "cdef enum A:\n    A_X = 1"),
        ("cdef enum A:\n    A_X = 1", "cdef enum A:\n    A_X = 2"),
        ("cdef enum A:\n    A_X = 1", "cdef enum A:\n    A_W = 1\n    A_X = 2"),
        ("cdef enum A:\n    A_X = 1", "cdef enum A:\n    A_X = 1\ncdef enum B:"),
        ("cdef enum A:\n    A_X = 1\n    A_Y = 2", "cdef enum A:\n    A_Y = 2\n    A_X = 1"),
    ],
)
def test_any_other_change_compiles_what_uses_the_file(before: str, after: str) -> None:
    assert not generate_codes.gains_constants_only(before, after)


def test_names_have_the_numbers_of_the_constants() -> None:
    numbers = dict(
        re.findall(r"^    REASON_(\w+) = (\d+)$", (PACKAGE / "state/reasons.pxd").read_text(), re.M)
    )
    names = {name.upper(): number for number, name in enumerate(reasons.REASON_NAMES)}
    assert {name: int(numbers[name]) for name in map(str.upper, reasons.DROPS)} == {
        name: names[name] for name in map(str.upper, reasons.DROPS)
    }
    assert reasons.REASON_NAMES[int(numbers["FAULT6"]) + 1] == next(iter(reasons.FAULTS6))
    assert reasons.REASON_NAMES[1] == next(iter(reasons.FAULTS4))


def test_a_name_means_one_thing() -> None:
    for faults in (reasons.FAULTS4, reasons.FAULTS6):
        names = [*faults, *reasons.DROPS, *reasons.NOTICES]
        assert len(names) == len(set(names))


def test_every_reason_is_given_by_some_decision() -> None:
    """A line of the tables that nothing refers to would be a promise that /metrics does not keep."""
    generated = {PACKAGE / name for name in generate_codes.FILES}
    sources = {path for end in ("pyx", "pxd") for path in PACKAGE.rglob(f"*.{end}")} - generated
    said = {word for path in sources for word in re.findall(r"\b[A-Z0-9_]+\b", path.read_text())}
    tables = {
        "FAULT": reasons.FAULTS4,
        "FAULT6": reasons.FAULTS6,
        "REASON": reasons.DROPS,
        "NOTICE": reasons.NOTICES,
    }
    assert {f"{kind}_{name.upper()}" for kind, table in tables.items() for name in table} <= said
