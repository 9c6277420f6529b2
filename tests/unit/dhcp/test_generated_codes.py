"""The codec's constants are the option table's."""

from pathlib import Path

import pytest

from ipam_core.dhcp import generate_codes

CODES = Path(__file__).parents[3] / "dhcp_fast" / "wire" / "codes.pxd"


def test_file_is_fresh() -> None:
    """When this fails: python -m ipam_core.dhcp.generate_codes dhcp_fast/wire/codes.pxd"""
    text = CODES.read_text()
    assert generate_codes.rewritten(text) == text


def test_stale_lines_between_the_marks_are_replaced_and_the_rest_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "codes.pxd"
    file.write_text(f"before\n{generate_codes.BEGIN}stale\n{generate_codes.END}after\n")
    generate_codes.main([str(file)])
    expected = f"before\n{generate_codes.BEGIN}{generate_codes.generated()}{generate_codes.END}after\n"
    assert file.read_text() == expected
    assert "    OPT_DOMAIN_NAME_SERVERS = 6\n" in expected
    assert "    DHCPACK = 5\n" in expected


def test_file_without_marks_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "codes.pxd"
    file.write_text("cdef enum:\n")
    with pytest.raises(ValueError, match="marks"):
        generate_codes.main([str(file)])
    assert file.read_text() == "cdef enum:\n"
