"""What the conditions of other servers share on their way to `match` of a client class."""

from typing import Any

Tree = dict[str, Any]


class CannotSay(Exception):
    """The tree has no words for it."""


def length_of(value: str) -> int:
    """In octets; numbers in hexadecimal begin with 0x."""
    return (len(value) - 2) // 2 if value.startswith("0x") else len(value.encode())
