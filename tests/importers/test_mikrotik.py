"""The DHCP server of MikroTik's RouterOS."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.accounting import golden, mutated, plan_or_fault, said, source

from api.importers.faults import SourceError
from api.importers.formats import guess
from api.importers.mikrotik import commands, reader, values
from api.importers.mikrotik.commands import ADDRESSES, Command

TEXT = source("mikrotik.rsc")


def test_plan() -> None:
    assert guess(TEXT) == "mikrotik"
    golden("mikrotik", reader.read(TEXT))


def counted() -> list[Command]:
    return [each for each in commands.load(TEXT) if each.section != ADDRESSES]


def test_every_argument_is_read_or_told() -> None:
    found = reader.read(TEXT).statements
    assert found.read + found.warned == sum(map(len, counted()))


def written(command: Command, without: str = "") -> str:
    words = (
        f'{name}="{escaped(value)}"' if value else name for name, value in command.items() if name != without
    )
    return f"/{command.section} {command.verb} {' '.join(words)}\n"


def escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")


NO_NEWS = {
    "ip pool name=unused",
    *(
        "ip dhcp-server interface=bridge1",
        "ip dhcp-server interface=vlan8",
        "ip dhcp-server address-pool=static-only",
    ),
    *("ip dhcp-server lease server=dhcp1", "ip dhcp-server lease address=office"),
    "ip dhcp-server lease client-id=1:0:c:29:16:34:a1",
}
"""What is said elsewhere too: a server's networks by its pool, those of a lease by its address."""


def test_no_argument_is_without_effect() -> None:
    """Taking one away makes another plan; of a command that is told as a whole, the warning is the same."""
    every = list(commands.load(TEXT))
    texts = list(map(written, every))
    whole = said(reader.read("".join(texts)))
    without = []
    for at, command in enumerate(every):
        for name in command:
            changed = [*texts[:at], written(command, name), *texts[at + 1 :]]
            if said(reader.read("".join(changed))) == whole:
                without.append(f"{command.section} {name}={command[name]}")
    assert {each for each in without if not each.startswith(ADDRESSES)} <= NO_NEWS


@pytest.mark.parametrize(
    ("text", "found"),
    [("10m", 600), ("1d", 86400), ("1h30m", 5400), ("00:10:00", 600), ("1w2d00:00:05", 777605), ("5s", 5)],
)
def test_times(text: str, found: int) -> None:
    assert values.seconds(text) == found


@pytest.mark.parametrize(
    ("text", "octets"),
    [("0x2336", "2336"), ("s'1.2.3.4'", "312e322e332e34"), ("'1.2.3.4'", "01020304"), ("0x01'a'", "0161")],
)
def test_octets_of_options(text: str, octets: str) -> None:
    assert values.option_octets(text).hex() == octets


def test_leases_without_a_time_are_as_long_as_the_version_has_them() -> None:
    rest = "\n/ip address add address=192.0.2.1/24 interface=a\n/ip dhcp-server add interface=a name=x\n"
    for version, seconds in (("6.49", 600), ("7.1", 1800)):
        plan = reader.read(f"# jan/02/1970 by RouterOS {version}{rest}")
        (subnet,) = (each.fields for each in plan.objects if each.family == "subnets")
        assert (subnet["cidr"], subnet["lease_time_seconds"]) == ("192.0.2.0/24", seconds)


def test_an_argument_without_an_end_names_its_line() -> None:
    with pytest.raises(SourceError) as caught:
        reader.read('\n/ip pool\nadd name="x\n')
    assert caught.value.line == 3


FRAGMENTS = st.sampled_from(
    [
        *("", "\n", " ", "\\\n", '"', "=", "/", "/99", "[", "$", "'"),
        "/ip pool add ",
        "address=",
        "192.0.2.0",
        "9999",
    ]
)
CUTS = st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 12), FRAGMENTS), min_size=1, max_size=4)


@settings(max_examples=200, deadline=None)
@given(CUTS)
def test_no_input_crashes(cuts: list[tuple[int, int, str]]) -> None:
    plan_or_fault(reader.read, mutated(TEXT, iter(cuts)))
