"""dhclient, dhcpcd, systemd-networkd, dibbler and dhcp6c get an address and a prefix, keep both, and give them back.

Each on a wire of its own to our server, which hears it by ff02::1:2, and again behind Debian's relay.
"""

import pytest
from system6.clients6 import CLIENTS, Client6
from system6.sites6 import DELEGATED, LINK, UPSTREAM, Wire, relay_address

pytestmark = pytest.mark.peer("namespaces")
IA_NA, IA_PD = 3, 25

every_client = pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.peer(kind.program), id=kind.program) for kind in CLIENTS]
)


@every_client
def test_a_client_gets_renews_and_releases_an_address_and_a_prefix(wire: Wire, kind: type[Client6]) -> None:
    client = kind(wire.client, wire.folder / "client")
    client.start()
    rows = wire.await_rows(lambda rows: states(rows) == {IA_NA: "a", IA_PD: "a"}, "leased")
    assert rows[IA_NA]["address"] in LINK
    assert rows[IA_PD]["address"] in DELEGATED
    assert rows[IA_PD]["prefix_length"] == 56
    assert relay_address(rows[IA_NA]) == (UPSTREAM[2] if wire.relayed else None)
    assert rows[IA_PD]["link_address"] == (LINK[1] if wire.relayed else None)

    wire.await_rows(
        lambda now: all(now[kind]["renewed_at"] > rows[kind]["renewed_at"] for kind in rows), "renewed"
    )

    client.release()
    if not kind.releases:
        return
    try:
        wire.await_rows(lambda rows: states(rows) == {IA_NA: "r", IA_PD: "r"}, "released")
    except AssertionError as error:
        error.add_note(client.said_last())
        raise


def states(rows: dict[int, dict[str, object]]) -> dict[int, object]:
    return {kind: row["state"] for kind, row in rows.items()}
