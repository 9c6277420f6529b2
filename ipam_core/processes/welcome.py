"""Text that `ipam up` prints when it is ready: the address of each part, and on a terminal the next steps."""

import shlex
import sys
from ipaddress import ip_address
from pathlib import Path

import click
import msgspec

from ipam_core import bootstrap_code
from ipam_core.processes.supervisor import say
from ipam_core.setting_values import Endpoint
from ipam_core.settings import BASE_PATH, Settings

PROBED = Endpoint("127.0.0.1", 6767)  # default server of `ipam probe`
PROBED6 = Endpoint("::1", 5547)  # default server of `ipam probe -6`

EMPTY = """\
The plan is empty, so no client gets an address yet. Create a network:
  {ipam} create prefixes cidr=10.40.0.0/16
  {ipam} create subnets cidr=10.40.10.0/24 gateway=10.40.10.1 name=office
  {ipam} create pools subnet=office start_ip=10.40.10.100 end_ip=10.40.10.199
The tutorial docs/tutorials/first-lan.md continues from here. To look around first, start with --demo.
"""


class Found(msgspec.Struct, frozen=True):
    """State of the database at the start."""

    has_token: bool
    has_subnet: bool
    demo: bool
    """The database contains the demonstration plan."""


def announce(chosen: Settings, seconds: float, found: Found) -> None:
    """Print the addresses; on a terminal also the first token and the first commands."""
    click.echo(f"ipam is ready ({seconds:.1f} s)\n\n{parts(chosen)}")
    if sys.stdout.isatty():
        first = "" if found.has_token else first_token(chosen)
        click.echo(f"\n{first}{first_steps(chosen, found)}\nCtrl-C stops everything.")
    elif not found.has_token:
        click.echo(f"\nNo token exists yet. Create one on this host:\n  {token_command(chosen)}")


def parts(chosen: Settings) -> str:
    base = web(chosen)
    database = "set by database_url" if chosen.database_url else f"embedded, data in {chosen.data_dir}"
    return f"""\
  console     {base}/console/
  API         {base}{BASE_PATH} (reference: {base}/docs)
  DHCPv4      {listening4(chosen)}
  DHCPv6      {listening6(chosen)}
  DNS         {", ".join(map(str, chosen.dns_listen))}
  health      http://{chosen.health_listen}/readyz, /healthz, /metrics
  PostgreSQL  {database}"""


def web(chosen: Settings) -> str:
    return f"{scheme(chosen)}://{chosen.api_listen}"


def scheme(chosen: Settings) -> str:
    return "https" if chosen.api_tls_certificate else "http"


def listening4(chosen: Settings) -> str:
    direct = f"; directly on {', '.join(chosen.dhcp4_interfaces)}" if chosen.dhcp4_interfaces else ""
    return f"{', '.join(map(str, chosen.dhcp4_listen))} (relayed and unicast){direct}"


def listening6(chosen: Settings) -> str:
    relayed = ", ".join(map(str, chosen.dhcp6_listen)) + " (relayed)" if chosen.dhcp6_listen else ""
    direct = f"directly on {', '.join(chosen.dhcp6_interfaces)}" if chosen.dhcp6_interfaces else ""
    return "; ".join(filter(None, (relayed, direct))) or "not served (dhcp6_listen, dhcp6_interfaces)"


def first_token(chosen: Settings) -> str:
    """Return how to create the first token: by a link for a browser on this host, or by a command."""
    link = console_link(chosen)
    command = f"  {token_command(chosen)}\n"
    if not link:
        return f"No token exists yet. Create one on this host:\n{command}\n"
    return f"""\
Open the console with this link. It creates the first token (on this host, once, within an hour):
  {link}
Or create the token on the command line:
{command}
"""


def console_link(chosen: Settings) -> str:
    """Return the link with its one-time code, which the API accepts over loopback only; empty where the API does not
    listen there."""
    host = loopback_of(chosen.api_listen.host, scheme(chosen))
    if host is None:
        return ""
    try:
        code = bootstrap_code.issue(chosen.data_dir)
    except OSError as error:
        say(f"cannot write the one-time code for the console: {error}")
        return ""
    return f"{scheme(chosen)}://{Endpoint(host, chosen.api_listen.port)}/console/#code={code}"


def loopback_of(host: str, scheme: str) -> str | None:
    """Return the loopback name at which an API that listens on `host` answers."""
    address = {"0.0.0.0": "127.0.0.1", "::": "::1", "localhost": "127.0.0.1"}.get(host, host)  # noqa: S104 - compared
    if not ip_address(address).is_loopback:
        return None
    return "localhost" if scheme == "https" else address


def token_command(chosen: Settings) -> str:
    """Return the command that creates an admin's token with these settings."""
    found = {Path("data").resolve(), Settings().data_dir}
    data = "" if chosen.data_dir.resolve() in found else f"IPAM_DATA_DIR={shlex.quote(str(chosen.data_dir))} "
    return f"{data}{ipam_command()} token create --name admin --role admin"


def first_steps(chosen: Settings, found: Found) -> str:
    if not found.has_subnet:
        return EMPTY.format(ipam=ipam_command())
    boot = f"  {probe(chosen)} --vendor-class PXEClient --option 93=7\n" if found.demo else ""
    boot += " " * 30 + "boot as UEFI firmware: next server and boot file\n" if boot else ""
    six = f"  {probe6(chosen)} --pd\n" + " " * 30 + "get an IPv6 address and a delegated prefix\n"
    return f"""\
Next, in another terminal:
  {probe(chosen)}
                              get a lease, and show each option
  {probe(chosen)} --count 1000
                              measure rate and latency
{boot}{six if chosen.dhcp6_listen else ""}"""


def probe(chosen: Settings) -> str:
    return f"{ipam_command()} probe{server_option(chosen)}"


def probe6(chosen: Settings) -> str:
    return f"{ipam_command()} probe -6{server_option6(chosen)}"


def server_option(chosen: Settings) -> str:
    """Return the option with which `ipam probe` reaches our DHCP server; empty where that is its default."""
    listening = chosen.dhcp4_listen[0] if chosen.dhcp4_listen else PROBED
    host = "127.0.0.1" if listening.host == "0.0.0.0" else listening.host  # noqa: S104 - compared, not bound
    asked = Endpoint(host, listening.port)
    return "" if asked == PROBED else f" --server {asked}"


def server_option6(chosen: Settings) -> str:
    """Return the same for DHCPv6. The probe is a relay, so it asks an address that listens for relays."""
    listening = chosen.dhcp6_listen[0] if chosen.dhcp6_listen else PROBED6
    asked = Endpoint("::1", listening.port) if listening.host == "::" else listening
    return "" if asked == PROBED6 else f" --server {asked}"


def ipam_command() -> str:
    """Return the command as typed, or its name where a child process or a test started it in another way."""
    typed = Path(sys.argv[0])
    return str(typed) if typed.name == "ipam" else "ipam"
