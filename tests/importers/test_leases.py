"""Leases of other servers become reservations of a plan: which do, which do not and why, alike in all formats."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.accounting import mutated

from api.importers import formats as configurations
from api.importers.faults import SourceError
from api.importers.leases import formats, lines
from api.importers.leases.account import WHY, LeaseFile, ranges
from api.importers.leases.pinning import pin
from api.importers.plan import Plan

FILES = Path(__file__).parent / "leases"
AT = datetime(2026, 3, 1, tzinfo=UTC)
RFC4361 = "ff:00:00:00:01:00:01:00:01:2c:3d:4e:5f:02:00:00:00:00:07"

PINNED4 = {
    "192.0.2.101": ("mac", "02:00:00:00:00:01", "lease of alpha"),
    "192.0.2.106": ("mac", "02:00:00:00:00:05", "lease of new"),
    "192.0.2.107": ("client_id", RFC4361, "lease of iaid"),
}
SIX_OCTETS = {"192.0.2.122": ("client_id", "01:02:00:00:00:00:22", "")}
PINNED6 = {
    "2001:db8:1::1001 2001:db8:f00:100::/56": ("duid", "00:03:00:01:02:00:00:00:00:01", "lease of six"),
    "2001:db8:f00:200::/56": ("duid", "00:03:00:01:02:00:00:00:00:04", "lease of onlyprefix"),
}
NETWORK = "not possible as a reservation: ip: 192.0.2.0 is not an address of a host in 192.0.2.0/24"
TABLE = {"pinned": 3, "reserved": 1, "client_reserved": 2, "moved": 1, "nameless": 1, NETWORK: 1}
JOURNAL = TABLE | {"outside": 1, "superseded": 1, "expired": 2, "released": 1, "declined": 1}
DUMP = TABLE | {"expired": 1, "released": 1, "declined": 1}
OF_6 = {"pinned": 3, "reserved": 1, "client_reserved": 1, "outside": 1, "expired": 1, "temporary": 1}
OWN_DUID = (
    "is the server's DUID: for clients to go on with it, run before they are served: "
    "ipam server-duid set 00:01:00:01:2c:3d:4e:5f:02:00:00:00:00:01"
)

EXPECTED = {
    "kea4.csv": JOURNAL | {"not readable": 1},
    "kea4-pg.sql": DUMP,
    "kea4-mysql.sql": DUMP,
    "dhcpd.leases": JOURNAL
    | {"hosts made over OMAPI: write them into the configuration": 1, "cut short by the end of the file": 1},
    "dnsmasq.leases": TABLE | {"outside": 2, "expired": 1, OWN_DUID: 1},
    "windows.xml": TABLE | {"pinned": 4, "outside": 1, "expired": 2, "declined": 2},
    "kea6.csv": OF_6 | {"registered": 1},
    "kea6-pg.sql": OF_6 | {"registered": 1},
    "dhcpd6.leases": OF_6 | {OWN_DUID: 1},
}


def plan_of(family: int) -> Plan:
    return configurations.read(FILES / f"plan{family}.json")


def pins(plan: Plan) -> dict[str, tuple[str, str, str]]:
    found = {}
    for each in plan.objects:
        if each.file:
            (client,) = (
                (name, each.fields[name]) for name in ("mac", "client_id", "duid") if name in each.fields
            )
            what = " ".join(each.fields[name] for name in ("ip", "prefix") if each.fields.get(name))
            found[what] = (*client, each.fields.get("description", ""))
            assert each.fields["tags"] == ["pinned"]
    return found


def counted(told: LeaseFile) -> dict[str, int]:
    by_words = {words: name for name, words in WHY.items()}
    return {by_words.get(each.why, each.why): each.count for each in told.outcomes}


@pytest.mark.parametrize("name", EXPECTED)
def test_active_leases_are_pinned_and_all_others_counted(name: str) -> None:
    plan = plan_of(6 if "6" in name else 4)
    before = len(plan.objects)
    told = pin(plan, FILES / name, AT)
    expected = PINNED6 if "6" in name else PINNED4 | (SIX_OCTETS if name == "windows.xml" else {})
    if name == "dhcpd6.leases":  # which tells no names
        expected = {what: (*client, "") for what, (*client, _) in PINNED6.items()}
    assert pins(plan) == expected
    assert counted(told) == EXPECTED[name]
    assert told.entries == sum(EXPECTED[name].values())
    assert plan.managed_ips() == sum(
        1 for each in plan.objects if each.fields.get("ip") and each.family == "reservations"
    ) + (1 if "6" in name else 0)
    families = [each.family for each in plan.objects]
    assert len(families) == before + len(expected)
    assert families == sorted(families, key=list(plan.counts()).index)


def test_each_line_of_a_journal_is_accounted_for() -> None:
    told = pin(plan_of(4), FILES / "kea4.csv", AT)
    assert {each.lines for each in told.outcomes if each.why == "expired"} == {"2, 5"}
    all_ = [line for each in told.outcomes for part in each.lines.split(", ") for line in unfolded(part)]
    assert sorted(all_) == list(range(2, 18))


def unfolded(part: str) -> range:
    first, _, last = part.partition("-")
    return range(int(first), int(last or first) + 1)


def test_rows_as_mysqldump_writes_them_otherwise(tmp_path: Path) -> None:
    """--hex-blob and --complete-insert, octets as they are, rows on lines of their own; and what is no row."""
    columns = "`address`, `duid`, `valid_lifetime`, `expire`, `lease_type`, `iaid`, `prefix_len`, `hostname`, `state`"
    path = tmp_path / "dump.sql"
    address = "_binary ' \x01\r\xb8\\0\x01\\0\\0\\0\\0\\0\\0\\0\\0\x10\x03'"
    text = f"""INSERT INTO `lease6` ({columns}) VALUES
(0x20010DB8000100000000000000001001,0x00030001020000000001,3600,'2026-03-02 00:00:00',0,1,128,'it\\'s',0),
(0x20010DB8000100000000000000001002,0x00030001020000000002,4294967295,'2038-01-01 00:00:00',0,1,128,'',0),
({address},_binary '\\0\x03\\0\x01\x02\\'\xff\xff\xff\xff',3600,'2026-03-02 00:00:00',0,1,128,NULL,0),
(1,2),
(NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO `lease6` VALUES (1);
INSERT INTO `lease6_stat` VALUES (1,0,2);
"""
    path.write_bytes(text.encode("latin-1"))
    plan = plan_of(6)
    assert counted(pin(plan, path, AT)) == {"pinned": 3, "not readable": 3}
    assert pins(plan) == {
        "2001:db8:1::1001": ("duid", "00:03:00:01:02:00:00:00:00:01", "lease of it's"),
        "2001:db8:1::1002": ("duid", "00:03:00:01:02:00:00:00:00:02", ""),
        "2001:db8:1::1003": ("duid", "00:03:00:01:02:27:ff:ff:ff:ff", ""),
    }


def test_what_is_active_depends_on_the_moment() -> None:
    later = pin(plan_of(4), FILES / "kea4.csv", datetime(2026, 3, 5, tzinfo=UTC))
    assert counted(later)["pinned"] == 1, "the lease that never ends"
    earlier = pin(plan_of(4), FILES / "kea4-pg.sql", datetime(2026, 2, 1, tzinfo=UTC))
    assert counted(earlier)["pinned"] == 3


def test_what_is_excluded_or_assigned_is_not_pinned() -> None:
    plan = plan_of(4)
    (subnet,) = (each for each in plan.objects if each.family == "subnets")
    for family, fields in (
        ("excludes", {"start_ip": "192.0.2.100", "end_ip": "192.0.2.101"}),
        ("assignments", {"ip": "192.0.2.106", "hostname": "server"}),
    ):
        made = type(subnet)(ref=family, family=family, line=1, inside=subnet.ref, fields=fields)
        plan.objects.append(made)
    counts = counted(pin(plan, FILES / "kea4.csv", AT))
    assert (counts["excluded"], counts["assigned"], counts["pinned"]) == (1, 1, 2), "105 in place of 106"


def test_two_files_of_the_same_leases_pin_them_once() -> None:
    """As the servers of a failover pair have them."""
    plan = plan_of(4)
    first, second = (pin(plan, FILES / name, AT) for name in ("kea4.csv", "dhcpd.leases"))
    assert (counted(first)["pinned"], counted(second).get("pinned")) == (3, None)
    assert counted(second)["reserved"] == 4
    assert plan.leases == [first, second]


def test_ranges_of_lines() -> None:
    from array import array

    assert ranges(array("Q", [9, 3, 4, 5, 5])) == "3-5, 9"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no leases of a format that is known"),
        (b"hello\n", "no leases of a format that is known"),
        (b"<DHCPServer><Lease></Foo>", "is no XML"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><DHCPServer/>', "no leases of a format"),
        (b'<?xml version="1.0"?><DHCPServer><!DOCTYPE x></DHCPServer>', "is no XML"),
    ],
)
def test_what_is_no_file_of_leases(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "leases"
    path.write_bytes(data)
    with pytest.raises(SourceError, match=reason) as caught:
        pin(plan_of(4), path, AT)
    assert str(caught.value).startswith(f"{path}:1: ")


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    path = tmp_path / "leases.xml"
    path.write_text('<!DOCTYPE x [<!ENTITY a "b">]><DHCPServer/>')
    with pytest.raises(SourceError, match="document type"):
        list(formats.FORMATS["Windows XML"].read(path))


def test_a_line_has_a_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST", 1024)
    path = tmp_path / "leases"
    path.write_bytes((FILES / "kea4.csv").read_bytes() + b"x" * 2000)
    with pytest.raises(SourceError, match="is longer than"):
        pin(plan_of(4), path, AT)


def test_windows_in_utf_16(tmp_path: Path) -> None:
    path = tmp_path / "leases.xml"
    text = (FILES / "windows.xml").read_text().replace("utf-8", "utf-16")
    path.write_bytes(text.encode("utf-16"))
    assert counted(pin(plan_of(4), path, AT)) == EXPECTED["windows.xml"]


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("leases") / "mutated"


FRAGMENTS = st.sampled_from(
    [
        "",
        "\n",
        ",",
        ";",
        "}",
        "{",
        '"',
        "'",
        "\\",
        "(",
        ")",
        "\t",
        "\0",
        "<",
        ">",
        "&",
        ":",
        "-1",
        "é",
        "9" * 40,
        "1e999",
    ]
)
CUTS = st.lists(st.tuples(st.integers(0, 9000), st.integers(0, 12), FRAGMENTS), min_size=1, max_size=4)
ORIGINALS = {name: (FILES / name).read_bytes().decode("latin-1") for name in EXPECTED}
FORMATS = {name: formats.guess(FILES / name) for name in EXPECTED}
PLANS = {family: plan_of(family) for family in (4, 6)}


@settings(max_examples=300, deadline=None)
@given(CUTS, st.sampled_from(sorted(EXPECTED)))
def test_no_file_crashes(scratch: Path, cuts: list[tuple[int, int, str]], name: str) -> None:
    """Whatever stands in it, each entry is counted, or the whole refused with a line."""
    scratch.write_bytes(mutated(ORIGINALS[name], iter(cuts)).encode("latin-1"))
    whole = PLANS[6 if "6" in name else 4]
    plan = Plan(format=whole.format, objects=list(whole.objects))
    try:
        told = pin(plan, scratch, AT)
    except SourceError as error:
        refusal = error
    else:
        assert told.entries == sum(each.count for each in told.outcomes)
        assert len(plan.objects) - len(whole.objects) <= counted(told).get("pinned", 0)
        return
    assert refusal.line >= 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("duid 00:01:00:01:2c:3d:4e:5f:02:00:00:00:00:01\n", {OWN_DUID: 1}),
        ("duid 00:01\n", {"not readable": 1}),
        ("0 02:00:00:00:00:01 198.51.100.1 * *\nduid\n", {"outside": 1, "not readable": 1}),
        ('server-duid "\\000\\001";\nia-na "\\001" {\n}\n', {"not readable": 1}),
        ('server-duid ;\nia-na "\\001" {\n}\n', {"not readable": 1}),
        (
            'server-duid "\\000\\003\\000\\001\\002";\nlease 198.51.100.1 {\n binding state free;\n}\n',
            {"outside": 1},
        ),
    ],
)
def test_the_duid_of_the_server_is_told(text: str, expected: dict[str, int], tmp_path: Path) -> None:
    """Where clients know it: not beside leases of DHCPv4 alone."""
    path = tmp_path / "leases"
    path.write_text(text)
    assert counted(pin(plan_of(6), path, AT)) == expected
