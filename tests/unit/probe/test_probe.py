"""`ipam probe` and `ipam bench --stub` as they are typed: what they print and how they exit."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from unit.probe.responder import Responder, grant, silent
from unit.probe.test_client import refuse

from dhcp_fast.bench.generator.stub import Stub
from dhcp_fast.commands import bench, probe
from ipam_core.dhcp.describe import duration


def typed(address: tuple[str, int], *arguments: str) -> Result:
    return CliRunner().invoke(probe, ["--server", f"{address[0]}:{address[1]}", *arguments])


def test_prints_the_lease_and_each_option_by_name() -> None:
    with Stub() as stub:
        shown = typed(stub.address, "--mac", "02-00-00-00-00-07", "--release")
    assert shown.exit_code == 0
    for text in ("10.64.0.7", "02:00:00:00:00:07", "1 hour", "domain-name-servers (6): 10.64.0.2, 10.64.0.3"):
        assert text in shown.stdout


def test_the_same_lease_as_json() -> None:
    with Stub() as stub:
        found = json.loads(typed(stub.address, "--mac", "020000000007", "--json").stdout)
    assert (found["address"], found["lease_time_seconds"], found["server_id"]) == (
        "10.64.0.7",
        3600,
        "127.0.0.1",
    )
    assert found["options"]["15"] == b"bench.example".hex()


def test_a_count_prints_rate_and_percentiles() -> None:
    with Stub() as stub:
        shown = typed(stub.address, "--count", "300", "--release")
        found = json.loads(typed(stub.address, "--count", "300", "--json").stdout)
    assert shown.exit_code == 0
    assert "300 of 300 clients" in shown.stdout
    assert "p99" in shown.stdout
    assert (found["exchanges"], found["drops"], found["naks"]) == (300, 0, 0)
    assert found["latency_ms"]["p50"] <= found["latency_ms"]["p99"] <= found["latency_ms"]["max"]


def test_a_closed_port_is_said_to_be_one() -> None:
    with Responder(silent) as server:
        address = server.address
    shown = typed(address)
    assert shown.exit_code == 1
    assert shown.stderr.startswith(
        f"No answer to DISCOVER from 127.0.0.1:{address[1]}\nNothing listens on UDP port"
    )


def test_silence_lists_what_to_look_at() -> None:
    with Responder(silent) as server:
        shown = typed(server.address, "--mac", "020000000105", "--health", "127.0.0.1:1")
    assert shown.exit_code == 1
    for text in ("No answer to DISCOVER", "/readyz", "relay_addresses", "Is 127.0.0.1 a trusted relay?"):
        assert text in shown.stderr
    assert "ipam trace --mac 02:00:00:00:01:05" in shown.stderr


def test_a_nak_is_one_line() -> None:
    with Responder(refuse) as server:
        shown = typed(server.address, "--mac", "020000000105")
    assert shown.exit_code == 3
    assert shown.stderr.startswith("The server refused 10.64.1.5")


def test_a_relay_address_of_this_machine_is_where_answers_arrive() -> None:
    with Responder(grant) as server:
        shown = typed(server.address, "--mac", "020000000105", "--giaddr", "127.0.0.9")
    assert shown.exit_code == 0, shown.stderr
    assert {str(message.giaddr) for message in server.messages} == {"127.0.0.9"}
    assert {source[0] for source in server.sources} == {"127.0.0.9"}


@pytest.mark.parametrize("more", [(), ("--count", "2")])
def test_a_relay_address_of_another_machine_is_refused_with_what_to_do(more: tuple[str, ...]) -> None:
    with Responder(silent) as server:
        shown = typed(server.address, "--giaddr", "192.0.2.1", *more)
        assert server.messages == []
    assert shown.exit_code == 4
    assert shown.stderr.startswith(
        "192.0.2.1 is no address of this machine: a server answers to the relay address"
    )
    assert "ip address add 192.0.2.1/32 dev lo" in shown.stderr


def test_classes_are_said_in_each_message() -> None:
    with Responder(grant) as server:
        shown = typed(
            server.address, "--mac", "020000000105", "--vendor-class", "PXEClient", "--user-class", "iPXE"
        )
    assert shown.exit_code == 0, shown.stderr
    assert [(m.options[60], m.options[77]) for m in server.messages] == [(b"PXEClient", b"iPXE")] * 2


def test_what_a_client_and_its_relay_say() -> None:
    words = {
        "--hostname": "kiosk-3",
        "--client-id": "01:02:03",
        "--circuit-id": "ge-0/1",
        "--remote-id": "0x00ff",
        "--request": "6,boot-file-name,121",
    }
    options = ("93=7,9", "97=0x" + "00" * 17, "domain-search=lab.example,example", "224=any text", "19=true")
    typed_words = [part for pair in words.items() for part in pair]
    with Responder(grant) as server:
        shown = typed(
            server.address, *typed_words, *(part for text in options for part in ("--option", text))
        )
    assert shown.exit_code == 0, shown.stderr
    for message in server.messages:
        said = message.options
        assert (said[12], said[61], said[55]) == (b"kiosk-3", b"\1\2\3", b"\x06\x43\x79")
        assert said[82] == b"\x01\x06ge-0/1\x02\x02\x00\xff\x13\x00"
        assert (said[93], said[97], said[19], said[224]) == (b"\0\7\0\x09", bytes(17), b"\1", b"any text")
        assert said[119].startswith(b"\3lab\7example\0")


def test_an_option_of_any_shape_as_the_api_has_it() -> None:
    route = '121={"routes": [{"destination": "10.0.0.0/8", "router": "192.0.2.1"}]}'
    with Responder(grant) as server:
        assert typed(server.address, "--option", route).exit_code == 0
    assert server.messages[0].options[121] == bytes.fromhex("080ac0000201")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("93=70000", "93=70000: option 93 (client-system) takes"),
        (
            "61=0x01",
            "61=0x01: option 61 (dhcp-client-identifier) is set by the probe itself: use --client-id",
        ),
        ("colour=red", "colour: is neither a number nor the name of a DHCPv4 option"),
    ],
)
def test_an_option_that_does_not_fit_says_what_does(text: str, reason: str) -> None:
    assert reason in CliRunner().invoke(probe, ["--option", text]).stderr


def test_an_interface_that_is_not_there() -> None:
    shown = CliRunner().invoke(probe, ["--interface", "no-such0", "--json"])
    assert shown.exit_code == 4
    told = json.loads(shown.stdout)
    assert told["outcome"] == "not_asked"
    assert told["error"].startswith(
        "Nothing can be asked on no-such0: this host has no such interface; it has lo"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["--count", "2", "--user-class", "iPXE"],
        ["--vendor-class", ""],
        ["--pd"],
        ["--enterprise", "9"],
        ["--interface", "lo", "--giaddr", "127.0.0.1"],
        ["--interface", "lo", "--circuit-id", "p1"],
        ["--option", "93"],
        ["--option", "82=0x01"],
        ["--option", "no-such-option=1"],
        ["--option", "300=1"],
        ["--option", "93=x"],
        ["--option", "97=0x0"],
        ["--option", "6=192.0.2.300"],
        ["--option", "121={"],
        ["--option", "43=0x" + "00" * 256],
        ["--request", "0"],
        ["--request", ""],
        ["--hostname", "a b"],
        ["--mac", "02:00"],
        ["--server", "host"],
        ["--giaddr", "x"],
        ["--count", "0"],
    ],
)
def test_bad_arguments_are_usage_errors(arguments: list[str]) -> None:
    assert CliRunner().invoke(probe, arguments).exit_code == 2


def test_bench_of_the_stub_writes_its_figures(tmp_path: Path) -> None:
    report = tmp_path / "figures.json"
    typed_bench = [
        "--stub",
        "--no-half",
        "--exchanges",
        "2000",
        "--in-flight",
        "16,64",
        "--json",
        str(report),
    ]
    shown = CliRunner().invoke(bench, typed_bench)
    assert shown.exit_code == 0
    figures = json.loads(report.read_text())
    assert [step["in_flight"] for step in figures["results"][0]["steps"]] == [16, 64]
    assert all(step["exchanges"] == 2000 for step in figures["results"][0]["steps"])
    assert set(figures["machine"]) == {"cpu", "cores", "kernel", "python", "postgresql", "disk"}


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 seconds"),
        (1, "1 second"),
        (5400, "1 hour 30 minutes"),
        (86400, "1 day"),
        (0xFFFFFFFF, "forever"),
        (None, ""),
    ],
)
def test_durations_in_words(seconds: int | None, text: str) -> None:
    assert duration(seconds) == text
