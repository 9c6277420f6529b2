"""config.xml of pfSense and OPNsense."""

from typing import Any
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.accounting import golden, mutated, plan_or_fault, said, source

from api.importers import xml_source
from api.importers.faults import SourceError
from api.importers.firewall import reader
from api.importers.formats import guess
from api.importers.xml_source import Element

NAMES = ("pfsense", "opnsense")
SECTIONS = ("dhcpd", "dhcpdv6", "Kea", "dnsmasq")


@pytest.mark.parametrize("name", NAMES)
def test_plan(name: str) -> None:
    text = source(f"{name}.xml")
    assert guess(text) == "firewall"
    golden(name, reader.read(text))


def sections(name: str, document: Element) -> list[Element]:
    root = document.element(name)
    kea = root.element("OPNsense").element("Kea")
    found = [root.element(each) for each in ("dhcpd", "dhcpdv6", "dnsmasq")]
    return [*found, kea.element("dhcp4"), kea.element("dhcp6")]


@pytest.mark.parametrize("name", NAMES)
def test_every_element_is_read_or_told(name: str) -> None:
    text = source(f"{name}.xml")
    found = reader.read(text).statements
    assert found.read + found.warned == sum(
        each.statements() for each in sections(name, xml_source.load(text))
    )


NO_NEWS = {"type", "match-client-id", "enabled"}
"""Elements that say what would be so without them, or that a warning tells with all around them."""


@pytest.mark.parametrize("name", NAMES)
def test_no_element_is_without_effect(name: str) -> None:
    document = xml_source.load(source(f"{name}.xml"))
    whole = said(reader.read(written(name, document)))
    holders = [each for section in sections(name, document) for each in below(section)]
    without = []
    for holder in holders:
        for key in [each for each, value in holder.items() if isinstance(value, str)]:
            value = holder.pop(key)
            if said(reader.read(written(name, document))) == whole:
                without.append(f"{key} {value}")
            holder[key] = value
    assert [each for each in without if each.split()[0] not in NO_NEWS] == []


def below(element: Element) -> list[Element]:
    found = [element]
    for value in element.values():
        for each in value if isinstance(value, list) else [value]:
            found += below(each) if isinstance(each, Element) else []
    return found


def written(name: str, element: Any) -> str:
    if not isinstance(element, Element):
        return escape(str(element))
    found = "".join(f"<{each}/>" for each in sorted(element.flags))
    for key, value in element.items():
        for each in value if isinstance(value, list) else [value]:
            attributes = getattr(each, "attributes", {})
            marks = "".join(f" {key}={quoteattr(text)}" for key, text in attributes.items())
            found += f"<{key}{marks}>{written(name, each)}</{key}>"
    return found


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("<pfsense>\n<dhcpd>", 2, "is no XML"),
        ("<x/>", 1, "its root is neither pfsense nor opnsense"),
        ('<!DOCTYPE x [<!ENTITY a "b">]>\n<pfsense/>', 1, "document type"),
        ("<a>" * 100, 1, "deeper than 64"),
    ],
)
def test_a_file_that_is_none_names_line_and_reason(text: str, line: int, reason: str) -> None:
    with pytest.raises(SourceError) as caught:
        reader.read(text)
    assert caught.value.line == line
    assert reason in caught.value.reason


TEXTS = [source(f"{name}.xml") for name in NAMES]
VALUES = st.sampled_from(["", "0", "x", "::", "192.0.2.0", "192.0.2.0/24", "9" * 5000, "1,2", "a - b"])


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_value_crashes(data: st.DataObject) -> None:
    """A value in the place of another."""
    name = data.draw(st.sampled_from(NAMES))
    document = xml_source.load(source(f"{name}.xml"))
    holders = [each for each in below(document) if any(isinstance(value, str) for value in each.values())]
    holder = data.draw(st.sampled_from(holders))
    key = data.draw(st.sampled_from([each for each, value in holder.items() if isinstance(value, str)]))
    holder[key] = data.draw(VALUES)
    plan_or_fault(reader.read, written(name, document))


FRAGMENTS = st.sampled_from(["", "<", ">", "</", "<a>", "&amp;", "&", "<!--", "<dhcpd>", "x"])
CUTS = st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 12), FRAGMENTS), min_size=1, max_size=3)


@settings(max_examples=100, deadline=None)
@given(CUTS, st.sampled_from(TEXTS))
def test_no_input_crashes(cuts: list[tuple[int, int, str]], text: str) -> None:
    plan_or_fault(reader.read, mutated(text, iter(cuts)))


@pytest.mark.parametrize("flag", ["", "<ignoreclientuids/>", "<ignoreuids>1</ignoreuids>"])
def test_client_ids_count_unless_they_are_ignored(flag: str) -> None:
    interface = "<interfaces><lan><ipaddr>192.0.2.1</ipaddr><subnet>24</subnet></lan></interfaces>"
    plan = reader.read(f"<pfsense>{interface}<dhcpd><lan><enable/>{flag}</lan></dhcpd></pfsense>")
    (subnet,) = (each.fields for each in plan.objects if each.family == "subnets")
    assert subnet["match_client_id"] is not bool(flag)
