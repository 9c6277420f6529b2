"""`ipam probe -6` as it is typed: what it asks by the oracle's reading, what it prints and how it exits."""

import json
from ipaddress import IPv6Address

import pytest
from click.testing import CliRunner, Result
from oracle.message6 import RELEASE, REQUEST, SOLICIT
from oracle.options6 import IA_NA, IA_PD
from unit.probe.responder6 import SERVER, Responder6, grant6, refuse6, silent6

from dhcp_fast.commands import probe
from dhcp_fast.probe.client6 import Client6
from dhcp_fast.probe.probe6 import said_options

MAC = "02:00:00:00:00:07"
DUID = bytes.fromhex("00030001020000000007")


def typed(address: tuple[str, int], *arguments: str) -> Result:
    server = f"[{address[0]}]:{address[1]}"
    return CliRunner().invoke(probe, ["-6", "--server", server, "--mac", MAC, *arguments])


def test_prints_the_address_and_each_option_by_name() -> None:
    with Responder6(grant6) as server:
        shown = typed(server.address)
    assert shown.exit_code == 0, shown.stderr
    for text in ("2001:db8::7", "1 hour", "15 minutes", "dns-servers (23): 2001:db8::53"):
        assert text in shown.stdout
    assert "prefix " not in shown.stdout
    assert [message.message_type for message in server.forwarded] == [SOLICIT, REQUEST]


def test_what_it_asks_is_what_a_client_behind_a_relay_asks() -> None:
    """The Request names the server and what it offered; the relay says the link, and that it has a port of its own."""
    with Responder6(grant6) as server:
        typed(server.address, "--pd", "--link", "2001:db8:5::1")
    solicit, request = server.forwarded
    assert (solicit.client_id, request.client_id) == (DUID, DUID)
    assert (solicit.server_id, request.server_id) == (None, SERVER)
    assert [(ia.code, len(ia.leases)) for ia in solicit.associations] == [(IA_NA, 0), (IA_PD, 0)]
    assert [str(ia.leases[0].address) for ia in request.associations] == ["2001:db8::7", "2001:db8:f00::"]
    for message in server.forwarded:
        assert message.envelopes[0].link_address == IPv6Address("2001:db8:5::1")
        assert message.envelopes[0].source_port == 0


def test_a_delegated_prefix_is_shown_with_its_length() -> None:
    with Responder6(grant6) as server:
        shown = typed(server.address, "--pd")
    assert "2001:db8:f00::/56" in shown.stdout


def test_the_same_as_json() -> None:
    with Responder6(grant6) as server:
        found = json.loads(typed(server.address, "--pd", "--json").stdout)
    assert [(lease["association"], lease["address"]) for lease in found["leases"]] == [
        ("IA_NA", "2001:db8::7"),
        ("IA_PD", "2001:db8:f00::/56"),
    ]
    assert {lease["valid_seconds"] for lease in found["leases"]} == {3600}
    assert (found["duid"], found["server_id"]) == (DUID.hex(), SERVER.hex())
    assert found["options"]["23"] == IPv6Address("2001:db8::53").packed.hex()


def test_release_gives_back_what_was_given() -> None:
    with Responder6(grant6) as server:
        shown = typed(server.address, "--pd", "--release")
    assert "Released." in shown.stdout
    release = server.forwarded[-1]
    assert (release.message_type, release.server_id) == (RELEASE, SERVER)
    assert [str(ia.leases[0].address) for ia in release.associations] == ["2001:db8::7", "2001:db8:f00::"]


def test_a_refusal_is_one_line_in_the_servers_words() -> None:
    with Responder6(refuse6) as server:
        shown = typed(server.address)
    assert shown.exit_code == 3
    assert "all are taken" in shown.stderr
    assert len(shown.stderr.splitlines()) == 1


def test_silence_lists_what_to_look_at() -> None:
    with Responder6(silent6) as server:
        shown = typed(server.address, "--link", "2001:db8:5::1", "--health", "127.0.0.1:1")
    assert shown.exit_code == 1
    watch = f"ipam trace -6 --duid {DUID.hex()}"
    for text in (
        "No answer to SOLICIT",
        "dhcp6_listen",
        "/readyz",
        "Is ::1 a trusted",
        "2001:db8:5::1",
        watch,
    ):
        assert text in shown.stderr


def test_what_a_client_and_its_relay_say() -> None:
    """UEFI's vendor class is Intel's; a name without a dot is no whole one (RFC 4704 section 4.2)."""
    words = {
        "--vendor-class": "PXEClient:Arch:00007",
        "--user-class": "iPXE",
        "--hostname": "kiosk-3",
        "--client-id": "00:04:01",
        "--circuit-id": "ge-0/1",
        "--remote-id": "line 7",
        "--option": "61=7",
        "--request": "59,bootfile-param",
    }
    with Responder6(grant6) as server:
        shown = typed(server.address, *(part for pair in words.items() for part in pair))
    assert shown.exit_code == 0, shown.stderr
    for message in server.forwarded:
        said = dict(message.options)
        assert said[16] == b"\0\0\x01\x57\0\x14PXEClient:Arch:00007"
        assert (said[15], said[39], said[61]) == (b"\0\x04iPXE", b"\0\x07kiosk-3", b"\0\7")
        assert (message.client_id, said[6]) == (b"\0\4\1", b"\0\x3b\0\x3c")
        relayed = dict(message.envelopes[0].options)
        assert (relayed[18], relayed[37]) == (b"ge-0/1", b"\0\0\x01\x57line 7")


def test_a_link_address_of_this_machine_is_where_it_sends_from() -> None:
    with Responder6(grant6) as server:
        found = Client6(server.address, mac=bytes(6), link=IPv6Address("::1"))
        foreign = Client6(server.address, mac=bytes(6), link=IPv6Address("2001:db8::9"))
    with found, foreign:
        assert (found.source, found.link) == (IPv6Address("::1"), IPv6Address("::1"))
        assert (foreign.source, foreign.link) == (IPv6Address("::1"), IPv6Address("2001:db8::9"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["-6", "--count", "2"],
        ["-6", "--vendor-class", ""],
        ["-6", "--interface", "lo", "--link", "::1"],
        ["-6", "--option", "16=0x00"],
        ["-6", "--enterprise", "0"],
        ["-6", "--giaddr", "10.0.0.1"],
        ["-6", "--link", "10.0.0.1"],
        ["-6", "--server", "::1"],
        ["--pd"],
        ["--link", "2001:db8::1"],
    ],
)
def test_bad_arguments_are_usage_errors(arguments: list[str]) -> None:
    assert CliRunner().invoke(probe, arguments).exit_code == 2


def test_an_option_that_stands_several_times_is_a_list() -> None:
    assert said_options([(23, b"\1"), (56, b"\2"), (24, b""), (56, b"\1")]) == {
        "23": "01",
        "56": ["02", "01"],
        "24": "",
    }
