"""`ipam probe` as it is typed: which options are of which family, and of a relay or of a wire."""

import socket
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import click

from dhcp_fast.arguments import (
    DEFAULT_HEALTH,
    check_name,
    endpoint_of,
    read_address,
    read_address6,
    read_client_id,
    read_hostname,
    read_mac,
    read_server,
    read_text_or_octets,
)
from ipam_core.errors import ValidationError

DEFAULT_SERVER = "127.0.0.1:6767"
DEFAULT_SERVER6 = "[::1]:5547"
WORDS = ("vendor_class", "user_class", "client_id", "hostname", "circuit_id", "remote_id", "enterprise")
OF_RELAYS = ("server", "giaddr", "link", "circuit_id", "remote_id")
OF_ONE_CLIENT = (
    "mac", "interface", "vendor_class", "user_class", "client_id", "hostname", "remote_id", "option", "request",
)  # fmt: skip
EPILOG = (
    "Exit status: 0 every client got an address; 1 nobody answered (with --count: not each client); 2 it was typed"
    " wrongly; 3 the server refused (NAK, or an answer without a lease); 4 nothing could be asked from here."
)


@click.command(epilog=EPILOG)
@click.option("-6", "ipv6", is_flag=True, help="Ask by DHCPv6.")
@click.option(
    "--server",
    help=f"HOST:PORT, or HOST for port 67, with -6 547. Default: {DEFAULT_SERVER}, with -6 {DEFAULT_SERVER6}.",
)
@click.option("--mac", callback=read_mac, help="The client's MAC; by default one that this machine keeps.")
@click.option(
    "--giaddr", callback=read_address, help="The relay address; one of this machine's. Default: our own."
)
@click.option(
    "--link",
    "--link-address",
    "link",
    callback=read_address6,
    help="With -6: the link-address that the relay says. Default: our own.",
)
@click.option("--circuit-id", callback=read_text_or_octets, help="What the relay says of the client's port.")
@click.option("--remote-id", callback=read_text_or_octets, help="What the relay says of the client's line.")
@click.option(
    "--interface", help="Ask on the wire of this interface, without a relay; needs root or CAP_NET_RAW."
)
@click.option(
    "--vendor-class", callback=read_text_or_octets, help="Option 60, as PXEClient; with -6 option 16."
)
@click.option("--user-class", callback=read_text_or_octets, help="Option 77, as iPXE; with -6 option 15.")
@click.option(
    "--enterprise",
    type=click.IntRange(1, 0xFFFFFFFF),
    help="With -6: whose vendor class or remote id it is. Default: 343, as UEFI says.",
)
@click.option("--client-id", callback=read_client_id, help="Option 61, with -6 the DUID; in hexadecimal.")
@click.option("--hostname", callback=read_hostname, help="The client's name: option 12, with -6 option 39.")
@click.option(
    "--option",
    multiple=True,
    metavar="CODE=VALUE",
    help="Any other option by number or name: 93=7, 97=0x00..., 121='{\"routes\": ...}'. Several times.",
)
@click.option("--request", metavar="CODES", help="Ask for these options instead of the usual ones: 6,66,67.")
@click.option("--pd", "delegation", is_flag=True, help="With -6: ask for a delegated prefix too.")
@click.option("--count", default=1, show_default=True, type=click.IntRange(1), help="How many clients.")
@click.option("--release", is_flag=True, help="Give the addresses back at the end.")
@click.option(
    "--health",
    default=DEFAULT_HEALTH,
    show_default=True,
    callback=read_server,
    help="HOST:PORT of the server's health address, asked why it gave no answer; on its own machine only.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def probe(*, ipv6: bool, **typed: Any) -> None:
    """Ask a DHCP server for an address, as a client behind a relay or on a wire, and show what it gives.

    Text is sent as it is typed; octets are written 0x01ab.
    """
    check(ipv6, typed)
    server = endpoint_of(
        typed["server"] or (DEFAULT_SERVER6 if ipv6 else DEFAULT_SERVER), 547 if ipv6 else 67
    )
    check_name(server, socket.AF_INET6 if ipv6 else socket.AF_INET)
    words = words_of(6 if ipv6 else 4, typed)
    same = {name: typed[name] for name in ("mac", "interface", "release", "health", "as_json")}
    if ipv6:
        from dhcp_fast.load.probe6 import Probe6
        from dhcp_fast.load.probe6 import probe as run6

        asked6 = {"link": typed["link"], "delegation": typed["delegation"], **same}
        sys.exit(run6(Probe6(server=server, words=words, **asked6)))
    from dhcp_fast.load.probe import ProbeOptions
    from dhcp_fast.load.probe import probe as run4

    asked = {"giaddr": typed["giaddr"], "count": typed["count"], **same}
    sys.exit(run4(ProbeOptions(server=server, words=words, **asked)))


def check(ipv6: bool, typed: Mapping[str, Any]) -> None:
    """Raises UsageError where options are together that have nothing to say to each other."""
    if ipv6:
        refuse(typed, ("giaddr",), "is of DHCPv4: with -6 the relay says --link")
        if typed["count"] > 1:
            raise click.UsageError("-6 asks for one client: leave --count out.")
    else:
        refuse(typed, ("link", "delegation", "enterprise"), "is of DHCPv6: add -6")
    if typed["interface"] is not None:
        refuse(typed, OF_RELAYS, "is of a relay, and with --interface there is none")
    if typed["count"] > 1:
        refuse(typed, OF_ONE_CLIENT, "is of one client: leave --count out")


def refuse(typed: Mapping[str, Any], names: Iterable[str], why: str) -> None:
    for name in names:
        if typed[name]:
            raise click.UsageError(f"{SPELLED.get(name, '--' + name.replace('_', '-'))} {why}.")


SPELLED = {"delegation": "--pd"}


def words_of(family: int, typed: Mapping[str, Any]) -> Any:
    from dhcp_fast.load.said import Words, read_codes, read_options

    said = {name: typed[name] for name in WORDS if typed[name] is not None}
    try:
        options = read_options(family, typed["option"])
        request = read_codes(family, typed["request"]) if typed["request"] is not None else ()
    except ValidationError as error:
        raise click.UsageError(str(error)) from None
    return Words(options=options, request=request, **said)
