"""Statements of dhcpd.conf, and its constants."""

from collections.abc import Iterable

INDENT = "  "


def quoted(octets: bytes) -> str:
    """Return text; what is no plain character as an octal number behind a backslash."""
    return '"' + "".join(map(character, octets)) + '"'


def character(octet: int) -> str:
    plain = 32 <= octet < 127 and octet not in b'"\\'
    return chr(octet) if plain else f"\\{octet:03o}"


def constant(octets: bytes) -> str:
    """Return text where it can be read, else octets; a single octet in hexadecimal would be a number."""
    if len(octets) < 2 or (octets.isascii() and octets.decode("ascii").isprintable()):
        return quoted(octets)
    return octets.hex(":")


def block(head: str, lines: Iterable[str]) -> list[str]:
    return [f"{head} {{", *(INDENT + each for each in lines), "}"]
