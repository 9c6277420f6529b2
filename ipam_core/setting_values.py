"""Readers of the text or TOML value of a setting: a function a kind, which raises ValueError with the fault."""

import re
from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import msgspec

from ipam_core import supplied_options as relayed
from ipam_core.host_labels import host_label

Network = IPv4Network | IPv6Network

MAIL_DOMAIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
LONGEST_INTERFACE = 15  # octets: IFNAMSIZ in linux/if.h, less the zero at the end


class Endpoint(msgspec.Struct, frozen=True):
    """Address on which a part listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


INNER_HOST = "127.80.67.68"
"""Loopback address of health pages that only our own processes read, at ports that change with each start. Outbound
connections never go there (ipam_core/outbound/guard.py), so that nobody has to know the ports."""


class Proxy(msgspec.Struct, frozen=True):
    """An HTTP proxy; `credentials` as USER:PASSWORD, empty without."""

    host: str
    port: int
    credentials: str = ""

    def __str__(self) -> str:
        user, _, password = self.credentials.partition(":")
        login = f"{quote(user, safe='')}:{quote(password, safe='')}@" if self.credentials else ""
        return f"http://{login}{Endpoint(self.host, self.port)}"


def text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be a text that is not empty")
    return value.strip()


def number(value: Any) -> int:
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
        raise ValueError(f"{value!r} is not a whole number of 0 or more")
    return value


def switch(value: Any) -> bool:
    found = {"true": True, "false": False}.get(str(value).strip().lower())
    if found is None:
        raise ValueError(f"{value!r} is not true or false")
    return found


def percent(value: Any) -> int:
    found = number(value)
    if found > 100:
        raise ValueError(f"{value!r} is not a percentage from 0 to 100")
    return found


def one_of(*choices: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in choices:
            raise ValueError(f"{value!r} is not one of {', '.join(choices)}")
        return str(value)

    return read


def header(*choices: str) -> Callable[[Any], str]:
    """Return a reader of one of some header names, in whatever case."""
    read_lower = one_of(*choices)
    return lambda value: read_lower(text(value).lower())


def within(low: int, high: int) -> Callable[[Any], int]:
    """Return a reader of whole numbers from `low` to `high`."""

    def read(value: Any) -> int:
        found = number(value)
        if not low <= found <= high:
            raise ValueError(f"{found} is not between {low} and {high}")
        return found

    return read


def days(value: Any) -> int:
    """Return what is younger than two days has not been read by everybody."""
    found = number(value)
    if found == 1:
        raise ValueError("1 is too short: use at least 2, or 0 to keep everything")
    return found


def path(value: Any) -> Path:
    return Path(text(value)).expanduser().absolute()


def network(value: Any) -> Network:
    try:
        return ip_network(text(value))
    except ValueError as error:
        raise ValueError(f"{error}; write a network such as 192.0.2.0/24") from None


UNREADABLE_URL = (
    "is not a database URL with a port number; write / ? # [ ] @ and % in its password as "
    "%2F %3F %23 %5B %5D %40 and %25"
)


def database_url(value: Any) -> str:
    """Read a URL. An invalid port may be a part of the password, so the error does not repeat it."""
    url = text(value)
    if not url.startswith(("postgresql://", "postgres://")):
        raise ValueError("must begin with postgresql://")
    if not has_ports(url):
        raise ValueError(UNREADABLE_URL)
    return url


def has_ports(url: str) -> bool:
    """Return whether each host of the URL has a port number, or none."""
    try:
        hosts = urlsplit(url).netloc.rpartition("@")[2].split(",")
    except ValueError:
        return False
    ports = [host.rpartition("]")[2].partition(":")[2] for host in hosts]
    return all(not port or (port.isdecimal() and int(port) < 65536) for port in ports)


def proxy(value: Any) -> Proxy:
    """Read an http proxy. The value may contain a password, so the error does not repeat it."""
    try:
        parts = urlsplit(text(value))
        host, port = parts.hostname, parts.port
        sound = parts.scheme == "http" and host and port and parts.path in ("", "/")
    except ValueError:
        sound = False
    if not sound or parts.query or parts.fragment:
        raise ValueError("must be an HTTP proxy such as http://proxy.example.net:3128")
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else ""
    return Proxy(host or "", port or 0, login)


def web_url(value: Any) -> str:
    """Read the URL of a web page, without the slash at its end."""
    url = text(value)
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("must be a URL such as https://ipam.example.net")
    if not re.fullmatch(r"[!-~]+", url) or set(url) & set("<>|()[]\"'`\\"):
        raise ValueError("must be a URL such as https://ipam.example.net, with other characters as %XX")
    return url.rstrip("/")


def mail_domain(value: Any) -> str:
    name = text(value).lower()
    if not MAIL_DOMAIN.fullmatch(name):
        raise ValueError(f"{value!r} is not a domain such as example.net")
    return name


def mail_address(value: Any) -> str:
    """Read an address that is safe in a header and in a Message-ID."""
    found = text(value)
    local, _, domain = found.rpartition("@")
    if not re.fullmatch(r"[A-Za-z0-9._+-]{1,64}", local) or not MAIL_DOMAIN.fullmatch(domain):
        raise ValueError(f"{value!r} is not a mail address such as ipam@example.net")
    return found


def endpoint(value: Any) -> Endpoint:
    """Read HOST:PORT. An address is kept in its shortest spelling (RFC 5952), so that each is one endpoint only."""
    host, colon, port = text(value).rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if host.startswith("[") else host
    if not (colon and host and port.isdecimal() and int(port) < 65536):
        raise ValueError(f"{value!r} is not HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080")
    return Endpoint(str(address_or_none(host) or host), int(port))


def endpoint4(value: Any) -> Endpoint:
    found = endpoint(value)
    if not isinstance(address_or_none(found.host), IPv4Address):
        raise ValueError(f"{value!r} does not begin with an IPv4 address")
    return found


def endpoint6(value: Any) -> Endpoint:
    found = endpoint(value)
    if not isinstance(address_or_none(found.host), IPv6Address):
        raise ValueError(f"{value!r} does not begin with an IPv6 address, such as [2001:db8::1]:547")
    return found


def endpoint_of_address(value: Any) -> Endpoint:
    found = endpoint(value)
    if address_or_none(found.host) is None:
        raise ValueError(f"{value!r} does not begin with an address")
    return found


def address_or_none(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def interface(value: Any) -> str:
    """Read a name that a link of Linux can have: dev_valid_name in net/core/dev.c, and no `%`, which asks the kernel
    for a number there. One that can never exist is an error, not a link that may come later; so is a pattern."""
    name = text(value)
    strange = any(c in "/:%" or c.isspace() for c in name)
    if strange or name in (".", "..") or len(name.encode()) > LONGEST_INTERFACE:
        raise ValueError(f"{value!r} is not an interface name")
    if any(c in "*?[]" for c in name):
        raise ValueError(f"{value!r} is a pattern: list each interface by name, such as eth0")
    return name


def label(value: Any) -> str:
    """Return a label as names are compared with it."""
    found = host_label(text(value))
    if not found or "." in text(value):
        raise ValueError(f"{value!r} is not a single host name label, such as wpad")
    return found


def level(value: Any) -> str:
    name = text(value).lower()
    if name not in ("debug", "info", "warning", "error"):
        raise ValueError(f"{value!r} is not one of debug, info, warning, error")
    return name


def supplied_options(value: Any) -> tuple[int, ...]:
    """Return codes of options that relays may supply, each once."""
    found = tuple(dict.fromkeys(several(number)(value)))
    if len(found) > relayed.MOST:
        raise ValueError(f"has {len(found)} options; at most {relayed.MOST} are possible")
    for refused in filter(None, map(relayed.refusal, found)):
        raise ValueError(refused)
    return found


def several(read: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a reader of lists out of a reader of one. A blank text is an empty list."""

    def read_all(value: Any) -> tuple[Any, ...]:
        items = (value.split(",") if value.strip() else ()) if isinstance(value, str) else value
        if not isinstance(items, list | tuple):
            raise TypeError("must be a list")
        return tuple(read(item) for item in items)

    return read_all
