"""A DNS server that dynamic updates and zones are sent to, by one of four adapters.

`secret` is write-only: the TSIG key in base64, the API key, or the principal's password.
"""

import base64
import binascii
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
KeyAlgorithm = Literal["hmac-md5", "hmac-sha1", "hmac-sha224", "hmac-sha256", "hmac-sha384", "hmac-sha512"]
NEEDED = {"ad_gsstsig": "address", "bind_tsig": "address", "powerdns_http": "url"}


class DnsServerFields(Command, kw_only=True, frozen=True):
    """What may be changed later."""

    name: Annotated[str, Meta(min_length=1, max_length=255)]
    adapter: DdnsAdapter
    description: Text = ""
    # An address or a host name.
    address: Annotated[str, Meta(min_length=1, max_length=253)] | None = None
    port: Annotated[int, Meta(ge=1, le=65535)] | None = None
    url: Url | None = None
    server_id: Name | None = None
    key_name: Hostname | None = None
    key_algorithm: KeyAlgorithm | None = None
    principal: Name | None = None
    realm: Name | None = None
    secret: Secret | UnsetType | None = UNSET


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
    has_secret: bool


class DnsServerTestStep(msgspec.Struct, frozen=True):
    """What was tried, and what came of it in words."""

    name: str
    ok: bool
    detail: str


class DnsServerTest(msgspec.Struct, frozen=True):
    """`ok`: updates would be taken. `takes_dhcid`: whether the server knows DHCID records; null where it was not
    asked."""

    ok: bool
    steps: list[DnsServerTestStep]
    takes_dhcid: bool | None = None


def check_dns_server(fields: DnsServerFields) -> None:
    """Raises ValidationError where the adapter lacks what it needs. No message repeats a secret."""
    needed = NEEDED.get(fields.adapter)
    if needed is not None and getattr(fields, needed) is None:
        raise ValidationError(needed, f"is needed by the adapter {fields.adapter}")
    if fields.url is not None:
        check_url(fields.url)
    if fields.adapter == "bind_tsig" and isinstance(fields.secret, str):
        try:
            base64.b64decode(fields.secret, validate=True)
        except (binascii.Error, ValueError):
            raise ValidationError("secret", "must be the TSIG key in base64") from None


def check_url(url: str) -> None:
    """An HTTP address without credentials: those would be shown."""
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound or not url.isprintable() or " " in url:
        raise ValidationError("url", "must be an address such as https://host.example/path")
    if parts.username is not None or parts.password is not None:
        raise ValidationError("url", "must not hold credentials")
