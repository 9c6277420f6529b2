"""Content codings: which one a client prefers, by RFC 9110 section 12.5.3."""

import pytest

from api.http.encodings import preferred


@pytest.mark.parametrize(
    ("accepted", "offered", "expected"),
    [
        ("", ("br", "gzip"), "identity"),
        ("gzip", ("br", "gzip"), "gzip"),
        ("gzip, br", ("br", "gzip"), "br"),
        ("br;q=0.1, gzip;q=0.9", ("br", "gzip"), "gzip"),
        ("br; q=0.1 , GZIP ;q=0.2", ("br", "gzip"), "gzip"),
        ("*", ("br", "gzip"), "br"),
        ("br;q=0, *", ("br", "gzip"), "gzip"),
        ("*;q=0", ("br", "gzip"), "identity"),
        ("gzip;q=0", ("gzip",), "identity"),
        ("X-GZip", ("gzip",), "gzip"),
        ("x-gzip;q=0, *", ("gzip",), "identity"),
        ("identity, gzip;q=0.5", ("gzip",), "identity"),
        ("identity;q=0.5, gzip;q=0.5", ("gzip",), "gzip"),
        ("identity;q=0", ("gzip",), "identity"),
        ("x-compress, deflate, zstd", ("gzip",), "identity"),
        ("gzip;q=many", ("gzip",), "identity"),
        (",, gzip,", ("gzip",), "gzip"),
    ],
)
def test_the_weights_decide(accepted: str, offered: tuple[str, ...], expected: str) -> None:
    assert preferred(accepted, offered) == expected
