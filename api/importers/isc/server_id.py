"""The DUID under which dhcpd answers: the statement `server-duid` (dhcpd.conf(5))."""

import re

from api.importers import server_duid
from api.importers.isc.syntax import Statement, Word
from api.importers.leases.isc import quoted
from api.importers.leases.lease import octets
from ipam_core.dhcp.server_duid import EN, LL, LLT

STATEMENT = "server-duid"
TYPES = {"llt": LLT, "en": EN, "ll": LL}
HARDWARE = {"ethernet": 1, "token-ring": 6, "fddi": 8}
TEXT = re.compile(r'(?:[ -\[\]-~]|\\[0-7]{3}|\\["\\])++')
"""Octets, those that are no plain characters as octal numbers."""
PLACE = "dhcpd6.leases (server-duid)"


def advice(statement: Statement) -> str:
    """Return what keeps the DUID."""
    return server_duid.advice(duid_of(statement), PLACE)


def duid_of(statement: Statement) -> bytes | None:
    """Return the DUID; None where dhcpd has made a part of it by itself, or it cannot be read."""
    words = [each.text for each in statement.words[2:]]
    kind = TYPES.get(statement.word(1).lower(), 0)
    try:
        numbers = {"enterprise": int(words[0])} if kind == EN else {"hardware": HARDWARE[words[0].lower()]}
        if kind == LLT:
            numbers["time"] = int(words[1])
        is_whole = len(words) == len(numbers) + 1
        identifier = text_of(statement.words[-1]) if kind == EN else octets(padded(words[-1]))
        return server_duid.put_together(kind, identifier, **numbers) if is_whole else None
    except (KeyError, IndexError, ValueError, OverflowError):
        return None


def text_of(word: Word) -> bytes:
    """Return the octets of a text. Raises ValueError for anything else, and for escapes that are not octal."""
    if not TEXT.fullmatch(word.escaped):
        raise ValueError(word.text)
    return quoted(f'"{word.escaped}"')


def padded(text: str) -> str:
    """Return octets with two digits each; dhcpd takes one too."""
    return ":".join(each.zfill(2) for each in text.split(":"))
