"""API tokens: `ipam_live_`, 32 random base62 characters, and six of a CRC32 over what precedes them.

The check lets a typing error be refused without a look in the database, and lets secret scanners be sure.
Only the SHA-256 of the whole is stored: 190 random bits need no slow hash.
"""

import hashlib
import secrets
import string
import zlib
from typing import Annotated, Literal

from msgspec import Meta

from ipam_core.model.base import Command, Id, Model
from ipam_core.model.values import Instant, Network

MARK = "ipam_live_"
ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
SECRET_LENGTH = 32
CHECK_LENGTH = 6
SHOWN_LENGTH = len(MARK) + 4

Role = Literal["admin", "operator", "viewer"]


class TokenFields(Command, kw_only=True, frozen=True):
    """Fields that may be changed later."""

    name: Annotated[str, Meta(min_length=1, max_length=255)]
    """Name of the token, which the audit log shows."""

    role: Role
    """`admin`: everything. `operator`: read, release leases, retry and drain. `viewer`: read."""

    expires_at: Instant | None = None
    """When the token expires. Null: never."""

    allowed_cidrs: Annotated[tuple[Network, ...], Meta(max_length=64)] = ()
    """Networks that the token may be used from. Empty: from any address."""


class NewToken(TokenFields, kw_only=True, frozen=True):
    tenant_id: Id | None = None
    """Tenant of the token, which can see and change only objects of this tenant. Null: all tenants."""


class Token(Model, kw_only=True, frozen=True):
    name: str
    role: str
    tenant_id: str | None
    expires_at: str | None
    allowed_cidrs: list[str]
    last_used_at: str | None
    """When the token was last used, accurate to about a minute. Null: never."""

    prefix: str
    """First characters of the token, which identify it but cannot be used to sign in."""


class TokenWithSecret(Token, kw_only=True, frozen=True):
    token: str
    """The token itself, for the header Authorization: Bearer. It is shown only once."""


def new_secret() -> str:
    body = MARK + "".join(secrets.choice(ALPHABET) for _ in range(SECRET_LENGTH))
    return body + check_characters(body)


def check_characters(body: str) -> str:
    number, characters = zlib.crc32(body.encode()), ""
    for _ in range(CHECK_LENGTH):
        number, digit = divmod(number, len(ALPHABET))
        characters = ALPHABET[digit] + characters
    return characters


def well_formed(secret: str) -> bool:
    body, check = secret[:-CHECK_LENGTH], secret[-CHECK_LENGTH:]
    if len(body) != len(MARK) + SECRET_LENGTH or not body.startswith(MARK) or not secret.isascii():
        return False
    return check_characters(body) == check


def hash_secret(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
