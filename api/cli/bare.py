"""Values without a field's name, and options in place of fields: `ipam create subnet 10.1.0.0/24 --gateway 10.1.0.1`.

A bare word is taken by its looks, where the object has one field for it. What could mean two things is refused with the
words that are expected.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

import click

from api.cli.names import refuse_broken_mac, spelling
from api.cli.payloads import WORDS as OPTION_WORDS
from ipam_core.model.values import parse_address, parse_mac, parse_network

RANGE = "range"
NEXT = ("next", "free", "auto")
"""Words for the next free address, which the server chooses where a create names none."""

TYPE = re.compile(r"[A-Z][A-Z0-9]{0,9}")
WORD = re.compile(r"[\w.*_-]+")


def paired(told: Sequence[str], own: AbstractSet[str]) -> Iterator[str]:
    """Yield each word as NAME=VALUE. A word that fits no field is left as it is."""
    if {"code", "payload"} <= own:
        yield from paired_option(told)
        return
    given = {spelling(word.partition("=")[0], own) for word in told if "=" in word}
    for word in told:
        field = None if "=" in word[1:] and not word.startswith("http") else field_of(word, own, given)
        if field is not None:
            given.add(field)
        elif "mac" in own:
            refuse_broken_mac(word)
        yield word if field is None else f"{field}={word}"


def paired_option(told: Sequence[str]) -> Iterator[str]:
    """Yield the words of a DHCP option: `dns 10.0.0.5` is its code and its value."""
    fields = iter(("code", "value"))
    for word in told:
        field = None if "=" in word else next(fields, None)
        yield word if field is None else f"{field}={word}"


def field_of(word: str, own: AbstractSet[str], given: AbstractSet[str]) -> str | None:
    """Return the field that a bare word is for, of those not given yet."""
    if word == NEXT[0] and "ip" in own - given:
        return "ip"
    for looks, fields in LOOKS:
        if looks(word):
            return next((each for each in fields if each not in given and fits(each, own)), None)
    return None if is_field(word, own) else next((each for each in NAMES if fits(each, own - given)), None)


def fits(field: str, own: AbstractSet[str]) -> bool:
    return {"start_ip", "end_ip"} <= own if field == RANGE else field in own


def is_field(word: str, own: AbstractSet[str]) -> bool:
    """Return whether the word is the name of a field without its value."""
    return spelling(word, own) in own or not WORD.fullmatch(word)


def parses(parse: Callable[[str], object]) -> Callable[[str], bool]:
    def looks(word: str) -> bool:
        try:
            parse(word)
        except ValueError:
            return False
        return True

    return looks


is_address = parses(parse_address)
is_network = parses(parse_network)


def is_range(word: str) -> bool:
    return ends(word) is not None


LOOKS: tuple[tuple[Callable[[str], bool], tuple[str, ...]], ...] = (
    (lambda word: "://" in word, ("url",)),
    (is_range, (RANGE,)),
    (is_address, ("ip", "data", RANGE, "cidr", "address", "start_ip")),
    (lambda word: "/" in word and is_network(word), ("cidr", RANGE, "prefix", "name")),
    (parses(parse_mac), ("mac",)),
    (lambda word: bool(TYPE.fullmatch(word)), ("type", "name")),
)
"""How words look, with the fields that they may be for, the best first."""

NAMES = ("name", "hostname", "data")


# --- ranges

SHORT = re.compile(r"[0-9]{1,3}")
"""The end of a range that differs in its last octet."""


def ends(text: str) -> tuple[str, str] | None:
    """Return both ends of 10.0.0.10-10.0.0.99 or of 10.0.0.10-99; None for what is no range."""
    start, hyphen, end = (part.strip() for part in text.partition("-"))
    if not hyphen or not is_address(start):
        return None
    if SHORT.fullmatch(end) and "." in start:
        end = f"{start.rpartition('.')[0]}.{end}"
    return (start, end) if is_address(end) else None


def spread(told: Mapping[str, str], own: AbstractSet[str]) -> dict[str, str]:
    """Return the fields with `start_ip` and `end_ip` in place of a range, a network or one address."""
    found = dict(told)
    if not {"start_ip", "end_ip"} <= own:
        return found
    ranges = [name for name in (RANGE, "ip") if name in found and name not in own]
    if ranges and (others := [*ranges[1:], *(name for name in ENDS if name in found)]):
        raise click.UsageError(f"{ranges[0]} is given together with {' and '.join(others)}. Use one of them.")
    for name in ranges:
        found |= zip(ENDS, range_of(found.pop(name)), strict=True)
    return found


ENDS = ("start_ip", "end_ip")
RANGES = "10.0.0.10-10.0.0.99, 10.0.0.10-99, 10.0.0.16/28 or one address"


def range_of(text: str) -> tuple[str, str]:
    """Return both ends of a range, a network or one address. Raises click's usage error for what is none of them."""
    if "/" in text and is_network(text):
        network = parse_network(text)
        return str(network[0]), str(network[-1])
    found = ends(text) or ((text, text) if is_address(text) else None)
    if found is None:
        raise click.UsageError(f"range: {text!r} is no range. Use {RANGES}.")
    return found


# --- options in place of fields


def fields_from_options(
    args: Sequence[str], own: AbstractSet[str], taken: AbstractSet[str], flags: AbstractSet[str]
) -> list[str]:
    """Return the words of a command with `--gateway 10.0.0.1` as `gateway=10.0.0.1`. `taken`: options of the command
    itself; `flags`: fields that are true or false, whose value may be left out."""
    found: list[str] = []
    words = iter(args)
    for word in words:
        option, equals, value = word.partition("=")
        field = spelling(option[2:], own) if option.startswith("--") else ""
        if option in taken or field not in own | {RANGE, *OPTION_WORDS}:
            found.append(word)
        elif equals:
            found.append(f"{field}={value}")
        else:
            following = [*words]
            bare = field in flags and (not following or following[0].startswith("--") or "=" in following[0])
            found.append(f"{field}=yes" if bare else f"{field}={following[0] if following else ''}")
            return [*found, *fields_from_options(following if bare else following[1:], own, taken, flags)]
    return found
