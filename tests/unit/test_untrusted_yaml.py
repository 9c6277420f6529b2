"""YAML that others wrote ends at its limits, with a line, before anything of it is built."""

import time

import pytest

from ipam_core import untrusted_yaml
from ipam_core.untrusted_yaml import DEEPEST, Entry, YamlError, load


def laughing(levels: int, times: int = 9) -> str:
    """Each line repeats the one before it so many times."""
    lines = ["a0: &a0 {x: y}"]
    for level in range(1, levels + 1):
        members = ", ".join(f"x{n}: *a{level - 1}" for n in range(times))
        lines.append(f"a{level}: &a{level} {{{members}}}")
    return "\n".join(lines)


def nested(depth: int) -> str:
    return "a: " + "[" * depth + "]" * depth


BLOCKS = "\n".join("  " * n + "- a:" for n in range(3000))
HOSTILE = {
    "deep list": ("prefixes: " + "[" * 100_000, 1, f"is nested deeper than {DEEPEST} levels"),
    "deep mapping": ("a: " + "{b: " * 100_000, 1, f"is nested deeper than {DEEPEST} levels"),
    "deep blocks": (BLOCKS, 33, f"is nested deeper than {DEEPEST} levels"),
    "deep dashes": ("a:\n" + "- " * 100_000, 2, f"is nested deeper than {DEEPEST} levels"),
    "deep keys": ("? " * 100_000, 1, f"is nested deeper than {DEEPEST} levels"),
    "aliases that double": (laughing(20, 2), 15, "*a13: aliases repeat"),
    "aliases in lists": ("a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\nd: " + "[*c]" * 2, 4, ""),
    "nine by nine": (laughing(9), 6, "*a4: aliases repeat"),
    "one large list many times": (
        f"a: &a [{', '.join('x' * 1000)}]\n" + "\n".join(f"b{n}: *a" for n in range(200)),
        101,
        "*a: aliases repeat 100100 values, and 100000 is the limit",
    ),
    "merges": (
        "\n".join(
            [
                "a0: &a0 {x: y}",
                *(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 9)),
            ]
        ),
        6,
        "*a4",
    ),
    "alias in itself": ("a: &a\n  b: *a\n", 2, "*a is inside the value that it repeats"),
    "deep aliases": (
        "a0: &a0 [x]\n" + "\n".join(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 100)),
        64,
        f"is nested deeper than {DEEPEST} levels",
    ),
    "unknown alias": ("a: 1\nb: *c\n", 2, "undefined alias"),
    "tag": ("a: 1\nb: !!python/object/apply:os.system ['true']\n", 2, "tags are not taken"),
    "tag of a text": ("a: !!binary aGVsbG8=\n", 1, "tags are not taken"),
    "twice": ("a: 1\nb: {c: 1, c: 2}\n", 2, "c is there twice"),
    "twice, by another spelling": ('"a": 1\na: 2\n', 2, "a is there twice"),
    "key that is a list": ("? [a]\n: b\n", 1, "must be a name"),
    "two documents": ("a: 1\n---\nb: 2\n", 2, "another document"),
    "control characters": ("a: \x01\n", 1, ""),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_documents_end_with_a_line(name: str) -> None:
    text, line, reason = HOSTILE[name]
    began = time.process_time()
    with pytest.raises(YamlError) as refused:
        load(text)
    assert time.process_time() - began < 1
    assert refused.value.line == line
    assert reason in refused.value.reason


def test_a_document_has_a_limit_of_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(untrusted_yaml, "MOST_NODES", 1000)
    assert len(load("- a\n" * 999)) == 999
    with pytest.raises(YamlError, match="line 1000: this is value 1001, and 1000 is the limit"):
        load("- a\n" * 1001)
    monkeypatch.setattr(untrusted_yaml, "MOST_OCTETS", 100)
    with pytest.raises(YamlError, match="is larger than 0 MiB"):
        load("#" * 101)


def test_depth_is_the_limit_and_one_more_is_not() -> None:
    assert load(nested(DEEPEST - 1))
    with pytest.raises(YamlError):
        load(nested(DEEPEST + 1))


def test_what_people_write_is_taken() -> None:
    found = load(
        "base: &b {ttl: 60}\nzone: {<<: *b, name: x}\nmac: 52:54:00:12:34:56\nday: 2026-01-31\nbig: "
        + "9" * 50
    )
    assert isinstance(found, Entry)
    assert found["zone"] == {"ttl": 60, "name": "x"}
    assert (found["mac"], found["day"], found["big"]) == ("52:54:00:12:34:56", "2026-01-31", "9" * 50)
    assert found.lines == {"base": 1, "zone": 2, "mac": 3, "day": 4, "big": 5}


@pytest.mark.parametrize(
    "text", ["a: 0x" + "f" * 100_000, "a: " + "9" * 1_000_000, "a: 0b2", "a: 1e99999", "a: 0o9"]
)
def test_numbers_take_no_time(text: str) -> None:
    began = time.process_time()
    load(text)
    assert time.process_time() - began < 0.5
