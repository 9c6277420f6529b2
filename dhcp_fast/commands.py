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
@click.option("--worker", type=int, hidden=True, help="The descriptor of the supervisor's channel.")
@click.option(
    "--family", type=click.Choice(["4", "6"]), help="Serve this one alone. Default: all that are set."
)
@click.pass_obj
def dhcp(config: Path | None, worker: int | None, family: str | None) -> None:
    """Serve DHCPv4 from the database, and DHCPv6 where it is set (dhcp6_listen, dhcp6_interfaces), each by a process of
    its own."""
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
    """Answer DNS queries from the zones of the database, authoritatively; over UDP and TCP (dns_listen)."""
    from dhcp_fast.run import run_dns

    run_dns(settings.load(config))


@click.command()
@click.option("--mac", callback=read_mac, help="The client's hardware address.")
@click.option(
    "--client-id", callback=read_client_id, help="Its client identifier (option 61), in hexadecimal."
)
@click.option("-6", "ipv6", is_flag=True, help="Of the DHCPv6 server.")
@click.option("--duid", callback=read_client_id, help="With -6: the client's DUID, in hexadecimal.")
@click.option("--server", default=DEFAULT_HEALTH, show_default=True, callback=read_server, help="HOST:PORT.")
@click.option("--json", "as_json", is_flag=True, help="Print the server's JSON lines.")
def trace(
    *,
    mac: bytes | None,
    client_id: bytes | None,
    ipv6: bool,
    duid: bytes | None,
    server: tuple[str, int],
    as_json: bool,
) -> None:
    """Show a client's packets and the server's decisions on them, live. On the server's own machine only."""
    from dhcp_fast.trace import TraceOptions
    from dhcp_fast.trace import trace as run

    if ipv6 or duid is not None:
        ipv6 = True
        if client_id is not None or (mac is None and duid is None):
            raise click.UsageError("-6 takes --mac, --duid or both.")
    elif mac is None and client_id is None:
        raise click.UsageError("--mac, --client-id or --duid is needed.")
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
    help="Rehearse this plan, which `ipam import --plan` wrote, in place of the database's; every relay is trusted.",
)
@click.option(
    "--network", callback=read_network, help="The subnet of clients whose network the capture does not tell."
)
@click.option("--only-different", is_flag=True, help="Leave out the clients that get the same.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def replay(config: Path | None, /, **arguments: Any) -> None:
    """Rehearse a cutover: what the clients of a capture would get from the current configuration, or from a plan.

    Nothing is sent and nothing is written. The exit status is 0 when every client that the capture's server served
    gets the same, 3 when somebody gets something else or nothing.
    """
    from dhcp_fast.replay.command import ReplayOptions
    from dhcp_fast.replay.command import replay as run

    sys.exit(run(settings.load(config), ReplayOptions(**arguments)))


class BenchCommand(click.Command):
    """Explains the scenarios below the options; they are imported when somebody asks."""

    def format_epilog(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        from dhcp_fast.load.scenarios import SCENARIOS

        with formatter.section("Scenarios"):
            rows = [(name, scenario.summary) for name, scenario in SCENARIOS.items()]
            formatter.write_dl([*rows, ("all", "Every one with short settings, in one report.")])


@click.command(cls=BenchCommand)
@click.option(
    "--scenario",
    "scenarios",
    default="dora",
    show_default=True,
    callback=read_scenarios,
    help="Or several, A,B.",
)
@click.option("--peer", type=click.Choice(["kea"]), help="Drive this server too, and print the ratios.")
@click.option("--stub", is_flag=True, help="Drive a responder that decides nothing: the generator's ceiling.")
@click.option(
    "--workers", default=1, show_default=True, type=click.IntRange(1), help="Workers of our server."
)
@click.option(
    "--realtime", is_flag=True, help="Schedule server, writers' sessions and generator so (dhcp_scheduling)."
)
@click.option(
    "--plain",
    is_flag=True,
    help="As others measure: a packet a message both ways, a fresh database's log.",
)
@click.option("--exchanges", default=0, type=click.IntRange(0), help="Exchanges a step, instead of a time.")
@click.option("--seconds", type=click.FloatRange(0.1), help="Length of a step; of all of a soak.")
@click.option("--in-flight", "windows", callback=read_windows, help="A step each; in fill the most.")
@click.option("--rate", "rates", callback=read_rates, help="Begin so many a second instead: an open loop.")
@click.option("--half/--no-half", default=True, help="dora: a step at half the rate of 1,024 in flight.")
@click.option("--leases", type=click.IntRange(1), help="Leases that are held at the beginning.")
@click.option("--subnets", type=click.IntRange(1), help="scale: how many.")
@click.option("--reservations", type=click.IntRange(0), help="scale: in all of its subnets together.")
@click.option(
    "--clients",
    default=100_000,
    show_default=True,
    type=click.IntRange(1, MOST_IN_FLIGHT),
    help="avalanche: how many.",
)
@click.option("--init-reboot", "reboot", is_flag=True, help="avalanche: the clients verify their addresses.")
@click.option("--pool", "pools", callback=read_lengths, help="fill: sizes of pools, as /18,/16,/12.")
@click.option(
    "--fill",
    "fills",
    default="50,90,99,99.9,99.99",
    show_default=True,
    callback=read_percents,
    help="In percent.",
)
@click.option("--fresh", is_flag=True, help="fill: what is free was never leased, instead of leased before.")
@click.option("--excluded", is_flag=True, help="fill: full of excludes and 20,000 leases: the search alone.")
@click.option("--json", "report", type=OUTPUT, help="Write the figures here.")
@click.option("--plots", type=FOLDER, help="Draw the figures into this folder (needs matplotlib).")
def bench(**arguments: Any) -> None:
    """Storm a DHCP server of our own on a fresh database, and audit every lease that it acknowledged."""
    from dhcp_fast.load.bench import bench as run
    from dhcp_fast.load.scenarios.bench_options import BenchOptions

    if arguments["realtime"] and arguments["peer"]:
        raise click.UsageError(
            "--realtime and --peer exclude each other: the peer would be scheduled fairly."
        )
    sys.exit(run(BenchOptions(**arguments)))
