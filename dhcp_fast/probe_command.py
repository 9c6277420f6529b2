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
    "Exit status 0: every client got an address. 1: no answer, or with --count not for each client. 2: invalid options."
    " 3: the server refused (NAK, or an answer without a lease). 4: this host could not send the request."
)


@click.command(epilog=EPILOG)
@click.option("-6", "ipv6", is_flag=True, help="Use DHCPv6.")
@click.option(
    "--server",
    help=f"Server: HOST:PORT, or HOST for port 67 (with -6: 547). Default: {DEFAULT_SERVER}, with -6 "
    f"{DEFAULT_SERVER6}.",
)
@click.option(
    "--mac", callback=read_mac, help="MAC address of the client. Default: a made-up one that this host keeps."
)
@click.option(
    "--giaddr",
    callback=read_address,
    help="Relay address (giaddr), one of this host's addresses. Default: the source address.",
)
@click.option(
    "--link",
    "--link-address",
    "link",
    callback=read_address6,
    help="With -6: link address of the relay agent. Default: the source address.",
)
@click.option("--circuit-id", callback=read_text_or_octets, help="Circuit ID of the relay agent.")
@click.option("--remote-id", callback=read_text_or_octets, help="Remote ID of the relay agent.")
@click.option(
    "--interface", help="Ask on the link of this interface, without a relay. Needs root or CAP_NET_RAW."
)
@click.option(
    "--vendor-class",
    callback=read_text_or_octets,
    help="Vendor class: option 60, such as PXEClient; with -6 option 16.",
)
@click.option(
    "--user-class",
    callback=read_text_or_octets,
    help="User class: option 77, such as iPXE; with -6 option 15.",
)
@click.option(
    "--enterprise",
    type=click.IntRange(1, 0xFFFFFFFF),
    help="With -6: enterprise number of vendor class and remote ID. Default: 343, as UEFI sends.",
)
@click.option(
    "--client-id", callback=read_client_id, help="Client ID (option 61), with -6 the DUID; in hexadecimal."
)
@click.option(
    "--hostname", callback=read_hostname, help="Hostname of the client: option 12, with -6 option 39."
)
@click.option(
    "--option",
    multiple=True,
    metavar="CODE=VALUE",
    help="Another option, by number or name: 93=7, 97=0x00..., 121='{\"routes\": ...}'. May be repeated.",
)
@click.option("--request", metavar="CODES", help="Request these options instead of the usual ones: 6,66,67.")
@click.option("--pd", "delegation", is_flag=True, help="With -6: also request a delegated prefix.")
@click.option("--count", default=1, show_default=True, type=click.IntRange(1), help="Number of clients.")
@click.option("--release", is_flag=True, help="Release the addresses at the end.")
@click.option(
    "--health",
    default=DEFAULT_HEALTH,
    show_default=True,
    callback=read_server,
    help="HOST:PORT of the server's health address, which explains a missing answer. Works only on the host of the "
    "server.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def probe(*, ipv6: bool, **typed: Any) -> None:
    """Request an address from a DHCP server, as a client behind a relay or on a link, and show the answer.

    Values are sent as text; write octets as 0x01ab.
    """
    check(ipv6, typed)
    server = endpoint_of(
        typed["server"] or (DEFAULT_SERVER6 if ipv6 else DEFAULT_SERVER), 547 if ipv6 else 67
    )
    check_name(server, socket.AF_INET6 if ipv6 else socket.AF_INET)
    words = words_of(6 if ipv6 else 4, typed)
    same = {name: typed[name] for name in ("mac", "interface", "release", "health", "as_json")}
    if ipv6:
        from dhcp_fast.probe.probe6 import Probe6
        from dhcp_fast.probe.probe6 import probe as run6

        asked6 = {"link": typed["link"], "delegation": typed["delegation"], **same}
        sys.exit(run6(Probe6(server=server, words=words, **asked6)))
    from dhcp_fast.probe.probe import ProbeOptions
    from dhcp_fast.probe.probe import probe as run4

    asked = {"giaddr": typed["giaddr"], "count": typed["count"], **same}
    sys.exit(run4(ProbeOptions(server=server, words=words, **asked)))


def check(ipv6: bool, typed: Mapping[str, Any]) -> None:
    """Raise UsageError where options are together that have nothing to say to each other."""
    if ipv6:
        refuse(typed, ("giaddr",), "is for DHCPv4: with -6 use --link")
        if typed["count"] > 1:
            raise click.UsageError("-6 needs a single client: remove --count.")
    else:
        refuse(typed, ("link", "delegation", "enterprise"), "is for DHCPv6: add -6")
    if typed["interface"] is not None:
        refuse(typed, OF_RELAYS, "is for relays: remove it, or remove --interface")
    if typed["count"] > 1:
        refuse(typed, OF_ONE_CLIENT, "is for a single client: remove --count")


def refuse(typed: Mapping[str, Any], names: Iterable[str], why: str) -> None:
    for name in names:
        if typed[name]:
            raise click.UsageError(f"{SPELLED.get(name, '--' + name.replace('_', '-'))} {why}.")


SPELLED = {"delegation": "--pd"}


def words_of(family: int, typed: Mapping[str, Any]) -> Any:
    from dhcp_fast.probe.probe_options import Words, read_codes, read_options

    said = {name: typed[name] for name in WORDS if typed[name] is not None}
    try:
        options = read_options(family, typed["option"])
        request = read_codes(family, typed["request"]) if typed["request"] is not None else ()
    except ValidationError as error:
        raise click.UsageError(str(error)) from None
    return Words(options=options, request=request, **said)
