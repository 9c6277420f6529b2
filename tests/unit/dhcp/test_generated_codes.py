"""The constants of the codec and the engine are the tables' own."""

import re
from pathlib import Path

import pytest

from ipam_core.dhcp import generate_codes, reasons

PACKAGE = Path(__file__).parents[3] / "dhcp_fast"


@pytest.mark.parametrize("name", generate_codes.FILES)
def test_file_is_fresh(name: str) -> None:
    """When this fails: python -m ipam_core.dhcp.generate_codes dhcp_fast"""
    text = (PACKAGE / name).read_text()
    assert generate_codes.rewritten(text, generate_codes.FILES[name]()) == text


def test_stale_lines_between_the_marks_are_replaced_and_the_rest_is_kept(tmp_path: Path) -> None:
    for name in generate_codes.FILES:
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"before\n{generate_codes.BEGIN}stale\n{generate_codes.END}after\n")
    generate_codes.main([str(tmp_path)])
    for name, generate in generate_codes.FILES.items():
        expected = "".join(f"{line}\n" for line in generate())
        text = (tmp_path / name).read_text()
        assert text == f"before\n{generate_codes.BEGIN}{expected}{generate_codes.END}after\n"
    assert "    OPT_DOMAIN_NAME_SERVERS = 6\n" in (tmp_path / "wire/codes.pxd").read_text()
    assert "    DHCPACK = 5\n" in (tmp_path / "wire/codes.pxd").read_text()
    assert "    OPT6_IA_PD = 25\n" in (tmp_path / "wire/codes6.pxd").read_text()
    assert "    MSG6_RELAY_FORW = 12\n" in (tmp_path / "wire/codes6.pxd").read_text()
    assert "    STATUS6_NOBINDING = 3\n" in (tmp_path / "wire/codes6.pxd").read_text()
    assert "    REASON_STALE = FAULT_COUNT\n" in (tmp_path / "state/reasons.pxd").read_text()


def test_text_without_marks_is_left_alone() -> None:
    with pytest.raises(ValueError, match="marks"):
        generate_codes.rewritten("cdef enum:\n", generate_codes.codes())


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
