"""`ipam probe -6` as it is typed: what it asks by the oracle's reading, what it prints and how it exits."""

import json
from ipaddress import IPv6Address

import pytest
from click.testing import CliRunner, Result
from oracle.message6 import RELEASE, REQUEST, SOLICIT
from oracle.options6 import IA_NA, IA_PD
from unit.load.responder6 import SERVER, Responder6, grant6, refuse6, silent6

from dhcp_fast.commands import probe

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
    assert "Released again." in shown.stdout
    release = server.forwarded[-1]
    assert (release.message_type, release.server_id) == (RELEASE, SERVER)
    assert [str(ia.leases[0].address) for ia in release.associations] == ["2001:db8::7", "2001:db8:f00::"]


def test_a_refusal_is_one_line_in_the_servers_words() -> None:
    with Responder6(refuse6) as server:
        shown = typed(server.address)
    assert shown.exit_code == 1
    assert "all are taken" in shown.stderr
    assert len(shown.stderr.splitlines()) == 1


def test_no_answer_lists_what_to_check() -> None:
    with Responder6(silent6) as server:
        address = server.address
    shown = typed(address, "--link", "2001:db8:5::1")
    assert shown.exit_code == 1
    for text in ("No answer to SOLICIT", "dhcp6_listen", "/readyz", "trusted-relays", "2001:db8:5::1"):
        assert text in shown.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["-6", "--count", "2"],
        ["-6", "--vendor-class", "PXEClient"],
        ["-6", "--giaddr", "10.0.0.1"],
        ["-6", "--link", "10.0.0.1"],
        ["-6", "--server", "::1"],
        ["--pd"],
        ["--link", "2001:db8::1"],
    ],
)
def test_bad_arguments_are_usage_errors(arguments: list[str]) -> None:
    assert CliRunner().invoke(probe, arguments).exit_code == 2
