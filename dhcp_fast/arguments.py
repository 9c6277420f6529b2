"""Readers of the values of a command's options; BadParameter names the expected form."""

import socket
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

import click

from ipam_core.model.values import parse_hostname, parse_text_or_octets

DEFAULT_HEALTH = "127.0.0.1:8081"
MOST_IN_FLIGHT = 1 << 17


def read_server(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[str, int]:
    return endpoint_of(value)


def endpoint_of(value: str, usual_port: int | None = None) -> tuple[str, int]:
    """Return host and port. An IPv6 address is in brackets; a host without a port has `usual_port`. Raises
    BadParameter."""
    host, colon, port = value.rpartition(":")
    if usual_port is not None and (not colon or value.endswith("]")):
        host, port = value, str(usual_port)
    if not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise click.BadParameter("expected HOST:PORT", param_hint="--server")
    if ":" in host and not (host.startswith("[") and host.endswith("]")):
        raise click.BadParameter(
            "an IPv6 address must be in brackets, such as [::1]:5547", param_hint="--server"
        )
    return host.removeprefix("[").removesuffix("]"), int(port)


def check_name(server: tuple[str, int], family: socket.AddressFamily) -> None:
    """Raise BadParameter where the server's name has no address of that family."""
    try:
        socket.getaddrinfo(*server, family, socket.SOCK_DGRAM)
    except socket.gaierror as error:
        raise click.BadParameter(f"{server[0]}: {error.strerror}", param_hint="--server") from None


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
        raise click.BadParameter("expected six octets in hexadecimal, such as 02:00:5e:10:00:01")
    return mac


def read_client_id(_context: click.Context, _parameter: click.Parameter, value: str | None) -> bytes | None:
    try:
        found = None if value is None else bytes.fromhex(value.replace(":", "").removeprefix("0x"))
    except ValueError:
        found = b""
    if found is not None and not 0 < len(found) <= 255:
        raise click.BadParameter("expected 1 to 255 octets in hexadecimal, such as 01:02:00:5e:10:00:01")
    return found


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
        raise click.BadParameter("expected a network, such as 10.0.0.0/24 or 2001:db8::/64") from None


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
    from dhcp_fast.bench.scenarios import SCENARIOS

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


def read_text_or_octets(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> bytes | None:
    try:
        return None if value is None else parse_text_or_octets(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def read_hostname(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    try:
        return None if value is None else parse_hostname(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
