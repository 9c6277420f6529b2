"""The DHCP package's commands. Each imports what it runs only when it runs."""

import sys
from pathlib import Path
from typing import Any

import click

from dhcp_fast.arguments import (
    DEFAULT_HEALTH,
    MOST_IN_FLIGHT,
    read_client_id,
    read_lengths,
    read_mac,
    read_network,
    read_percents,
    read_rates,
    read_scenarios,
    read_server,
    read_windows,
)
from dhcp_fast.probe_command import probe as probe
from ipam_core import settings
from ipam_core.setting_values import Endpoint

OUTPUT = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.option("--worker", type=int, hidden=True, help="Descriptor of the supervisor's channel.")
@click.option(
    "--family",
    type=click.Choice(["4", "6"]),
    help="Serve only this address family. Default: all configured ones.",
)
@click.pass_obj
def dhcp(config: Path | None, worker: int | None, family: str | None) -> None:
    """Run the DHCP server: DHCPv4, and DHCPv6 if dhcp6_listen or dhcp6_interfaces is set. Each is a separate
    process."""
    from dhcp_fast.run import run, run_both, run_worker

    chosen = settings.load(config)
    if worker is not None:
        run_worker(chosen, worker)
    elif family is not None or not settings.serves6(chosen):
        run(chosen, int(family or 4))
    else:
        run_both(chosen)


@click.command()
@click.pass_obj
def dns(config: Path | None) -> None:
    """Run the authoritative DNS server for the zones of the database, over UDP and TCP (dns_listen)."""
    from dhcp_fast.run import run_dns

    run_dns(settings.load(config))


@click.command()
@click.option("--mac", callback=read_mac, help="Hardware address of the client.")
@click.option("--client-id", callback=read_client_id, help="Client identifier (option 61), in hexadecimal.")
@click.option("-6", "ipv6", is_flag=True, help="Trace the DHCPv6 server.")
@click.option("--duid", callback=read_client_id, help="With -6: DUID of the client, in hexadecimal.")
@click.option(
    "--server",
    default=DEFAULT_HEALTH,
    show_default=True,
    callback=read_server,
    help="HOST:PORT of the server's health address.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one event per line.")
def trace(
    *,
    mac: bytes | None,
    client_id: bytes | None,
    ipv6: bool,
    duid: bytes | None,
    server: tuple[str, int],
    as_json: bool,
) -> None:
    """Show a client's packets and the server's decisions live. Works only on the host of the server."""
    from dhcp_fast.trace import TraceOptions
    from dhcp_fast.trace import trace as run

    if ipv6 or duid is not None:
        ipv6 = True
        if client_id is not None or (mac is None and duid is None):
            raise click.UsageError("-6 needs --mac, --duid or both.")
    elif mac is None and client_id is None:
        raise click.UsageError("use --mac, --client-id or --duid.")
    run(
        TraceOptions(
            server=Endpoint(*server),
            mac=(mac or b"").hex(":"),
            client_id=(client_id or b"").hex(":"),
            duid=(duid or b"").hex(":"),
            family=6 if ipv6 else 4,
            as_json=as_json,
        )
    )


@click.command()
@click.argument("capture", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--plan",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Use this plan, written by `ipam import --plan`, instead of the database. Every relay is trusted.",
)
@click.option(
    "--network", callback=read_network, help="Subnet of clients whose network the capture does not show."
)
@click.option("--only-different", is_flag=True, help="Show only clients with a different answer.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def replay(config: Path | None, /, **arguments: Any) -> None:
    """Rehearse a cutover: show what the clients of a capture would get from the current configuration, or from a plan.

    Nothing is sent and nothing is written. Exits with status 0 if every client that was served in the capture gets the
    same, and with 3 if a client gets something else or nothing.
    """
    from dhcp_fast.replay.command import ReplayOptions
    from dhcp_fast.replay.command import replay as run

    sys.exit(run(settings.load(config), ReplayOptions(**arguments)))


class BenchCommand(click.Command):
    """Command that explains the scenarios below the options; they are imported when somebody asks."""

    def format_epilog(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        from dhcp_fast.bench.scenarios import SCENARIOS

        with formatter.section("Scenarios"):
            rows = [(name, scenario.summary) for name, scenario in SCENARIOS.items()]
            formatter.write_dl([*rows, ("all", "All of them with short settings, in one report.")])


@click.command(cls=BenchCommand)
@click.option(
    "--scenario",
    "scenarios",
    default="dora",
    show_default=True,
    callback=read_scenarios,
    help="Scenarios to run, separated by commas.",
)
@click.option("--peer", type=click.Choice(["kea"]), help="Measure this server too, and print the ratios.")
@click.option(
    "--stub",
    is_flag=True,
    help="Measure a responder that decides nothing, which shows the ceiling of the load generator.",
)
@click.option(
    "--workers", default=1, show_default=True, type=click.IntRange(1), help="Workers of the ipam server."
)
@click.option(
    "--realtime",
    is_flag=True,
    help="Run server, database sessions and load generator with realtime scheduling (dhcp_scheduling).",
)
@click.option(
    "--plain",
    is_flag=True,
    help="Comparable with other benchmarks: one packet per message, and a fresh database.",
)
@click.option(
    "--exchanges", default=0, type=click.IntRange(0), help="Exchanges per step, instead of a duration."
)
@click.option("--seconds", type=click.FloatRange(0.1), help="Duration of a step; for soak, of the whole run.")
@click.option(
    "--in-flight",
    "windows",
    callback=read_windows,
    help="Numbers of exchanges in flight, one step each; for fill, the maximum.",
)
@click.option(
    "--rate",
    "rates",
    callback=read_rates,
    help="Exchanges begun per second (open loop), instead of --in-flight.",
)
@click.option("--half/--no-half", default=True, help="dora: add a step at half the rate of 1,024 in flight.")
@click.option("--leases", type=click.IntRange(1), help="Number of active leases at the start.")
@click.option("--subnets", type=click.IntRange(1), help="scale: number of subnets.")
@click.option(
    "--reservations", type=click.IntRange(0), help="scale: number of reservations in all subnets together."
)
@click.option(
    "--clients",
    default=100_000,
    show_default=True,
    type=click.IntRange(1, MOST_IN_FLIGHT),
    help="avalanche: number of clients.",
)
@click.option("--init-reboot", "reboot", is_flag=True, help="avalanche: clients verify their addresses.")
@click.option("--pool", "pools", callback=read_lengths, help="fill: sizes of pools, such as /18,/16,/12.")
@click.option(
    "--fill",
    "fills",
    default="50,90,99,99.9,99.99",
    show_default=True,
    callback=read_percents,
    help="In percent.",
)
@click.option("--fresh", is_flag=True, help="fill: free addresses were never leased before.")
@click.option(
    "--excluded",
    is_flag=True,
    help="fill: fill the pools with excludes and 20,000 leases, to measure the search alone.",
)
@click.option("--json", "report", type=OUTPUT, help="Write the results to this file.")
@click.option("--plots", type=FOLDER, help="Write plots to this folder (needs matplotlib).")
def bench(**arguments: Any) -> None:
    """Benchmark a DHCP server on a fresh database, and audit every acknowledged lease."""
    from dhcp_fast.bench.bench import bench as run
    from dhcp_fast.bench.scenarios.bench_options import BenchOptions

    if arguments["realtime"] and arguments["peer"]:
        raise click.UsageError(
            "use only one of --realtime and --peer: the peer would not get realtime scheduling."
        )
    sys.exit(run(BenchOptions(**arguments)))
