"""Sources that expand, nest or repeat without end are read in time that follows their size, or refused with a line."""

import time
from pathlib import Path
from typing import NamedTuple

import pytest

from api.importers import formats, plan
from api.importers.faults import SourceError
from api.importers.leases import formats as leases
from api.importers.leases.isc import read as read_isc
from api.importers.leases.kea_dump import read as read_dump
from api.importers.leases.lines import lines_of

SECONDS = 4.0
"""Of the processor; each takes a tenth of it, and took minutes or an exponent where the reader was at fault."""
DEEP = 100_000
KEA = '{"Dhcp4": {"subnet4": [{"id": 1, "subnet": "10.0.0.0/8"%s}]%s}}'
ISC = "subnet 10.0.0.0 netmask 255.0.0.0 { %s }\n"


def address(number: int) -> str:
    return f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"


def mac(number: int) -> str:
    return f"02:00:00:{number >> 16:02x}:{number >> 8 & 255:02x}:{number & 255:02x}"


class Source(NamedTuple):
    """`refused`: the beginning of the reason; else so many `objects` are planned."""

    form: str | None
    text: str
    refused: str = ""
    objects: int = 0


def third(number: int) -> str:
    return f"10.{number >> 8}.{number & 255}"


def excluded(count: int) -> str:
    ranges = "".join(f"ip dhcp excluded-address {third(n)}.1 {third(n)}.9\n" for n in range(count))
    return f"{ranges}ip dhcp pool x\n network 10.0.0.0 255.0.0.0\n"


def condition(text: str) -> str:
    return KEA % ("", f', "client-classes": [{{"name": "x", "test": "{text}"}}]')


def circle(count: int) -> str:
    pools = (
        f"add name=p{n} ranges={third(n)}.1-{third(n)}.9 next-pool=p{(n + 1) % count}\n" for n in range(count)
    )
    return f"/ip pool\n{''.join(pools)}/ip dhcp-server network\nadd address=10.0.0.0/8\n"


HOST = "host h { hardware ethernet 02:00:00:00:00:01; fixed-address 10.0.0.5; }\n"
RANGES = (
    "dhcp-range=10.0.0.0,10.255.255.255,255.0.0.0\ndhcp-range=2001:db8::,2001:db8::ffff:ffff:ffff:ffff,64\n"
)
TAGS = "".join(f"tag-if=set:t{n + 1},tag:t{n}\n" for n in range(10_000))
TAGGED = f"dhcp-range=set:t0,10.0.0.10,10.0.0.20,255.255.255.0\n{TAGS}"
ENTITY = '<!DOCTYPE a [<!ENTITY a "a">]><DHCPServer>&a;</DHCPServer>'
CLASS = 'class "x" { match if ' + "(" * DEEP + "known; }\n" + ISC % ""
NO_FORMAT = "1: has no known format"

SOURCES = {
    "JSON, deep": Source("kea", '{"Dhcp4": ' + "[" * DEEP, "1: is nested deeper than 64 levels"),
    "JSON, a number without end": Source("kea", KEA % ("", ', "valid-lifetime": ' + "9" * 10**6), "1: 999"),
    "JSON, a text without end": Source("kea", '{"' + "\\\\" * 10**6, "1: is no JSON"),
    "JSON, an include": Source("kea", '{"Dhcp4": <?include "/etc/passwd"?>}', "1: includes another file"),
    "JSON, a pool of a /8": Source("kea", KEA % (', "pools": [{"pool": "10.0.0.0/8"}]', ""), objects=3),
    "Kea, a deep expression": Source("kea", condition("(" * DEEP), objects=2),
    "Kea, many nots": Source("kea", condition("not " * DEEP), objects=2),
    "ISC, deep groups": Source("isc", "group {" * DEEP, "1: is nested deeper than 32 levels"),
    "ISC, a deep expression": Source("isc", CLASS, objects=2),
    "ISC, a range of a /8": Source("isc", ISC % "range 10.0.0.0 10.255.255.255;", objects=3),
    "ISC, a text without end": Source("isc", 'option domain-name "' + "\\x" * 10**6, "1: has a text"),
    "ISC, a long text": Source(
        "isc", 'option domain-name "' + "\\x" * 10**6 + '";', "1: has a word of more than"
    ),
    "ISC, one host again and again": Source("isc", ISC % "" + HOST * 10_000, objects=3),
    "dnsmasq, ranges of a /8 and a /64": Source("dnsmasq", RANGES, objects=6),
    "dnsmasq, tags that set tags": Source("dnsmasq", TAGGED, objects=3),
    "Cisco, many excludes": Source("cisco", excluded(10_000), objects=20_002),
    "XML, deep": Source("windows", "<DHCPServer>" + "<a>" * DEEP, "1: is nested deeper than 64 levels"),
    "XML, an entity": Source("windows", ENTITY, "1: declares a document type"),
    "RouterOS, pools in a circle": Source("mikrotik", circle(2000), objects=2),
    "RouterOS, a line without end": Source("mikrotik", "/ip pool\n" + "add name=p \\\n" * DEEP, objects=0),
    "RouterOS, a text without end": Source(
        "mikrotik", '/ip pool\nadd name="' + "\\" * 10**6, "2: is not understood"
    ),
    "a cell without end": Source("csv", 'ip,mac,name\n"' + "x\n" * 10**6, "2: is no row of cells"),
    "a range of a /8 in a table": Source(
        "csv", "network,start,end\n10.0.0.0/8,10.0.0.0,10.255.255.255\n", objects=3
    ),
    "blank lines": Source(None, "\n" * 5_000_000, NO_FORMAT),
    "blanks": Source(None, ("   \n" * 10) * 100_000, NO_FORMAT),
    "comments": Source(None, "#\n" * 10**6, NO_FORMAT),
    "commas": Source(None, "," * 2_000_000, NO_FORMAT),
}


def outcome(path: Path, form: str | None) -> tuple[str, int]:
    """The reason of a refusal, or how many objects are planned."""
    try:
        return "", len(formats.read(path, form).objects)
    except SourceError as error:
        return str(error).removeprefix(f"{path}:"), 0


@pytest.mark.parametrize("name", SOURCES)
def test_hostile_sources_end(name: str, tmp_path: Path) -> None:
    source = SOURCES[name]
    path = tmp_path / "source"
    path.write_text(source.text)
    began = time.process_time()
    reason, objects = outcome(path, source.form)
    assert time.process_time() - began < SECONDS
    assert reason.startswith(source.refused), reason
    assert (reason == "", objects) == (source.refused == "", source.objects), reason


def test_a_plan_has_a_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(plan, "MOST", 100)
    path = tmp_path / "table.csv"
    path.write_text(
        "network,ip,mac\n" + "".join(f"10.0.0.0/8,{address(n)},{mac(n)}\n" for n in range(1, 200))
    )
    with pytest.raises(
        SourceError, match="brings the plan to more than 100 objects and warnings: split the source"
    ) as refused:
        formats.read(path, "csv")
    assert 90 < refused.value.line < 110


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(SourceError, match="is larger than 64 MiB"):
        formats.read(path)


def test_hostile_files_of_leases_end(tmp_path: Path) -> None:
    path = tmp_path / "leases"
    for text in ("\n" * 65_000, "<!---->" * 9000 + "x", "<?xml" + " " * 60_000, "#\n" * 30_000):
        path.write_text(text)
        began = time.process_time()
        with pytest.raises(SourceError, match="has no leases of a format that is known"):
            leases.guess(path)
        assert time.process_time() - began < SECONDS
    path.write_text('lease 10.0.0.1 { uid "' + '\\"' * 10**6)
    with pytest.raises(SourceError, match="1: is longer than 65536 characters"):
        list(read_isc(lines_of(path)))
    path.write_text("INSERT INTO lease4 (address) VALUES ('" + "\\'" * 10**6)
    began = time.process_time()
    assert len(list(read_dump(lines_of(path)))) == 1
    assert time.process_time() - began < SECONDS
