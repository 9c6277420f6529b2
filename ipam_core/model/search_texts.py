"""Texts as the search compares them, and the trigrams that lead to them (decisions: Search).

A text is folded: compatible characters become one (NFKC) and cases are one, in every script. Each three neighbouring
characters of it are a trigram, which stands in the database as a number. Two marks stand before each text, so that one
or two characters find those that begin with them.
"""

import re
import unicodedata
import zlib
from collections.abc import Iterable
from functools import lru_cache

import msgspec

SHORTEST = 3  # characters of a part that is found anywhere in a text
LONGEST = 1024  # characters of a text that can be found
MAC_DIGITS = 12
HALF = 2**31
BEGIN = "\x02"

# A part of a MAC: digits alone, octets with colons or hyphens, groups of four with dots, two halves.
PART_OF_MAC = re.compile(
    r"[0-9a-f]{3,12}"
    r"|[:-]?[0-9a-f]{0,2}(?:(?P<mark>[:-])[0-9a-f]{2})*[:-][0-9a-f]{0,2}"
    r"|\.?[0-9a-f]{0,4}(?:\.[0-9a-f]{4})*\.[0-9a-f]{0,4}"
    r"|[0-9a-f]{1,6}-[0-9a-f]{1,6}"
)
NUMBERS_AND_DOTS = re.compile(r"[0-9.]+")


class Question(msgspec.Struct, frozen=True):
    """Search in stored texts: the folded text, and the digits of a MAC; None: cannot be meant."""

    text: str | None
    grams: list[int]
    digits: str | None
    digit_grams: list[int]


def question(text: str) -> Question:
    """Return what the text asks for: one of three characters or more anywhere, a shorter one at the beginning."""
    folded = fold(text.strip())
    wanted = BEGIN * (SHORTEST - len(folded)) + folded if folded else None
    digits = digits_of(folded)
    return Question(wanted, grams([wanted or ""]), digits, grams([digits or ""]))


def findable(text: str | None) -> str:
    """Return the text of a field as it is stored to be found; empty: there is nothing to find."""
    return BEGIN * (SHORTEST - 1) + fold(text) if text else ""


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """Return the text as it is compared."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())[:LONGEST]


def digits_of(folded: str) -> str | None:
    """Return the digits if the text can be a part of a MAC, at least three; 10.1 is the beginning of an address."""
    if not PART_OF_MAC.fullmatch(folded) or (
        "." in folded and NUMBERS_AND_DOTS.fullmatch(folded) and len(folded) < 9
    ):
        return None
    digits = re.sub("[^0-9a-f]", "", folded)
    return digits if SHORTEST <= len(digits) <= MAC_DIGITS else None


def grams(texts: Iterable[str]) -> list[int]:
    """Return the numbers of all trigrams of folded texts."""
    return [gram_no(each) for each in {text[at : at + 3] for text in texts for at in range(len(text) - 2)}]


@lru_cache(maxsize=65536)
def gram_no(gram: str) -> int:
    """Return a number from -2**31 to 2**31 - 1. Two trigrams may have one: what is found is compared as text."""
    return zlib.crc32(gram.encode("utf-8", "surrogatepass")) - HALF
