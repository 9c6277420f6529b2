"""Files as people have them: with marks of byte order, from Windows, from an old editor."""

from pathlib import Path

import pytest

from api.importers import text
from api.importers.faults import SourceError

SOURCE = "subnet Zürich {\n}\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_encodings_and_line_endings(tmp_path: Path, encoding: str, ending: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(SOURCE.replace("\n", ending).encode(encoding))
    assert text.text_of(path) == SOURCE


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"\xff\xfea\0b", "is not in utf-16"), (b"a\nb\0", "NUL character"), (b"\xef\xbb\xbf\xff", "utf-8")],
)
def test_what_is_no_text(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(SourceError, match=reason):
        text.text_of(path)
