"""Windows: the XML of Export-DhcpServer, and the dump of netsh."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.accounting import golden, lines_without_effect, mutated, plan_or_fault, said, source

from api.importers import formats, xml_source
from api.importers.faults import SourceError
from api.importers.formats import guess
from api.importers.plan import Plan
from api.importers.windows import netsh, reader
from api.importers.xml_source import Element

XML, DUMP = source("windows.xml"), source("netsh.txt")
EXPORT = "<DHCPServer><IPv4>{}</IPv4></DHCPServer>"
SCOPE = (
    "<Scopes><Scope><ScopeId>192.0.2.0</ScopeId><SubnetMask>255.255.255.0</SubnetMask><State>Active</State>{}"
    "</Scope></Scopes>"
)


def of(plan: Plan, family: str) -> list[dict[str, Any]]:
    return [each.fields for each in plan.objects if each.family == family]


@pytest.mark.parametrize(
    ("name", "text", "read"), [("windows", XML, reader.read), ("netsh", DUMP, netsh.read)]
)
def test_plan(name: str, text: str, read: Any) -> None:
    assert guess(text) == name
    golden(name, read(text))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_an_export_may_be_in_other_encodings(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "dhcp.xml"
    path.write_bytes(XML.replace('encoding="utf-8"', 'encoding="utf-16"').encode(encoding))
    assert said(formats.read(path)) == said(reader.read(XML))


# --- every statement


def test_every_element_is_read_or_told() -> None:
    found = reader.read(XML).statements
    assert found.read + found.warned == xml_source.load(XML).statements()


NO_NEWS = {
    *("MajorVersion", "MinorVersion", "NapEnabled", "NpsUnreachableAction", "NapEnable", "Delay", "Type"),
    *(
        "MaxBootpClients",
        "Description",
        "DefaultValue",
        "Enabled",
        "Condition",
        "ActivatePolicies",
        "VendorId",
    ),
    *("State", "Allow", "List", "MultiValued", "ProcessingOrder"),
}
"""Elements that say what would be so without them, or what is for readers only."""
TOLD_WHOLE = (
    ("OptionDefinitions", "OptionDefinition", 0, "Name"),  # of a standard option, which has its layout
    ("OptionDefinitions", "OptionDefinition", 3, "Name"),  # of a suboption, whose value is octets
    ("Scopes", "Scope", 0, "Policies", "Policy"),
    ("Scopes", "Scope", 1, "Policies", "Policy"),
    ("Scopes", "Scope", 0, "Reservations", "Reservation"),
)
"""Where one warning tells of several elements, or names suffice."""


def test_no_element_is_without_effect() -> None:
    """Taking one away, of each kind in each place, makes another plan: other objects, or other warnings."""
    document = xml_source.load(XML)
    whole = said(reader.read(written(document)))
    kinds = {tuple(each for each in path if isinstance(each, str)): path for path in paths(document)}
    without = [path for path in kinds.values() if said_without(document, path) == whole]
    assert [path for path in without if path[-1] not in NO_NEWS and path[2:7] not in TOLD_WHOLE] == []


def test_no_line_is_without_effect() -> None:
    without = [line for line in lines_without_effect(netsh.read, DUMP) if not line.startswith("#")]
    standard, off = without
    assert '"Ethernet Encapsulation" BYTE' in standard
    assert off.endswith("SET STATE 0")


def said_without(document: Any, path: tuple[Any, ...]) -> object:
    return said(reader.read(put(document, path, "")))


def put(document: Any, path: tuple[Any, ...], text: str) -> str:
    """The document with another text in a place."""
    holder = document
    for step in path[:-1]:
        holder = holder[step]
    kept, holder[path[-1]] = holder[path[-1]], "PUT"
    try:
        return written(document).replace("PUT", text)
    finally:
        holder[path[-1]] = kept


def written(value: Any) -> str:
    if not isinstance(value, Element):
        return escape(value)
    many = ((name, each if isinstance(each, list) else [each]) for name, each in value.items())
    return "".join(f"<{name}>{written(one)}</{name}>" for name, each in many for one in each)


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Of all elements that hold no others."""
    if isinstance(value, Element):
        for name, member in value.items():
            yield from paths(member, (*path, name))
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from paths(each, (*path, at))
    else:
        yield path


# --- clients


@pytest.mark.parametrize(
    ("client", "expected"),
    [
        ("02-00-00-00-00-01", {"mac": "02:00:00:00:00:01"}),
        ("020000000001", {"mac": "02:00:00:00:00:01"}),
        ("01-02-00-00-00-00-01", {"client_id": "01:02:00:00:00:00:01"}),
        ("ff-00-00-00-01-00-03-00-01", {"client_id": "ff:00:00:00:01:00:03:00:01"}),
        ("02-00-00-00-01", {"client_id": "02:00:00:00:01"}),
    ],
)
def test_only_six_octets_are_a_hardware_address(client: str, expected: dict[str, str]) -> None:
    entry = f"<IPAddress>192.0.2.9</IPAddress><ClientId>{client}</ClientId>"
    text = EXPORT.format(SCOPE.format(f"<Reservations><Reservation>{entry}</Reservation></Reservations>"))
    assert of(reader.read(text), "reservations") == [{"ip": "192.0.2.9"} | expected]


@pytest.mark.parametrize(
    ("span", "seconds"),
    [
        ("8.00:00:00", 691200),
        ("01:30:00", 5400),
        ("1,00:00:01", 86401),
        ("10675199.02:48:05.4775807", 2**32 - 1),
        ("soon", 691200),
    ],
)
def test_durations(span: str, seconds: int) -> None:
    plan = reader.read(EXPORT.format(SCOPE.format(f"<LeaseDuration>{span}</LeaseDuration>")))
    assert of(plan, "subnets")[0]["lease_time_seconds"] == seconds
    assert [each.what for each in plan.warnings] == (["LeaseDuration"] if span == "soon" else [])


ROOM = {
    "EQ Lab": {"option": 77, "equals": "0x6c6162"},
    "NE Lab": {"not": {"option": 77, "equals": "0x6c6162"}},
    "EQ lab*": {"option": 77, "prefix": "0x6c6162"},
    "EQ Lab Dorm": {"any": [{"option": 77, "equals": "0x6c6162"}, {"option": 77, "equals": "0x646f726d"}]},
}


@pytest.mark.parametrize("words", [*ROOM, "EQ", "Lab", "EQ Nowhere"])
def test_a_policy_that_conditions_cannot_say_has_no_pool(words: str) -> None:
    classes = "".join(
        f"<Class><Name>{name}</Name><Type>User</Type><Data>0x{name.lower().encode().hex()}</Data></Class>"
        for name in ("Lab", "Dorm")
    )
    told = "".join(f"<UserClass>{each}</UserClass>" for each in words.split())
    span = "<StartRange>192.0.2.{}</StartRange><EndRange>192.0.2.{}</EndRange>"
    ranges = f"<IPRanges><IPRange>{span.format(20, 29)}</IPRange></IPRanges>"
    policy = f"<Policies><Policy><Name>p</Name>{told}{ranges}</Policy></Policies>"
    text = EXPORT.format(f"<Classes>{classes}</Classes>" + SCOPE.format(span.format(10, 40) + policy))
    plan = reader.read(text)
    pools = {each["start_ip"]: each.get("class") for each in of(plan, "pools")}
    assert {"192.0.2.10": None, "192.0.2.30": None}.items() <= pools.items()
    assert pools.get("192.0.2.20") == ("p" if words in ROOM else None)
    assert [each["match"] for each in of(plan, "client-classes")] == ([ROOM[words]] if words in ROOM else [])
    assert ("cannot be selected by conditions" in str(plan.warnings)) is (words not in ROOM)


@pytest.mark.parametrize(("code", "told"), [(42, True), (44, False), (67, False)])
def test_what_both_kinds_of_policies_say_is_told(code: int, told: bool) -> None:
    """Windows asks a scope's policies first; here a class goes before a pool."""
    policy = (
        "<Policies><Policy><Name>{}</Name><RelayAgent>EQ</RelayAgent><RelayAgent>0x0101aa</RelayAgent>"
        "<OptionValues><OptionValue><OptionId>{}</OptionId><Value>192.0.2.9</Value></OptionValue></OptionValues>"
        "{}</Policy></Policies>"
    )
    span = "<StartRange>192.0.2.{}</StartRange><EndRange>192.0.2.{}</EndRange>"
    inside = policy.format("near", 42, f"<IPRanges><IPRange>{span.format(20, 29)}</IPRange></IPRanges>")
    boot_file = "<OptionValue><OptionId>67</OptionId><Value>near.efi</Value></OptionValue>"
    inside = inside.replace("<OptionValues>", f"<OptionValues>{boot_file}")
    text = EXPORT.format(policy.format("far", code, "") + SCOPE.format(span.format(10, 40) + inside))
    warnings = [each.why for each in reader.read(text).warnings if each.what == "policy near"]
    assert (
        f"option {code} of the server's policy far goes before it for clients of both" in warnings
    ) is told


def test_who_is_not_on_the_list_is_denied() -> None:
    """Lists are of DHCPv4, so that clients of DHCPv6 stay what they are."""
    listed = "<Filter><List>Allow</List><MacAddress>02-00-*</MacAddress></Filter>"
    plan = reader.read(EXPORT.format(f"<Filters><Allow>true</Allow>{listed}</Filters>"))
    card, rest = of(plan, "client-classes")
    assert card["mac_prefix"] == "02:00"
    assert rest["deny"] is True
    others = {"not": {"any": [{"class": card["name"]}]}}
    assert rest["match"] == {"all": [{"option": 53, "exists": True}, others]}


# --- what is none

LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>\n<DHCPServer>&b;</DHCPServer>'


@pytest.mark.parametrize(
    ("read", "text", "line", "reason"),
    [
        (reader.read, LAUGHS, 1, "declares a document type"),
        (reader.read, "<DHCPServer>\n<IPv4>\n</DHCPServer>", 3, "mismatched tag"),
        (reader.read, "<DHCPServer/>", 1, "its root is not DHCPServer, or is empty"),
        (reader.read, "<DHCPServer>x</DHCPServer>", 1, "its root is not DHCPServer"),
        (reader.read, "<a>" * 100_000, 1, "deeper than 64"),
        (reader.read, "<DHCPServer>\n&nbsp;</DHCPServer>", 2, "undefined entity"),
        (reader.read, "", 1, "no element found"),
        (netsh.read, "\n# nothing\n", 1, "has no line that begins with Dhcp Server"),
    ],
)
def test_a_file_that_is_none_names_line_and_reason(read: Any, text: str, line: int, reason: str) -> None:
    with pytest.raises(SourceError) as caught:
        read(text)
    assert caught.value.line == line
    assert reason in caught.value.reason


FRAGMENTS = st.sampled_from(
    [
        "",
        "<",
        ">",
        "/",
        "&",
        '"',
        "=",
        "-",
        "*",
        " ",
        "0x",
        "192.0.2.0",
        "::",
        "99999999999",
        "user=",
        "²",
        "v6 ",
    ]
)
CUTS = st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 12), FRAGMENTS), min_size=1, max_size=4)


@settings(max_examples=100, deadline=None)
@given(CUTS)
def test_no_export_crashes(cuts: list[tuple[int, int, str]]) -> None:
    plan_or_fault(reader.read, mutated(XML, iter(cuts)))


@settings(max_examples=100, deadline=None)
@given(CUTS)
def test_no_dump_crashes(cuts: list[tuple[int, int, str]]) -> None:
    plan_or_fault(netsh.read, mutated(DUMP, iter(cuts)))


DOCUMENT = xml_source.load(XML)
PATHS = list(paths(DOCUMENT))
VALUES = st.sampled_from(
    [
        "",
        "x",
        "0",
        "²",
        "-1",
        "*",
        "EQ",
        "99999999999999999999",
        "192.0.2.300",
        "::",
        "0x0",
        "<a>b</a>",
        "ü" * 300,
    ]
)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(PATHS), VALUES)
def test_no_value_crashes(path: tuple[Any, ...], value: str) -> None:
    plan_or_fault(reader.read, put(DOCUMENT, path, value))
