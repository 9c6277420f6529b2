"""Every setting, in one place: a TOML file, `IPAM_*` variables over it, a caller's overrides over both.

Only commands load settings; below them they travel as values. A key that nobody knows and a value that
does not fit stop the start with a SettingsError, whose one line names the key as its author wrote it. Lists
are arrays in TOML and comma-separated in the environment.
"""

import os
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ipam_core.errors import SettingsError
from ipam_core.host_labels import BLOCKED_NAMES
from ipam_core.setting_values import (
    Endpoint,
    Network,
    Proxy,
    database_url,
    days,
    endpoint,
    endpoint4,
    endpoint6,
    endpoint_of_address,
    header,
    interface,
    label,
    level,
    network,
    number,
    one_of,
    path,
    percent,
    proxy,
    several,
    supplied_options,
    switch,
    text,
    within,
)

PREFIX = "IPAM_"
BASE_PATH = "/api/v1"  # of all that the API serves

# Read by setup.py and .ci when a checkout is built and checked. A running program ignores them.
BUILD_SWITCHES = {"IPAM_DEBUG", "IPAM_NEED_NPM", "IPAM_SANITIZE", "IPAM_WERROR"}

# Names that settings had before.
RENAMED = {
    "api_tls_cert": "api_tls_certificate",
    "managed_ip_cap": "managed_address_limit",
    "webhook_allow": "outbound_allow",
}

# Read by the commands that speak HTTP (client_settings.py).
CLIENT_SWITCHES = {"IPAM_API_URL", "IPAM_API_TOKEN", "IPAM_TOKEN_FILE", "IPAM_API_CA"}


NOTIFY_SOCKET = "NOTIFY_SOCKET"


def take_notify_socket() -> str:
    """Where systemd wants to hear that this process is ready, else empty; children are not to answer for it."""
    return os.environ.pop(NOTIFY_SOCKET, "")


def variable(name: str) -> str | None:
    """A variable that an operator names as the place of a secret."""
    return os.environ.get(name) or None


def default_data_dir() -> Path:
    if os.geteuid() == 0:
        return Path("/var/lib/ipam")
    return Path("~/.local/share/ipam").expanduser()


class Settings(msgspec.Struct, frozen=True):
    """What an operator can set; the TOML keys are the field names."""

    database_url: str | None = None
    """PostgreSQL, as postgresql://user:password@host:port/name; several hosts are separated by commas. Unset:
    `ipam up` runs a server of its own under `data_dir`."""

    database_read_url: str | None = None
    """Standbys of that PostgreSQL, from which the API answers lists, objects, maps and searches; those that a change
    rests on it asks the primary. Unset: all of it comes from the primary."""

    data_dir: Path = msgspec.field(default_factory=default_data_dir)
    """Folder of the embedded PostgreSQL and of the secret key."""

    postgres_user: str = "ipam-postgres"
    """Unprivileged account of the embedded PostgreSQL when `ipam up` is started by root; the usual one is created if it
    is missing. Nothing else should run under it, because it can read and change the database."""

    api_listen: Endpoint = Endpoint("127.0.0.1", 8080)
    """Address of the management API."""

    api_tls_certificate: Path | None = None
    """Certificate of the API with the chain below its root (PEM), read again when it changes; unset: HTTP in clear."""

    api_tls_key: Path | None = None
    """The certificate's key (PEM, without a passphrase)."""

    api_hsts_seconds: int = 31_536_000
    """For how long browsers that reached the API by HTTPS use HTTPS only for this host (RFC 6797); 0: the header is not
    sent."""

    dhcp4_listen: tuple[Endpoint, ...] = (Endpoint("0.0.0.0", 67),)  # noqa: S104 - a DHCP server serves every interface
    """Addresses for relayed and unicast DHCPv4; `ipam up` uses 127.0.0.1:6767 when none is set."""

    dhcp4_interfaces: tuple[str, ...] = ()
    """Interfaces whose clients are served directly, on layer 2 (needs CAP_NET_RAW)."""

    dhcp6_listen: tuple[Endpoint, ...] = ()
    """Addresses for relayed and unicast DHCPv6, as [::]:547; `ipam up` uses [::1]:5547 when none is set. Without one,
    and without `dhcp6_interfaces`, DHCPv6 is not served."""

    dhcp6_interfaces: tuple[str, ...] = ()
    """Interfaces whose DHCPv6 clients are served directly: there the server joins ff02::1:2 and ff05::1:3."""

    dhcp6_relay_supplied_options: tuple[int, ...] = (65,)
    """Codes of DHCPv6 options that relays may supply for clients that ask for them (RFC 6422), at most 64; those of the
    IANA registry, which is the default, and none that the server owns. What the plan has comes first."""

    dns_listen: tuple[Endpoint, ...] = (Endpoint("0.0.0.0", 53), Endpoint("::", 53))  # noqa: S104 - as a DNS server does
    """Addresses of the DNS server, UDP and TCP; `ipam up` uses 127.0.0.1:5300 when none is set. Where the kernel has no
    IPv6, [::] beside an IPv4 address is left out."""

    dns_response_rate: int = 1000
    """Responses a second over UDP that one network (IPv4 /24, IPv6 /56) gets, with bursts of two seconds' worth. What
    is above is dropped, or told to come over TCP, every second one; who shows a cookie of ours is not limited. 0 is no
    limit."""

    dhcp4_option82_interfaces: tuple[str, ...] = ()
    """Those of `dhcp4_interfaces` on which a switch puts option 82 into what clients send, without being a relay (RFC
    3046 section 2.1), and takes out what they forged. There circuit and remote id choose reservations and stand with
    the lease; elsewhere they come from whoever says so, and are only echoed. Behind a relay they always count."""

    trusted_relays: tuple[Network, ...] = ()
    """Networks whose relays are served, beside those in the database, for the default tenant; an entry of the
    database for the same network, or one within it, wins."""

    leasequery_requesters: tuple[Network, ...] = ()
    """Who may ask which leases there are: access concentrators, over UDP (RFC 4388, RFC 5007) and TCP (RFC 6926, RFC
    5460), the latter on the addresses of `dhcp4_listen` and `dhcp6_listen`. Without any, nobody is told."""

    trusted_proxies: tuple[Network, ...] = ()
    """Networks whose forwarding headers the API believes. Each proxy there must name its client."""

    forwarded_header: str = "x-forwarded-for"
    """The one header of trusted proxies that is believed: x-forwarded-for, forwarded (RFC 7239) or x-real-ip. The proxy
    must write it itself; what a client can pass through it must not be named here."""

    health_listen: Endpoint = Endpoint("127.0.0.1", 8081)
    """Address of /readyz, /healthz and /metrics; under `ipam up` it answers for all parts."""

    dhcp_workers: int = 1
    """Processes that share this host's DHCP clients, 1 to 64 of each family that is served: of DHCPv4 by their hardware
    addresses, of DHCPv6 by where their messages come from. More than one pays where the host has cores to spare beside
    PostgreSQL."""

    dhcp_scheduling: str = "fair"
    """How the DHCP server, and the sessions of a PostgreSQL on the same host by which it writes leases, get processors:
    fair (as everything else), or realtime (SCHED_RR; needs CAP_SYS_NICE), by which they do not wait behind each other
    while a processor idles. For hosts of few processors and one worker; a flood of packets then goes before everything
    else there."""

    dhcp4_client_rate: int = 0
    """DHCP packets a second that one client (its hardware address; in DHCPv6 its DUID) may send, with bursts of four
    seconds' worth; what is above is dropped and counted. 0 is no limit; 20 stops broken clients and hurts no working
    one."""

    dhcp4_relay_rate: int = 0
    """The same for all clients behind one relay (giaddr; of DHCPv6 the address that it sends from) together; 0 is no
    limit. All workers of a host count together."""

    dhcp4_leases_per_circuit: int = 0
    """Active leases that one circuit (option 82.1) under its relay (giaddr) may have; a further client is offered
    nothing, those that have a lease renew it. In DHCPv6 a circuit is an interface-id, and has so many addresses and so
    many delegated prefixes; what is above is told that none is available. 0 is no limit. With several workers each then
    keeps every lease in memory, because the clients of one circuit are spread over all of them."""

    dhcp4_bootp: str = "off"
    """BOOTP clients (RFC 951): off, reserved (those with a reservation) or any (an address of a pool for ever)."""

    dhcp4_adaptive_percent: int = 0
    """When more than this share of the pools that serve a client is in use, it gets leases of its subnet's
    `min_lease_time_seconds`, new ones and renewals; 0 is never."""

    pool_high_percent: int = 90
    """Share of a pool in use from which the event pool.utilization_high is raised, once until it has fallen five points
    below; 0 is never."""

    dhcp4_ping_ms: int = 500
    """Milliseconds that an address of a subnet with `ping_check` has to answer before it is offered; 10 to 2000. Enough
    for a host across a WAN, behind a router that must resolve it first, or asleep on a radio, and well under the
    three seconds after which clients ask again."""

    rate_limit: int = 300
    """API requests a minute a client address; 0 is no limit."""

    token_rate_limit: int = 10
    """Token creations a minute a client address; 0 is no limit."""

    connections_per_address: int = 64
    """Connections that one address (IPv6: a /56) may have open to the API, and over TCP to the DNS server; 0 is no
    limit. Trusted proxies are exempt: each of their clients may have so many requests at a time."""

    managed_address_limit: int = 1000
    """Managed address limit: reservations plus static assignments of all tenants; 0 is no limit."""

    audit_days: int = 0
    """Days after which the audit trail is forgotten; 0 keeps all of it."""

    lease_event_days: int = 0
    """Days of the lease history that are kept, from 2; older ones are dropped as a whole. 0 keeps all of it: how long
    it must or may be kept is often a matter of law. An event takes about 300 octets, a renewal among them."""

    freed_lease_days: int = 30
    """Days for which an ended IPv6 lease is remembered, so that its client gets the same again; 0: for ever."""

    stopped_node_days: int = 30
    """Days after which a server or worker that is stopped, or was silent for so long, is forgotten; 0 keeps it. In the
    lease history its name goes with it."""

    lease_device_details: bool = True
    """Whether a lease tells what its client calls itself (`vendor_class`: option 60, of DHCPv6 16) and which options it
    asked for (`parameter_list`: 55, of DHCPv6 6), by which people and leasequeries tell kinds of devices apart. Each
    grant then writes some tens of octets more."""

    ddns_blocked_names: tuple[str, ...] = BLOCKED_NAMES
    """First labels that are never published in DNS for names that clients choose; operators may use them. DHCP servers
    and workers read this setting: it is the same on every machine."""

    outbound_allow: tuple[Network, ...] = ()
    """Networks that webhooks, NetBox and DNS servers may be in although they are closed: addresses of the host itself,
    loopback, link-local, multicast and, for objects of a tenant, private networks. `webhook_allow` is its old name."""

    outbound_proxy: Proxy | None = None
    """HTTP proxy for webhooks, NetBox and PowerDNS, which must allow CONNECT; the environment's proxies are ignored."""

    webhook_ca: Path | None = None
    """Certificates (PEM) that servers of webhooks and PowerDNS may have, beside those that the system trusts."""

    secret_key_file: Path | None = None
    """Key file for secrets at rest, the same on every machine; unset: `secret.key` under `data_dir`."""

    log_level: str = "info"
    """Least level that is logged: debug, info, warning or error."""

    @property
    def secret_key_path(self) -> Path:
        return self.secret_key_file or self.data_dir / "secret.key"


def load(
    config: Path | None = None,
    overrides: Mapping[str, Any] | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> Settings:
    """The settings in force. `overrides` and `defaults` are field values as TOML would hold them."""
    named = [(key, key, value) for key, value in (defaults or {}).items()]
    named += [(key, key, value) for key, value in read_file(config).items()]
    named += [(name, name.removeprefix(PREFIX).lower(), value) for name, value in read_environment().items()]
    named += [(key, key, value) for key, value in (overrides or {}).items()]
    fields = {}
    for name, told, value in named:
        field = RENAMED.get(told, told)
        if field not in READERS:
            raise SettingsError(name, "there is no such setting")
        fields[field] = read_value(name, field, value)
    return checked(Settings(**fields))


def serves6(settings: Settings) -> bool:
    """Whether DHCPv6 is to be served."""
    return bool(settings.dhcp6_listen or settings.dhcp6_interfaces)


def checked(settings: Settings) -> Settings:
    """What one setting alone does not show. Raises SettingsError."""
    for name in SERVED:
        given = getattr(settings, name)
        if twice := [str(each) for at, each in enumerate(given) if each in given[:at]]:
            raise SettingsError(name, f"{', '.join(twice)} may be named once only")
    strange = set(settings.dhcp4_option82_interfaces) - set(settings.dhcp4_interfaces)
    if strange:
        reason = f"{', '.join(sorted(strange))} must be among dhcp4_interfaces too"
        raise SettingsError("dhcp4_option82_interfaces", reason)
    if settings.database_read_url and not settings.database_url:
        raise SettingsError("database_read_url", "names standbys of database_url, which must be set too")
    return settings


def read_file(config: Path | None) -> dict[str, Any]:
    if config is None:
        return {}
    try:
        return tomllib.loads(config.read_text("utf-8"))
    except OSError as error:
        raise SettingsError(str(config), f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise SettingsError(str(config), f"is not TOML: {error}") from None


def read_environment() -> dict[str, str]:
    """An empty variable is an unset one, as in shell scripts that pass settings through; a blank one an empty list."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.startswith(PREFIX) and name not in BUILD_SWITCHES | CLIENT_SWITCHES and value != ""
    }


def read_value(name: str, field: str, value: Any) -> Any:
    try:
        return READERS[field](value)
    except (ValueError, TypeError) as error:
        raise SettingsError(name, str(error)) from None


def environment(settings: Settings) -> dict[str, str]:
    """The variables that give a child process these very settings."""
    written = {field: write_value(getattr(settings, field)) for field in READERS}
    others = {*read_environment(), NOTIFY_SOCKET}
    inherited = {name: value for name, value in os.environ.items() if name not in others}
    return inherited | {PREFIX + field.upper(): text for field, text in written.items() if text != ""}


def write_value(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ",".join(map(str, value)) or " "  # an empty variable would be an unset one
    return str(value)


SERVED = ("dhcp4_listen", "dhcp4_interfaces", "dhcp6_listen", "dhcp6_interfaces", "dns_listen")
"""Of these each has a socket of its own."""

READERS: dict[str, Callable[[Any], Any]] = {
    "database_url": database_url,
    "database_read_url": database_url,
    "data_dir": path,
    "postgres_user": text,
    "api_listen": endpoint,
    "api_tls_certificate": path,
    "api_tls_key": path,
    "api_hsts_seconds": number,
    "dhcp4_listen": several(endpoint4),
    "dhcp4_interfaces": several(interface),
    "dhcp6_listen": several(endpoint6),
    "dhcp6_interfaces": several(interface),
    "dhcp6_relay_supplied_options": supplied_options,
    "dns_listen": several(endpoint_of_address),
    "dns_response_rate": number,
    "dhcp4_option82_interfaces": several(interface),
    "trusted_relays": several(network),
    "leasequery_requesters": several(network),
    "trusted_proxies": several(network),
    "forwarded_header": header("x-forwarded-for", "forwarded", "x-real-ip"),
    "health_listen": endpoint,
    "dhcp_workers": within(1, 64),
    "dhcp_scheduling": one_of("fair", "realtime"),
    "dhcp4_client_rate": number,
    "dhcp4_relay_rate": number,
    "dhcp4_leases_per_circuit": number,
    "dhcp4_adaptive_percent": percent,
    "pool_high_percent": percent,
    "dhcp4_bootp": one_of("off", "reserved", "any"),
    "dhcp4_ping_ms": within(10, 2000),
    "rate_limit": number,
    "token_rate_limit": number,
    "connections_per_address": number,
    "managed_address_limit": number,
    "audit_days": number,
    "lease_event_days": days,
    "freed_lease_days": number,
    "stopped_node_days": number,
    "lease_device_details": switch,
    "ddns_blocked_names": several(label),
    "outbound_allow": several(network),
    "outbound_proxy": proxy,
    "webhook_ca": path,
    "secret_key_file": path,
    "log_level": level,
}
