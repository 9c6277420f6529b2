"""Engine rule 10: nothing that a client sends can make a statement fail for the others."""

from __future__ import annotations

import pytest
from engine.serving import Relay, Servers, at_once, counters, drops, mac_of, octets
from engine.site import Site, Subnet, until
from oracle import packets as say
from oracle.options4 import ACK

from dhcp_fast.server.serving import Serving

pytestmark = pytest.mark.shared_server

MAC = mac_of(1)
POISONED = mac_of(13)

NAMES = {
    "empty": (b"", None),
    "only NUL": (b"\0\0", None),
    "NUL inside": (b"a\0b", "a-b"),
    "NUL behind": (b"host\0", "host"),
    "not UTF-8": (b"caf\xe9", "caf-"),
    "half a character": (b"x\xf0\x9f", "x--"),
    "overlong": (b"\xc0\xaf", "--"),
    "control characters": (bytes(range(1, 32)) + b"\x7f", "-" * 32),
    "quotes": (b"'; drop table lease; --", "---drop-table-lease----"),
    "longest": (b"h" * 255, "h" * 255),
    "all NUL, longest": (b"\0" * 255, None),
}


@pytest.mark.parametrize(("name", "stored"), NAMES.values(), ids=NAMES)
async def test_host_names(name: bytes, stored: str | None, relay: Relay, site: Site) -> None:
    """Rule 10: text only after sanitising; a NUL in a `text` column would fail the whole batch."""
    ack = await relay.lease(MAC, say.discover(MAC).option(12, name))
    assert (await site.lease(ack.yiaddr))["hostname"] == stored
    again = await relay.ack(say.request_rebinding(MAC, ack.yiaddr).option(12, name))
    assert (await site.events(again.yiaddr))[-1]["hostname"] == stored


@pytest.mark.parametrize("match_client_id", [False, True])
@pytest.mark.parametrize(
    "identifier",
    [b"\0\0", b"\xff" * 255, bytes(range(255)), b"\x01" + b"\0" * 200, "naïve".encode()],
    ids=["NUL", "255 octets", "every octet", "long NUL", "text"],
)
async def test_client_ids_of_any_octets(
    identifier: bytes, match_client_id: bool, site: Site, servers: Servers
) -> None:
    """Rule 10: what a client sent is stored as `bytea`."""
    subnet = await site.subnet(match_client_id=match_client_id)
    await subnet.pool(100, 199)
    relay = servers.relay(await servers.start(), subnet.relay)
    ack = await relay.lease(MAC, say.discover(MAC).client_id(identifier))
    row = await site.lease(ack.yiaddr)
    assert row["client_id"] == identifier
    assert row["client_key"] == (b"\x02" + identifier if match_client_id else b"\x01\x01" + octets(MAC))


async def test_what_the_relay_says_of_any_octets(relay: Relay, site: Site) -> None:
    circuit, remote = bytes(range(120)), bytes(range(136, 256))
    ack = await relay.lease(MAC, say.discover(MAC))
    await relay.ack(say.request_rebinding(MAC, ack.yiaddr).circuit(circuit).remote(remote))
    row = await site.lease(ack.yiaddr)
    assert (row["circuit_id"], row["remote_id"]) == (circuit, remote)


@pytest.mark.parametrize("length", range(1, 17))
async def test_hardware_addresses_of_every_length(length: int, relay: Relay, site: Site) -> None:
    chaddr = b"\xaa" * length
    offer = await relay.offer(say.message(1, chaddr).field(htype=6))
    await relay.ack(say.message(3, chaddr).field(htype=6).requesting(offer.yiaddr).server_id("127.0.0.1"))
    row = await site.lease(offer.yiaddr)
    assert (row["hw_type"], row["hw_address"]) == (6, chaddr)


FAULTS: dict[str, str] = {
    "class 23": f"alter table lease add check (hw_address <> '\\x{octets(POISONED).hex()}')",
    "class 22": f"""
create function refuse() returns trigger language plpgsql as $$
begin perform 1 / 0; return new; end $$;
create trigger refuse before insert or update on lease for each row
when (new.hw_address = '\\x{octets(POISONED).hex()}') execute function refuse()""",
}


@pytest.mark.own_server
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_a_row_that_postgresql_refuses_is_found_and_the_others_are_served(
    fault: str, relay: Relay, server: Serving, site: Site, subnet: Subnet
) -> None:
    """Rule 10: a batch that fails with class 22 or 23 is halved until the row is found; dropped and counted."""
    await site.connection.execute(fault)
    requests = [say.request_selecting(mac_of(n), subnet.address(100 + n), "127.0.0.1") for n in range(32)]
    sent = at_once(server, relay, *requests)
    answers = await relay.answers_to(sent[:13] + sent[14:])
    assert {reply and reply.message_type for reply in answers} == {ACK}
    await until("nothing waits", lambda: counters(server)["slots_in_use"] == 0)
    assert drops(server, "refused_row") == 1
    assert await site.count("lease") == 31
    assert await relay.answer_to(sent[13], 0.1) is None


async def test_the_refused_client_and_address_are_not_held_up(
    relay: Relay, server: Serving, site: Site, subnet: Subnet
) -> None:
    """Rule 10: what is dropped leaves its keys, so that those behind it go on."""
    await site.connection.execute(FAULTS["class 23"])
    address = subnet.address(100)
    refused = say.request_selecting(POISONED, address, "127.0.0.1")
    behind = say.request_selecting(MAC, address, "127.0.0.1")
    answers = await relay.answers_to(at_once(server, relay, refused, behind), 1.0)
    assert [reply and reply.message_type for reply in answers] == [None, ACK]
    await until("nothing waits", lambda: counters(server)["slots_in_use"] == 0)
