"""Secrets at rest: credentials of DNS servers, secrets of webhooks.

They are sealed with AES-256-GCM under a key from a file, the same on every host and never in the database. The database
holds the key's fingerprint, so that a process with another key, or none, finds out before it does harm. The file is
made only while the database holds no fingerprint.

The file holds one key a line (base64). During a rotation it holds two, so that it has the database's key if the
rotation fails too. A running process reads the file again when it meets an unknown fingerprint. A sealed value is:
version octet, fingerprint of its key, nonce, ciphertext. The kind of the secret and the id of its row are authenticated
with it. An attacker who writes the database can neither present one kind as another nor move a secret to a row with
another destination.

Values of version 1, from before, are bound to their kind alone. They stay readable; a rotation and every write of their
row seal them anew. While a process of another version is alive, which may know version 1 only, that is written.
"""

import base64
import binascii
import contextlib
import hashlib
import os
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from uuid import UUID

from asyncpg import Connection
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from ipam_core.db import queries
from ipam_core.errors import SecretKeyError, Unavailable

SQL = queries.load("secret")

OF_KIND, OF_ROW = VERSIONS = b"\x01", b"\x02"  # a sealed value is bound to its kind, or to its row
RELEASE = metadata.version("ipam")
KEY_OCTETS = 32
FINGERPRINT_OCTETS = 16
NONCE_OCTETS = 12
HEADER_OCTETS = 1 + FINGERPRINT_OCTETS + NONCE_OCTETS


class Keyring:
    """The keys of one file, by fingerprint."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.keys: dict[str, bytes] = {}

    async def adopt(self, connection: Connection) -> str:
        """Return the fingerprint that the database holds, whose key must be here; a database without one gets ours."""
        async with connection.transaction():
            await SQL.lock_first(connection)
            held: str | None = await SQL.share_fingerprint(connection)
            if held is None:
                held = self.first()
                await SQL.keep_fingerprint(connection, fingerprint=held)
        self.key(held)
        return held

    async def seal(self, connection: Connection, purpose: str, row: UUID, secret: str) -> bytes:
        """Return the secret of a row under the database's key. That stays the key until the transaction ends."""
        held = await SQL.share_fingerprint(connection)
        try:
            held = held or await self.adopt(connection)
            key = self.key(held)
        except SecretKeyError:
            raise Unavailable("the store of secrets", "this server does not have its key") from None
        version = OF_KIND if await SQL.has_other_versions(connection, version=RELEASE) else OF_ROW
        return sealed(version, held, key, bound_to(version, purpose, row), secret)

    def open(self, purpose: str, row: UUID, value: bytes) -> str:
        """Return the secret that was sealed for this row. SecretKeyError when its key is not here, it was altered or it
        is another row's."""
        version, held = value[:1], value[1 : 1 + FINGERPRINT_OCTETS].hex()
        nonce = value[HEADER_OCTETS - NONCE_OCTETS : HEADER_OCTETS]
        try:
            if version not in VERSIONS:
                raise InvalidTag
            data = bound_to(version, purpose, row)
            opened = AESGCM(self.key(held)).decrypt(nonce, value[HEADER_OCTETS:], data)
        except InvalidTag:
            reason = f"the secret of the {purpose} {row} was altered, or belongs to another object"
            raise SecretKeyError(str(self.path), reason) from None
        return opened.decode()

    def is_bound(self, value: bytes) -> bool:
        """Return whether the value can be read of its own row only."""
        return value[:1] == OF_ROW

    def key(self, held: str) -> bytes:
        if held not in self.keys:
            self.keys = self.read()
        if held not in self.keys:
            state = "contains another key" if self.keys else "is missing"
            reason = f"it {state}: copy the key that encrypts the secrets of the database to this host"
            raise SecretKeyError(str(self.path), reason)
        return self.keys[held]

    def first(self) -> str:
        """Return the fingerprint of the file's first key; a missing file is made."""
        self.keys = self.read() or self.write([os.urandom(KEY_OCTETS)])
        return next(iter(self.keys))

    def read(self) -> dict[str, bytes]:
        try:
            lines = self.path.read_text("ascii").split()
            keys = [base64.b64decode(line, validate=True) for line in lines]
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise SecretKeyError(str(self.path), str(error.strerror)) from None
        except (binascii.Error, ValueError):
            raise SecretKeyError(str(self.path), "it does not contain keys in base64") from None
        if not keys or {len(key) for key in keys} != {KEY_OCTETS}:
            raise SecretKeyError(str(self.path), f"its keys are not {KEY_OCTETS} octets long")
        return {fingerprint(key): key for key in keys}

    def write(self, keys: Sequence[bytes]) -> dict[str, bytes]:
        """Replace the file whole, so that a crash leaves the old one or the new one."""
        lines = b"".join(base64.b64encode(key) + b"\n" for key in keys)
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace(self.path, lines)
        except OSError as error:
            raise SecretKeyError(str(self.path), f"it cannot be written: {error.strerror}") from None
        return {fingerprint(key): key for key in keys}


def sealed(version: bytes, held: str, key: bytes, bound: bytes, secret: str) -> bytes:
    nonce = os.urandom(NONCE_OCTETS)
    return version + bytes.fromhex(held) + nonce + AESGCM(key).encrypt(nonce, secret.encode(), bound)


def bound_to(version: bytes, purpose: str, row: UUID) -> bytes:
    """Return what is authenticated with a secret."""
    return purpose.encode() + (b"\0" + row.bytes if version == OF_ROW else b"")


def fingerprint(key: bytes) -> str:
    """Report which key it is and nothing about it."""
    return hashlib.sha256(b"ipam secret key\0" + key).digest()[:FINGERPRINT_OCTETS].hex()


def replace(path: Path, content: bytes) -> None:
    """Replace the file with mode 0600; the owner of the old file stays the owner, and a new one belongs to the owner of
    its folder."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(descriptor)
    with contextlib.suppress(FileNotFoundError, PermissionError):
        old = path.stat() if path.exists() else path.parent.stat()
        os.chown(fresh, old.st_uid, old.st_gid)
    fresh.rename(path)


async def rotate(connection: Connection, keyring: Keyring) -> int:
    """Seal every secret anew under a new key, all or none; how many there were.

    The file contains both keys before the COMMIT and the new one alone after it.
    """
    await keyring.adopt(connection)
    fresh = os.urandom(KEY_OCTETS)
    async with connection.transaction():
        held = await SQL.lock_fingerprint(connection)
        keyring.keys = keyring.write([keyring.key(held), fresh])
        rows = [row async for row in SQL.read_sealed(connection)]
        for row in rows:
            await reseal(connection, keyring, fresh, row)
        await SQL.replace_fingerprint(connection, fingerprint=fingerprint(fresh))
    keyring.keys = keyring.write([fresh])
    return len(rows)


async def reseal(connection: Connection, keyring: Keyring, fresh: bytes, row: Mapping[str, object]) -> None:
    purpose, id_, value = str(row["purpose"]), row["id"], row["secret"]
    assert isinstance(value, bytes)
    assert isinstance(id_, UUID)
    version = OF_KIND if await SQL.has_other_versions(connection, version=RELEASE) else OF_ROW
    bound = bound_to(version, purpose, id_)
    secret = sealed(version, fingerprint(fresh), fresh, bound, keyring.open(purpose, id_, value))
    await getattr(SQL, f"reseal_{purpose}")(connection, no=row["no"], secret=secret)
