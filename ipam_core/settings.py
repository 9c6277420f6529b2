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
    mail_address,
    mail_domain,
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
    web_url,
    within,
)

PREFIX = "IPAM_"
BASE_PATH = "/api/v1"  # of all that the API serves

# Read by setup.py and .ci when a checkout is built and checked. A running program ignores them.
BUILD_SWITCHES = {"IPAM_DEBUG", "IPAM_NEED_NPM", "IPAM_PROBES", "IPAM_SANITIZE", "IPAM_WERROR"}

# Names that settings had before.
RENAMED = {
    "api_tls_cert": "api_tls_certificate",
    "managed_ip_cap": "managed_address_limit",
    "webhook_allow": "outbound_allow",
}

# Read by the commands that speak HTTP (client_settings.py).
CLIENT_SWITCHES = {"IPAM_API_URL", "IPAM_API_TOKEN", "IPAM_TOKEN_FILE", "IPAM_API_CA"}


NOTIFY_SOCKET = "NOTIFY_SOCKET"


# Health ports that are in no setting of the process: the port of `ipam up`, for its parts, and the ports of the other
# units of the host, comma-separated, for each unit.
UP_HEALTH_PORT = "UP_HEALTH_PORT"
UNIT_HEALTH_PORTS = "UNIT_HEALTH_PORTS"


def take_notify_socket() -> str:
    """Return systemd's socket for this process's readiness, else empty; children must not answer for it."""
    return os.environ.pop(NOTIFY_SOCKET, "")


def variable(name: str) -> str | None:
    """Return a variable that an operator names as the place of a secret."""
    return os.environ.get(name) or None


def default_data_dir() -> Path:
    if os.geteuid() == 0:
        return Path("/var/lib/ipam")
    return Path("~/.local/share/ipam").expanduser()


class Settings(msgspec.Struct, frozen=True):
    """Settings of an operator; the TOML keys are the field names."""

    database_url: str | None = None
    """URL of the PostgreSQL database: postgresql://user:password@host:port/name; separate several hosts with commas. If
    unset, `ipam up` runs an embedded server under `data_dir`."""

    database_read_url: str | None = None
    """URL of standbys of that database. The API reads lists, objects, maps and searches from them, and from the primary
    what a change depends on. If unset, it reads everything from the primary."""

    data_dir: Path = msgspec.field(default_factory=default_data_dir)
    """Folder of the embedded PostgreSQL and of the secret key."""

    postgres_user: str = "ipam-postgres"
    """Unprivileged account that runs the embedded PostgreSQL when root starts `ipam up`. The default account is created
    if it is missing. Use it for nothing else: it can read and change the database."""

    api_listen: Endpoint = Endpoint("127.0.0.1", 8080)
    """Address of the management API."""

    api_tls_certificate: Path | None = None
    """Certificate of the API with its chain, without the root (PEM). A changed file is loaded without a restart. If
    unset, the API uses plain HTTP."""

    api_tls_key: Path | None = None
    """Private key of the certificate (PEM, without a passphrase)."""

    api_hsts_seconds: int = 31_536_000
    """Time for which browsers use only HTTPS for this host after an HTTPS response (RFC 6797), in seconds. 0: the
    header is not sent."""

    dhcp4_listen: tuple[Endpoint, ...] = (Endpoint("0.0.0.0", 67),)  # noqa: S104 - a DHCP server serves every interface
    """Addresses for relayed and unicast DHCPv4. If unset, `ipam up` without `--standard-ports` uses 127.0.0.1:6767."""

    dhcp4_interfaces: tuple[str, ...] = ()
    """Interfaces with directly attached DHCPv4 clients (needs CAP_NET_RAW)."""

    dhcp6_listen: tuple[Endpoint, ...] = ()
    """Addresses for relayed and unicast DHCPv6, such as [::]:547. DHCPv6 is served if this or `dhcp6_interfaces` is
    set. If unset, `ipam up` without `--standard-ports` uses [::1]:5547."""

    dhcp6_interfaces: tuple[str, ...] = ()
    """Interfaces with directly attached DHCPv6 clients. The server joins ff02::1:2 and ff05::1:3 on them."""

    dhcp6_relay_supplied_options: tuple[int, ...] = (65,)
    """Codes of DHCPv6 options that relay agents may supply for clients that request them (RFC 6422), at most 64. The
    default is the IANA registry. Codes that the server sets itself are refused. Options of the plan take precedence."""

    dns_listen: tuple[Endpoint, ...] = (Endpoint("0.0.0.0", 53), Endpoint("::", 53))  # noqa: S104 - as a DNS server does
    """Addresses of the DNS server, UDP and TCP. If the kernel has no IPv6, [::] beside an IPv4 address is skipped.
    If unset, `ipam up` without `--standard-ports` uses 127.0.0.1:5300."""

    dns_response_rate: int = 1000
    """DNS responses per second over UDP to one network (IPv4 /24, IPv6 /56), with bursts of two seconds. Of the
    responses above the limit, every second one asks the client to use TCP; the others are dropped. Clients with a valid
    cookie are exempt. 0: no limit."""

    dhcp4_option82_interfaces: tuple[str, ...] = ()
    """Interfaces of `dhcp4_interfaces` on which a switch inserts option 82 without being a relay agent (RFC 3046
    section 2.1) and removes forged ones. On these, circuit ID and remote ID select reservations and are stored with the
    lease. On other interfaces they are only echoed. Behind a relay agent they always count."""

    trusted_relays: tuple[Network, ...] = ()
    """Networks of trusted relay agents of the default tenant, in addition to those in the database. An entry in the
    database for the same network, or for a part of it, takes precedence."""

    leasequery_requesters: tuple[Network, ...] = ()
    """Networks of access concentrators that may query leases, over UDP (RFC 4388, RFC 5007) and TCP (RFC 6926, RFC
    5460). TCP uses the addresses of `dhcp4_listen` and `dhcp6_listen`. If empty, all leasequeries are refused."""

    trusted_proxies: tuple[Network, ...] = ()
    """Networks of proxies whose forwarding headers the API trusts. Each proxy must name its client."""

    forwarded_header: str = "x-forwarded-for"
    """Header of trusted proxies that names the client: x-forwarded-for, forwarded (RFC 7239) or x-real-ip. The proxy
    must set it itself. Do not name a header that clients can pass through the proxy."""

    health_listen: Endpoint = Endpoint("127.0.0.1", 8081)
    """Address of /readyz, /healthz and /metrics. Under `ipam up` it answers for all parts."""

    dhcp_workers: int = 1
    """Processes per address family that share the DHCP clients of this host, 1 to 64. DHCPv4 clients are distributed by
    hardware address, DHCPv6 clients by the source address of their packets. Use more than one if the host has spare
    cores beside PostgreSQL."""

    dhcp_scheduling: str = "fair"
    """CPU scheduling of the DHCP server and of its PostgreSQL sessions on the same host: fair (default of the system),
    or realtime (SCHED_RR; needs CAP_SYS_NICE), which avoids waits between them. Use realtime on hosts with few cores
    and one worker. During a packet flood it then has priority over every other program of the host."""

    dhcp4_client_rate: int = 0
    """DHCP packets per second that one client may send (by hardware address; in DHCPv6 by DUID), with bursts of four
    seconds. Further packets are dropped and counted. 0: no limit. 20 stops broken clients and does not affect working
    ones."""

    dhcp4_relay_rate: int = 0
    """DHCP packets per second from all clients behind one relay agent together (by giaddr; in DHCPv6 by source
    address). All workers of a host count together. 0: no limit."""

    dhcp4_leases_per_circuit: int = 0
    """Active leases that one circuit (option 82.1) of a relay agent may have. Further clients get no offer; existing
    leases can be renewed. In DHCPv6 a circuit is an interface ID, with this number of addresses and of delegated
    prefixes. Each worker then keeps all leases in memory, because the clients of a circuit are spread over all workers.
    0: no limit."""

    dhcp4_bootp: str = "off"
    """BOOTP clients (RFC 951) that are served: off, reserved (clients with a reservation) or any (an address of a pool,
    forever)."""

    dhcp4_adaptive_percent: int = 0
    """Use of a client's pools, in percent, above which new leases and renewals get `min_lease_time_seconds` of the
    subnet. 0: never."""

    pool_high_percent: int = 90
    """Use of a pool, in percent, at which the event pool.utilization_high is raised. It is raised again after the use
    fell five points below. 0: never."""

    dhcp4_ping_ms: int = 500
    """Timeout of the ping of an address before it is offered, in subnets with `ping_check`; 10 to 2000 milliseconds.
    The default is enough for hosts across a WAN, and less than the three seconds after which clients retry."""

    rate_limit: int = 300
    """API requests per minute and client address. 0: no limit."""

    token_rate_limit: int = 10
    """Created tokens per minute and client address. 0: no limit."""

    connections_per_address: int = 64
    """Open connections per client address (IPv6: per /56) to the API, and over TCP to the DNS server. 0: no limit. For
    clients of trusted proxies it limits the requests in progress."""

    managed_address_limit: int = 1000
    """Managed address limit: reservations plus static assignments of all tenants. 0: no limit."""

    audit_days: int = 0
    """Days for which the audit log is kept. 0: forever."""

    lease_event_days: int = 0
    """Days for which the lease history is kept, at least 2. 0: forever. Laws often require or limit this time. An
    event, such as a renewal, takes about 300 octets."""

    freed_lease_days: int = 30
    """Days for which an ended IPv6 lease is kept, so that its client gets the same address again. 0: forever."""

    stopped_node_days: int = 30
    """Days after which a stopped or silent server or worker is removed from the nodes. Its name is then missing from
    the lease history too. 0: never."""

    lease_device_details: bool = True
    """Store with each lease the vendor class (`vendor_class`: option 60, in DHCPv6 16), requested options
    (`parameter_list`: option 55, in DHCPv6 6), user class and architecture of the client. They identify
    kinds of devices, and take some tens of octets per lease. If it is off, a lease stores only
    the options that client classes match on, because a renewal need not repeat them."""

    ddns_blocked_names: tuple[str, ...] = BLOCKED_NAMES
    """First labels that are never published in DNS for names that clients choose. Operators may use them. Set the same
    value on every host with a DHCP server or worker."""

    outbound_allow: tuple[Network, ...] = ()
    """Networks that webhooks, NetBox and DNS servers may be in although they are blocked by default: addresses of this
    host, loopback, link-local, multicast and, for objects of a tenant, private networks. `webhook_allow` is its old
    name."""

    outbound_proxy: Proxy | None = None
    """HTTP proxy for webhooks, NetBox and PowerDNS; it must allow CONNECT. Proxy variables of the environment are
    ignored."""

    webhook_ca: Path | None = None
    """CA certificates (PEM) for servers of webhooks and PowerDNS, in addition to those that the system trusts."""

    public_url: str | None = None
    """URL at which people reach this service, such as https://ipam.example.net. Notifications link to the console below
    it. If unset, they contain no links."""

    smtp_host: str | None = None
    """SMTP server for notifications by mail. If unset, no mail is sent."""

    smtp_port: int = 0
    """Port of the SMTP server. 0: 587 for starttls, 465 for tls, 25 for none."""

    smtp_security: str = "starttls"
    """Protection of connections to the SMTP server: starttls (required), tls (from the first octet) or none."""

    smtp_verify: bool = True
    """Check the certificate of the SMTP server."""

    smtp_ca: Path | None = None
    """CA certificates (PEM) for the SMTP server, in addition to those that the system trusts."""

    smtp_user: str | None = None
    """Login at the SMTP server. If unset, no login is made."""

    smtp_password_file: Path | None = None
    """File that contains the password of `smtp_user`. It is read for each mail."""

    smtp_from: str | None = None
    """Sender of mails, such as ipam@example.net. Required if `smtp_host` is set."""

    smtp_tenant_domains: tuple[str, ...] = ()
    """Domains to which notifications that a tenant's token wrote may send mail. If empty, they may send none."""

    secret_key_file: Path | None = None
    """Key file for stored secrets; the same on every host. If unset, `secret.key` under `data_dir`."""

    log_level: str = "info"
    """Lowest level that is logged: debug, info, warning or error."""

    @property
    def secret_key_path(self) -> Path:
        return self.secret_key_file or self.data_dir / "secret.key"


def load(
    config: Path | None = None,
    overrides: Mapping[str, Any] | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> Settings:
    """Return the settings in force. `overrides` and `defaults` are field values as TOML would hold them."""
    named = [(key, key, value) for key, value in (defaults or {}).items()]
    named += [(key, key, value) for key, value in read_file(config).items()]
    named += [(name, name.removeprefix(PREFIX).lower(), value) for name, value in read_environment().items()]
    named += [(key, key, value) for key, value in (overrides or {}).items()]
    fields = {}
    for name, told, value in named:
        field = RENAMED.get(told, told)
        if field not in READERS:
            from difflib import get_close_matches

            near = get_close_matches(field, READERS, 1)
            meant = f"; did you mean {near[0]}?" if near else ""
            raise SettingsError(name, f"there is no such setting{meant}")
        fields[field] = read_value(name, field, value)
    return checked(Settings(**fields))


def serves6(settings: Settings) -> bool:
    """Return whether DHCPv6 is to be served."""
    return bool(settings.dhcp6_listen or settings.dhcp6_interfaces)


def checked(settings: Settings) -> Settings:
    """Check settings against each other. Raises SettingsError."""
    for name in SERVED:
        given = getattr(settings, name)
        if twice := [str(each) for at, each in enumerate(given) if each in given[:at]]:
            raise SettingsError(name, f"{', '.join(twice)} is listed twice: remove one")
    strange = set(settings.dhcp4_option82_interfaces) - set(settings.dhcp4_interfaces)
    if strange:
        reason = f"{', '.join(sorted(strange))} must also be listed in dhcp4_interfaces"
        raise SettingsError("dhcp4_option82_interfaces", reason)
    if settings.database_read_url and not settings.database_url:
        raise SettingsError("database_read_url", "lists standbys of database_url, which is not set: set both")
    check_mail(settings)
    return settings


def check_mail(settings: Settings) -> None:
    """Raise SettingsError for settings of mail that lack each other."""
    if settings.smtp_host and not settings.smtp_from:
        raise SettingsError(
            "smtp_from", "is required with smtp_host: set the sender, such as ipam@example.net"
        )
    if bool(settings.smtp_user) != bool(settings.smtp_password_file):
        raise SettingsError("smtp_user", "and smtp_password_file belong together: set both or none")
    if settings.smtp_user and settings.smtp_security == "none":
        raise SettingsError(
            "smtp_security", "none would send the password of smtp_user in clear: use starttls or tls"
        )


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
    """Return an empty variable is an unset one, as in shell scripts that pass settings through; a blank one an empty
    list."""
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
    """Return the variables that give a child process these very settings."""
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
    "public_url": web_url,
    "smtp_host": text,
    "smtp_port": within(0, 65535),
    "smtp_security": one_of("starttls", "tls", "none"),
    "smtp_verify": switch,
    "smtp_ca": path,
    "smtp_user": text,
    "smtp_password_file": path,
    "smtp_from": mail_address,
    "smtp_tenant_domains": several(mail_domain),
    "secret_key_file": path,
    "log_level": level,
}
