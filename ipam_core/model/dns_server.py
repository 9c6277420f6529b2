"""A DNS server that dynamic updates and zones are sent to, by one of four adapters.

`secret` is write-only: the TSIG key in base64, the API key, or the principal's password. A principal of Kerberos has
its key by one of three: that password, `keytab` or `ticket_cache`, which are files of the machines that send updates.
"""

import base64
import binascii
import re
from ipaddress import ip_address
from pathlib import PurePosixPath
from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET, Meta, UnsetType

from ipam_core.errors import ValidationError
from ipam_core.model.base import Command, Id, Model, Name, Text
from ipam_core.model.subnet import DdnsAdapter
from ipam_core.model.values import Hostname

Secret = Annotated[str, Meta(min_length=1, max_length=4096)]
Url = Annotated[str, Meta(min_length=1, max_length=2048, extra_json_schema={"format": "http-url"})]
# Algorithms of RFC 8945 section 6 that are in use. It forbids hmac-md5.
KeyAlgorithm = Literal["hmac-sha1", "hmac-sha256", "hmac-sha384", "hmac-sha512"]
Place = Annotated[str, Meta(min_length=1, max_length=1024)]
NEEDED = {"ad_gsstsig": "address", "bind_tsig": "address", "powerdns_http": "url"}
OF_KERBEROS = ("keytab", "ticket_cache")
TICKET_CACHE = re.compile(r"/.+|(?:FILE|DIR):/.+|KCM:.*|KEYRING:.+")


class DnsServerFields(Command, kw_only=True, frozen=True):
    """Fields that may be changed later."""

    name: Annotated[str, Meta(min_length=1, max_length=255)]
    """Name of the server, unique in the tenant."""

    adapter: DdnsAdapter
    """Protocol of updates: `bind_tsig` (RFC 2136 with TSIG), `ad_gsstsig` (with Kerberos), `powerdns_http` (its API),
    `embedded` (zones of this service)."""

    description: Text = ""
    address: Annotated[str, Meta(min_length=1, max_length=253)] | None = None
    """Address or hostname that updates are sent to. `ad_gsstsig` needs a hostname, because a Kerberos ticket names a
    host. Null: the adapter needs none."""

    port: Annotated[int, Meta(ge=1, le=65535)] | None = None
    """Port of updates. Null: 53."""

    url: Url | None = None
    """For `powerdns_http`: URL of the API, without credentials. Null: for other adapters."""

    server_id: Name | None = None
    """For `powerdns_http`: the server's id in the API. Null: localhost."""

    key_name: Hostname | None = None
    """Name of the TSIG key. Null: updates are not signed by TSIG."""

    key_algorithm: KeyAlgorithm | None = None
    """Algorithm of the TSIG key (RFC 8945). Null: hmac-sha256."""

    principal: Name | None = None
    """For `ad_gsstsig`: the principal that sends updates, such as svc-dhcp@EXAMPLE.NET. Null: the principal of the
    ticket cache."""

    realm: Name | None = None
    """For `ad_gsstsig`: the Kerberos realm. Null: the realm of the principal."""

    keytab: Place | None = None
    """For `ad_gsstsig`: absolute path of the principal's keytab on each host that sends updates. Null: keys have
    another source."""

    ticket_cache: Place | None = None
    """For `ad_gsstsig`: ticket cache on each host that sends updates; another program renews its tickets. Null: keys
    have another source."""

    secret: Secret | UnsetType | None = UNSET
    """TSIG key in base64, API key, or the principal's password. It is stored encrypted and never shown. Left out: the
    stored secret is kept. Null: it is deleted."""


class NewDnsServer(DnsServerFields, kw_only=True, frozen=True):
    tenant_id: Id | None = None


class DnsServer(Model, kw_only=True, frozen=True):
    tenant_id: str
    name: str
    adapter: str
    description: str
    address: str | None
    port: int | None
    url: str | None
    server_id: str | None
    key_name: str | None
    key_algorithm: str | None
    principal: str | None
    realm: str | None
    keytab: str | None
    ticket_cache: str | None
    has_secret: bool
    """Whether a secret is stored."""


class DnsServerTestStep(msgspec.Struct, frozen=True):
    """Step of a test, and its result as a sentence."""

    name: str
    """Name of the step."""

    ok: bool
    """Whether the step succeeded."""

    detail: str
    """Result of the step, as a sentence."""


class DnsServerTest(msgspec.Struct, frozen=True):
    """Result of a test. `ok`: the server would accept updates. `takes_dhcid`: whether it supports DHCID records;
    null if the test did not get that far."""

    ok: bool
    steps: list[DnsServerTestStep]
    """Steps of the test, in order."""

    takes_dhcid: bool | None = None
    """Whether the server supports DHCID records (RFC 4701). Null: the test did not get that far."""


def check_dns_server(fields: DnsServerFields, *, has_secret: bool) -> None:
    """Raise ValidationError where the adapter lacks what it needs, or is told what is not its own. `has_secret`: with
    this change. No message repeats a secret."""
    needed = NEEDED.get(fields.adapter)
    if needed is not None and getattr(fields, needed) is None:
        raise ValidationError(needed, f"is required for the adapter {fields.adapter}")
    if fields.url is not None:
        check_url(fields.url)
    if fields.adapter == "ad_gsstsig":
        check_kerberos(fields, has_secret)
    else:
        for name in OF_KERBEROS:
            if getattr(fields, name) is not None:
                raise ValidationError(name, f"is only for the adapter ad_gsstsig, not for {fields.adapter}")
    if fields.adapter == "bind_tsig" and isinstance(fields.secret, str):
        try:
            base64.b64decode(fields.secret, validate=True)
        except (binascii.Error, ValueError):
            raise ValidationError("secret", "must be the TSIG key in base64") from None


def check_kerberos(fields: DnsServerFields, has_secret: bool) -> None:
    """Check that the address is a name, because the ticket is for DNS/address (RFC 3645 section 3.1.1), and that the
    principal has its keys from one place."""
    if fields.address is not None and is_address(fields.address):
        raise ValidationError(
            "address",
            "must be the server's hostname, such as dc1.example.net, because Kerberos tickets name a "
            f"host; {fields.address} is an address",
        )
    given = [name for name in OF_KERBEROS if getattr(fields, name) is not None] + ["secret"] * has_secret
    if not given:
        raise ValidationError(
            "keytab",
            "is required for the adapter ad_gsstsig, unless ticket_cache or the principal's password "
            "(secret) is set",
        )
    if len(given) > 1:
        raise ValidationError(
            given[1], f"cannot be combined with {given[0]}: the principal's keys have one source"
        )
    if fields.principal is None and given != ["ticket_cache"]:
        raise ValidationError("principal", f"is required with {given[0]}, such as svc-dhcp@EXAMPLE.NET")
    if fields.keytab is not None and not PurePosixPath(fields.keytab).is_absolute():
        raise ValidationError("keytab", "must be the absolute path of a file on each host that sends updates")
    if fields.ticket_cache is not None and not TICKET_CACHE.fullmatch(fields.ticket_cache):
        raise ValidationError(
            "ticket_cache", "must be an absolute path, or begin with FILE:/, DIR:/, KCM: or KEYRING:"
        )


def is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def check_url(url: str) -> None:
    """Check for an HTTP address without credentials: those would be shown."""
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound or not url.isprintable() or " " in url:
        raise ValidationError("url", "must be a URL such as https://host.example/path")
    if parts.username is not None or parts.password is not None:
        raise ValidationError("url", "must not contain credentials")
