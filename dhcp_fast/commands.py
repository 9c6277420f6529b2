"""The DHCP package's commands. Each imports what it runs only when it runs."""

import sys
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from pathlib import Path
from typing import Any

import click

from ipam_core import settings

DEFAULT_SERVER = "127.0.0.1:6767"
DEFAULT_SERVER6 = "[::1]:5547"
DEFAULT_HEALTH = "127.0.0.1:8081"
MOST_IN_FLIGHT = 1 << 17
OUTPUT = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


def read_server(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[str, int]:
    return endpoint_of(value)


def endpoint_of(value: str) -> tuple[str, int]:
    """Raises BadParameter; an IPv6 address stands in brackets."""
    host, _, port = value.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise click.BadParameter("expected HOST:PORT", param_hint="--server")
    if ":" in host and not (host.startswith("[") and host.endswith("]")):
        raise click.BadParameter("an IPv6 address stands in brackets, as [::1]:5547", param_hint="--server")
    return host.removeprefix("[").removesuffix("]"), int(port)


def read_address6(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> IPv6Address | None:
    try:
        return None if value is None else IPv6Address(value)
    except AddressValueError:
        raise click.BadParameter("expected an IPv6 address") from None


def read_mac(_context: click.Context, _parameter: click.Parameter, value: str | None) -> bytes | None:
    if value is None:
        return None
    try:
        mac = bytes.fromhex(value.replace(":", "").replace("-", "").replace(".", ""))
    except ValueError:
        mac = b""
    if len(mac) != 6:
        raise click.BadParameter("expected six octets in hexadecimal, as 02:00:5e:10:00:01")
    return mac


def read_client_id(_context: click.Context, _parameter: click.Parameter, value: str | None) -> bytes | None:
    try:
        found = None if value is None else bytes.fromhex(value.replace(":", "").removeprefix("0x"))
    except ValueError:
        found = b""
    if found is not None and not 0 < len(found) <= 255:
        raise click.BadParameter("expected 1 to 255 octets in hexadecimal, as 01:02:00:5e:10:00:01")
    return found


def read_class(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and not 0 < len(value.encode()) <= 255:
        raise click.BadParameter("expected 1 to 255 octets")
    return value


def read_address(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> IPv4Address | None:
    try:
        return None if value is None else IPv4Address(value)
    except AddressValueError:
        raise click.BadParameter("expected an IPv4 address") from None


def read_network(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> IPv4Network | IPv6Network | None:
    try:
        return None if value is None else ip_network(value)
    except ValueError:
        raise click.BadParameter("expected a network, as 10.0.0.0/24 or 2001:db8::/64") from None


def read_windows(_context: click.Context, _parameter: click.Parameter, value: str | None) -> tuple[int, ...]:
    return read_numbers(value, MOST_IN_FLIGHT) if value else ()


def read_rates(_context: click.Context, _parameter: click.Parameter, value: str | None) -> tuple[int, ...]:
    return read_numbers(value, 1_000_000) if value else ()


def read_numbers(text: str, largest: int) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.strip().isdigit() and 0 < int(part) <= largest for part in parts):
        raise click.BadParameter(f"expected numbers from 1 to {largest}, separated by commas")
    return tuple(int(part) for part in parts)


def read_scenarios(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[str, ...]:
    from dhcp_fast.load.scenarios import SCENARIOS

    names = tuple(value.split(","))
    if value != "all" and (unknown := set(names) - set(SCENARIOS)):
        raise click.BadParameter(f"{', '.join(sorted(unknown))}: expected all, {', '.join(SCENARIOS)}")
    return names


def read_lengths(_context: click.Context, _parameter: click.Parameter, value: str | None) -> tuple[int, ...]:
    lengths = read_numbers(value.replace("/", ""), 24) if value else ()
    if any(length < 8 for length in lengths):
        raise click.BadParameter("expected prefix lengths from /8 to /24, separated by commas")
    return lengths


def read_percents(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[float, ...]:
    try:
        percents = tuple(float(part) for part in value.split(","))
    except ValueError:
        percents = ()
    if not percents or not all(0 < percent < 100 for percent in percents):
        raise click.BadParameter("expected percentages between 0 and 100, separated by commas")
    return percents


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
@click.option("-6", "ipv6", is_flag=True, help="Ask by DHCPv6.")
@click.option("--server", help=f"HOST:PORT. Default: {DEFAULT_SERVER}, with -6 {DEFAULT_SERVER6}.")
@click.option("--mac", callback=read_mac, help="The client's MAC; by default one that this machine keeps.")
@click.option(
    "--link", callback=read_address6, help="With -6: the link-address that the relay says. Default: our own."
)
@click.option("--pd", "delegation", is_flag=True, help="With -6: ask for a delegated prefix too.")
@click.option(
    "--giaddr", callback=read_address, help="The relay address; one of this machine's. Default: our own."
)
@click.option("--vendor-class", callback=read_class, help="What the client says in option 60, as PXEClient.")
@click.option("--user-class", callback=read_class, help="What it says in option 77, as iPXE.")
@click.option("--count", default=1, show_default=True, type=click.IntRange(1), help="How many clients.")
@click.option("--release", is_flag=True, help="Give the addresses back at the end.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def probe(
    *, ipv6: bool, server: str | None, link: IPv6Address | None, delegation: bool, **arguments: Any
) -> None:
    """Ask a DHCP server for an address, as a client behind a relay, and show what it gives."""
    from dhcp_fast.load.probe import ProbeOptions
    from dhcp_fast.load.probe import probe as run

    if ipv6:
        sys.exit(probe6(server or DEFAULT_SERVER6, link=link, delegation=delegation, **arguments))
    if link is not None or delegation:
        raise click.UsageError("--link and --pd are of DHCPv6: add -6.")
    arguments["server"] = endpoint_of(server or DEFAULT_SERVER)
    if arguments["count"] > 1 and (arguments["vendor_class"] or arguments["user_class"]):
        raise click.UsageError("--vendor-class and --user-class are of one client: leave --count out.")
    sys.exit(run(ProbeOptions(**arguments)))


def probe6(server: str, **arguments: Any) -> int:
    from dhcp_fast.load.probe6 import Probe6
    from dhcp_fast.load.probe6 import probe as run

    wanted = ("mac", "link", "delegation", "release", "as_json")
    unused = [name for name in ("giaddr", "vendor_class", "user_class") if arguments[name]]
    if unused or arguments["count"] > 1:
        raise click.UsageError(
            "-6 asks for one client, and takes --mac, --link, --pd, --release and --json alone."
        )
    return run(Probe6(server=endpoint_of(server), **{name: arguments[name] for name in wanted}))


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
            server=settings.Endpoint(*server),
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
    "--network", callback=read_network, help="The subnet of clients whose network the capture does not tell."
)
@click.option("--only-different", is_flag=True, help="Leave out the clients that get the same.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def replay(config: Path | None, /, **arguments: Any) -> None:
    """Rehearse a cutover: what the clients of a capture would get from the current configuration.

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
