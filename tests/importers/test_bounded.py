"""How much memory a large file takes: what its plan does, and not more with each row than with the one before."""

import tracemalloc
from collections.abc import Callable, Iterator

import pytest

from api.importers.dnsmasq import reader as dnsmasq
from api.importers.infoblox import reader as infoblox
from api.importers.plan import Plan
from api.importers.table import reader as table
from api.importers.windows import netsh

ROWS = 1000
OCTETS_A_ROW = 2500
"""Some 600 for the reservation of a plan; a dump of netsh keeps its lines besides."""


def hosts() -> Iterator[tuple[str, str, str]]:
    for at in range(ROWS):
        yield f"10.0.{at >> 8}.{at & 255 or 1}", f"02:00:00:00:{at >> 8:02x}:{at & 255:02x}", f"host{at}"


def csv_text(network: str, header: str, kind: str) -> str:
    return f"{network}{header}\n" + "".join(f"{kind}{','.join(each)}\n" for each in hosts())


INFOBLOX = "header-network,address,netmask\nnetwork,10.0.0.0,16\n"
DUMP = "Dhcp Server 192.0.2.1 add scope 10.0.0.0 255.255.0.0 x x\n"
TEXTS = {
    "infoblox": csv_text(INFOBLOX, "header-fixedaddress,ip_address,mac_address,name", "fixedaddress,"),
    "table": csv_text("", "ip,mac,name", ""),
    "dnsmasq": "dhcp-range=10.0.9.1,10.0.9.9,255.255.0.0\n"
    + "".join(f"dhcp-host={mac},{ip},{name}\n" for ip, mac, name in hosts()),
    "netsh": DUMP
    + "".join(
        f"Dhcp Server 192.0.2.1 Scope 10.0.0.0 Add reservedip {ip} {mac} {name}\n"
        for ip, mac, name in hosts()
    ),
}
READERS: dict[str, Callable[[str], Plan]] = {
    "infoblox": infoblox.read,
    "table": lambda text: table.read(text, {"network": "=10.0.0.0/16"}),
    "dnsmasq": dnsmasq.read,
    "netsh": netsh.read,
}


@pytest.mark.parametrize("name", READERS)
def test_memory_follows_the_rows(name: str) -> None:
    READERS[name](TEXTS[name])  # what is loaded once
    tracemalloc.start()
    plan = READERS[name](TEXTS[name])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    made = sum(each.family == "reservations" for each in plan.objects)
    assert made > ROWS * 0.99
    assert peak / ROWS < OCTETS_A_ROW
