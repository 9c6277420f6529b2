"""`ipam probe` and `ipam bench --stub` as they are typed: what they print and how they exit."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from unit.load.responder import Responder, grant, silent
from unit.load.test_client import refuse

from dhcp_fast.commands import bench, probe
from dhcp_fast.load.generator.stub import Stub
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


def test_no_answer_lists_what_to_check() -> None:
    with Responder(silent) as server:
        address = server.address
    shown = typed(address)
    assert shown.exit_code == 1
    for text in (
        "No answer to DISCOVER",
        "Nothing listens",
        "/readyz",
        "relay_addresses",
        "IPAM_TRUSTED_RELAYS",
    ):
        assert text in shown.stderr


def test_a_nak_is_one_line() -> None:
    with Responder(refuse) as server:
        shown = typed(server.address, "--mac", "020000000105")
    assert shown.exit_code == 1
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
    assert shown.exit_code == 1
    assert shown.stderr.startswith("The relay address 192.0.2.1 is none of this machine's")
    assert "ip address add 192.0.2.1/32 dev lo" in shown.stderr


def test_classes_are_said_in_each_message() -> None:
    with Responder(grant) as server:
        shown = typed(
            server.address, "--mac", "020000000105", "--vendor-class", "PXEClient", "--user-class", "iPXE"
        )
    assert shown.exit_code == 0, shown.stderr
    assert [(m.options[60], m.options[77]) for m in server.messages] == [(b"PXEClient", b"iPXE")] * 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["--count", "2", "--user-class", "iPXE"],
        ["--vendor-class", ""],
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
        (0xFFFFFFFF, "for ever"),
        (None, ""),
    ],
)
def test_durations_in_words(seconds: int | None, text: str) -> None:
    assert duration(seconds) == text
