"""ISC dhcpd.conf of both families."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.accounting import golden, mutated, plan_or_fault, said, source

from api.importers.faults import SourceError
from api.importers.formats import guess
from api.importers.isc import reader, syntax
from api.importers.isc.syntax import Statement, Word

NAMES = ("isc4", "isc6")


@pytest.mark.parametrize("name", NAMES)
def test_plan(name: str) -> None:
    text = source(f"{name}.conf")
    assert guess(text) == "isc"
    golden(name, reader.read(text))


@pytest.mark.parametrize("name", NAMES)
def test_every_statement_is_read_or_told(name: str) -> None:
    text = source(f"{name}.conf")
    found = reader.read(text).statements
    assert found.read + found.warned == len(list(every(syntax.load(text))))


@pytest.mark.parametrize("name", NAMES)
def test_no_statement_is_without_effect(name: str) -> None:
    """Taking one away makes another plan: other objects, or other warnings."""
    statements = syntax.load(source(f"{name}.conf"))
    whole = said(reader.read(written(statements)))
    without = [
        written([each])
        for each in every(statements)
        if said(reader.read(written(statements, without=each))) == whole
    ]
    assert without == []


def every(statements: list[Statement]) -> Iterator[Statement]:
    for each in statements:
        yield from each.whole()


def written(statements: list[Statement], without: Statement | None = None) -> str:
    found = ""
    for each in statements:
        if each is without:
            continue
        words = " ".join(word_written(word) for word in each.words)
        inside = None if each.block is None else written(each.block, without)
        found += f"{words};\n" if inside is None else f"{words} {{\n{inside}}}\n"
    return found


def word_written(word: Word) -> str:
    return f'"{word.text}"' if word.quoted else word.text


def test_a_host_goes_to_the_subnet_of_its_address_wherever_it_stands() -> None:
    plan = reader.read(
        """subnet 192.0.2.0 netmask 255.255.255.0 {
          host far { hardware ethernet 2:0:0:0:0:1; fixed-address 198.51.100.9; } }
        subnet 198.51.100.0 netmask 255.255.255.0 { }"""
    )
    (host,) = (each for each in plan.objects if each.family == "reservations")
    (subnet,) = (each for each in plan.objects if each.ref == host.inside)
    assert subnet.fields["cidr"] == "198.51.100.0/24"


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (
            "subnet 192.0.2.0 netmask 255.255.255.0 {\n option routers 192.0.2.1\n}",
            3,
            "; is missing behind 192.0.2.1",
        ),
        ("group {\n", 1, "lacks a }"),
        ("a;\n}", 2, "} closes nothing"),
        ("{ }", 1, "{ is not the beginning of a statement"),
        ('filename "open;\n', 1, "does not end in its line"),
        ("a {" * 10_000, 1, "deeper than 32"),
        ("option x code 1 = { integer 8", 1, "lacks a }"),
    ],
)
def test_a_file_that_is_none_names_line_and_reason(text: str, line: int, reason: str) -> None:
    with pytest.raises(SourceError) as caught:
        reader.read(text)
    assert caught.value.line == line
    assert reason in caught.value.reason


FRAGMENTS = st.sampled_from(
    [
        "",
        "{",
        "}",
        ";",
        ",",
        '"',
        "(",
        ")",
        "=",
        "option ",
        "range ",
        "host x {",
        "subnet ",
        "192.0.2.0",
        "::",
        "/",
        "999999999999",
    ]
)
CUTS = st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 12), FRAGMENTS), min_size=1, max_size=4)


@settings(max_examples=300, deadline=None)
@given(CUTS, st.sampled_from(NAMES))
def test_no_input_crashes(cuts: list[tuple[int, int, str]], name: str) -> None:
    plan_or_fault(reader.read, mutated(source(f"{name}.conf"), iter(cuts)))


TEXTS = [source(f"{name}.conf") for name in NAMES]
WORDS = sorted({word.text for text in TEXTS for each in every(syntax.load(text)) for word in each.words})


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_statement_crashes(data: st.DataObject) -> None:
    """A word in the place of another, or none at all."""
    statements = syntax.load(data.draw(st.sampled_from(TEXTS)))
    found = data.draw(st.sampled_from(list(every(statements))))
    at = data.draw(st.integers(0, len(found.words) - 1))
    put = data.draw(st.sampled_from(["", *WORDS]))
    words = [*found.words[:at], *([Word(put, False, 1)] if put else []), *found.words[at + 1 :]]
    found.words = words or [Word("x", False, 1)]
    plan_or_fault(reader.read, written(statements))


@pytest.mark.parametrize(
    ("said", "duid"),
    [
        ("LLT ethernet 708529245 02:00:0:00:00:1", "00:01:00:01:2a:3b:4c:5d:02:00:00:00:00:01"),
        ("ll fddi 02:01", "00:03:00:08:02:01"),
        ('EN 2495 "ab"', "00:02:00:00:09:bf:61:62"),
        (r'EN 9 "\207e\\\"!"', "00:02:00:00:00:09:87:65:5c:22:21"),
        (r'EN 9 "\x87"', None),
        ('EN 9 "ä"', None),
        ('EN 9 ""', None),
        ("EN 9 87:65:43:21", None),
        ("LLT", None),
        ("", None),
        ("LL ethernet", None),
        ("LL fddi ", None),
        ("LL arcnet 02:01", None),
        ("LL ethernet 02:01 03", None),
        ("LLT ethernet 4294967296 02:01", None),
        ("LLT ethernet soon 02:01", None),
        ("EN -1 02:01", None),
        ("UUID 02:01", None),
        ("LL ethernet no:hex", None),
    ],
)
def test_the_duid_of_the_server_is_told(said: str, duid: str | None) -> None:
    """What dhcpd made of it by itself stands among its leases."""
    [warning] = reader.read(f"server-duid {said};").warnings
    assert (warning.what, warning.reason) == ("server-duid", "manual")
    assert f"ipam server-duid set {duid or 'DUID'}" in warning.why
    assert ("dhcpd6.leases" in warning.why) == (duid is None)
