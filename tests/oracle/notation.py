"""Octets written so that a person can check them against an RFC.

01 01 0600      hex, spaces where they help
'MSFT 5.0'      ASCII text
00*192          one octet so many times
# to the end of the line: a remark
"""

from __future__ import annotations

import re

TOKEN = re.compile(
    r"'(?P<text>[^']*)'|(?P<octet>[0-9a-fA-F]{2})\*(?P<times>\d+)|(?P<hex>[0-9a-fA-F]+)|(?P<odd>\S)"
)


def octets(written: str) -> bytes:
    text = re.sub(r"#[^\n]*", "", written)
    return b"".join(_token(found) for found in TOKEN.finditer(text))


def _token(found: re.Match[str]) -> bytes:
    if found["odd"]:
        raise ValueError(f"not octets: {found['odd']!r} at {found.start()}")
    if found["text"] is not None:
        return found["text"].encode("ascii")
    if found["octet"]:
        return bytes.fromhex(found["octet"]) * int(found["times"])
    return bytes.fromhex(found["hex"])
