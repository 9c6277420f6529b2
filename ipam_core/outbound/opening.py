"""The guard of a process, made from its settings."""

import os
from urllib.parse import parse_qs

from ipam_core.outbound.guard import Guard
from ipam_core.outbound.mail import MailServer, context
from ipam_core.settings import UNIT_HEALTH_PORTS, UP_HEALTH_PORT, Settings

POSTGRES = 5432


def guard(settings: Settings, dsn: str | None = None) -> Guard:
    """Raise SettingsError for a file that contains no certificates."""
    ports = {settings.api_listen.port, settings.health_listen.port, *database_ports(dsn)}
    for url in (settings.database_url, settings.database_read_url):
        ports |= database_ports(url)
    of_up, of_units = (os.environ.get(name, "") for name in (UP_HEALTH_PORT, UNIT_HEALTH_PORTS))
    ports |= {int(of_up)} if of_up else set()
    beside = {int(port) for port in of_units.split(",") if port}
    if of_up:
        beside |= {each.port for each in settings.dns_listen}
    return Guard(
        settings.outbound_allow,
        settings.webhook_ca,
        settings.outbound_proxy,
        ports,
        mail_server(settings),
        settings.public_url or "",
        beside,
    )


def mail_server(settings: Settings) -> MailServer:
    """Raise SettingsError for a file that contains no certificates."""
    server = MailServer(
        host=settings.smtp_host,
        port=settings.smtp_port,
        security=settings.smtp_security,
        verify=settings.smtp_verify,
        ca=settings.smtp_ca,
        user=settings.smtp_user,
        password_file=settings.smtp_password_file,
        sender=settings.smtp_from or "",
        domains=settings.smtp_tenant_domains,
    )
    if server.host is not None:
        context(server)
    return server


def database_ports(url: str | None) -> set[int]:
    """Return the ports of all hosts of a PostgreSQL URL."""
    if not url:
        return set()
    address, _, query = url.partition("://")[2].partition("?")
    hosts = address.partition("/")[0].rpartition("@")[2].split(",")
    texts = [host.rpartition("]")[2].partition(":")[2] for host in hosts]
    texts += [port for each in parse_qs(query).get("port", ()) for port in each.split(",")]
    return {POSTGRES} | {int(text) for text in texts if text.isdecimal()}
