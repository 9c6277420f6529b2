"""The day after: Kea, ISC dhcpd or dnsmasq with its configuration, ours with what `ipam import` made of it, and clients
who ask both. They are told the same, but for what is explained here."""

from pathlib import Path

import pytest
from system import cutover, cutover6
from system.cutover import Difference
from system.namespaces import Network

SOURCES = Path(__file__).parent / "sources"
pytestmark = [pytest.mark.long, pytest.mark.peer("namespaces")]

BOOT = "the boot server and file of the header are said as options too, to who asks for them"
OWN_NAME = "Kea says a client's own name again; a name is told here where a reservation has one"
EXPLAINED_KEA = {
    "option 12": OWN_NAME,
    "option 12, not asked for": OWN_NAME,
    "option 15": "Kea gives a class's clients of the pools for all too, in turn; here those of the class come first",
    "option 6, not asked for": "Kea sends 3, 6 and 15 unasked",
    "option 15, not asked for": "Kea sends 3, 6 and 15 unasked",
    "option 66": BOOT,
    "option 67": BOOT,
}
TIMES = "T1 and T2 are said always here; dhcpd says them where they are set"
EXPLAINED_ISC = {
    "subnet of the shared network": "dhcpd takes what was free for longest; here the first subnet is filled",
    "option 58": TIMES,
    "option 58, not asked for": TIMES,
    "option 59": TIMES,
    "option 59, not asked for": TIMES,
    "option 61, not asked for": "the client's identifier is sent back (RFC 6842); dhcpd 4.4 does not",
    "option 66": BOOT,
    "option 67": BOOT,
}
NOT_TWICE = "dnsmasq says it in the header or, to who asks for it, as an option; here it is in both"
EXPLAINED_DNSMASQ = {
    "sname": NOT_TWICE,
    "file": NOT_TWICE,
    "option 12": "dnsmasq says a client's own name again; a name is told here where a reservation has one",
    "option 28, not asked for": "dnsmasq sends the broadcast address unasked",
    "option 61, not asked for": "the client's identifier is sent back (RFC 6842); dnsmasq does not",
}
EXPLAINED_KEA6 = {
    "option 32": "it stands in answers to Information-requests alone (RFC 8415 21.23); Kea sends it to who asks for it",
}


@pytest.fixture
def count(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--cutover-clients"))


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--campaign-seed"))


@pytest.mark.peer("kea")
def test_clients_of_kea(network: Network, database: str, tmp_path: Path, count: int, seed: int) -> None:
    source = SOURCES / "campus-kea4.json"
    with cutover.wired(network) as wire:
        cutover.kea(wire, source, tmp_path)
        cutover.ours(wire, source, database, tmp_path)
        judge(cutover.differences(wire, count, seed), EXPLAINED_KEA)


@pytest.mark.peer("dhcpd")
def test_clients_of_dhcpd(network: Network, database: str, tmp_path: Path, count: int, seed: int) -> None:
    source = SOURCES / "campus-isc4.conf"
    with cutover.wired(network) as wire:
        cutover.dhcpd(wire, source, tmp_path)
        cutover.ours(wire, source, database, tmp_path)
        judge(cutover.differences(wire, count, seed), EXPLAINED_ISC)


@pytest.mark.peer("dnsmasq")
def test_clients_of_dnsmasq(network: Network, database: str, tmp_path: Path, count: int, seed: int) -> None:
    source = SOURCES / "campus-dnsmasq.conf"
    with cutover.wired(network) as wire:
        cutover.dnsmasq(wire, source, tmp_path)
        cutover.ours(wire, source, database, tmp_path)
        judge(cutover.differences(wire, count, seed), EXPLAINED_DNSMASQ)


@pytest.mark.peer("kea6")
def test_clients_of_kea_over_ipv6(
    network: Network, database: str, tmp_path: Path, count: int, seed: int
) -> None:
    source = SOURCES / "campus-kea6.json"
    with cutover6.wired(network) as wire:
        cutover6.kea(wire, source, tmp_path)
        cutover6.ours(wire, source, database, tmp_path)
        judge(cutover6.differences(wire, count, seed), EXPLAINED_KEA6)


def judge(found: dict[str, Difference], explained: dict[str, str]) -> None:
    for name, each in sorted(found.items()):
        print(f"{each.count:5} {name}: {explained.get(name, 'NOT EXPLAINED')}; such as {each.example}")
    assert set(found) <= set(explained)
