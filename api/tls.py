"""TLS of the API: a certificate and its key, read again when their files change.

A pair that does not fit together is refused at the start; later it is logged, and the one before stays in use.
"""

import asyncio
import ssl
from pathlib import Path

import structlog

from ipam_core.errors import SettingsError
from ipam_core.settings import Settings

log = structlog.get_logger("api")

EVERY = 5.0
LOOPBACK = ("127.", "::1", "localhost")
SUITES = "ECDHE+AESGCM:ECDHE+CHACHA20"
"""Of TLS 1.2: forward secrecy and authenticated encryption only (RFC 9325 section 4.2); TLS 1.3 has no others."""


def context(settings: Settings) -> ssl.SSLContext | None:
    """Return None without a certificate. Raises SettingsError."""
    if (settings.api_tls_certificate is None) != (settings.api_tls_key is None):
        missing = "api_tls_key" if settings.api_tls_key is None else "api_tls_certificate"
        raise SettingsError(missing, "set both certificate and key")
    if settings.api_tls_certificate is None:
        warn_of_plain_text(settings)
        return None
    made = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.set_ciphers(SUITES)
    made.set_alpn_protocols(["http/1.1"])
    for key in ("api_tls_certificate", "api_tls_key"):
        check_readable(key, getattr(settings, key))
    try:
        read(made, settings)
    except (OSError, ValueError) as error:
        reason = f"certificate and key cannot be used: {error}"
        raise SettingsError("api_tls_certificate", reason) from None
    return made


def check_readable(key: str, file: Path) -> None:
    """Raise SettingsError with the file: the ssl module does not report which one it could not open."""
    try:
        file.open("rb").close()
    except OSError as error:
        raise SettingsError(key, f"{file} cannot be read: {error.strerror}") from None


def read(made: ssl.SSLContext, settings: Settings) -> None:
    """Read the files; open connections keep the certificate that they began with."""
    assert settings.api_tls_certificate is not None
    # A key with a passphrase must not ask for it on a terminal.
    made.load_cert_chain(settings.api_tls_certificate, settings.api_tls_key, password="")


def warn_of_plain_text(settings: Settings) -> None:
    """Warn of plain text: a token can be read by all who see the packets of its request."""
    if not settings.api_listen.host.startswith(LOOPBACK) and not settings.trusted_proxies:
        log.warning(
            "listens_without_tls",
            address=str(settings.api_listen),
            mend="tokens are sent unencrypted: set api_tls_certificate and api_tls_key, or use a proxy on 127.0.0.1",
        )


async def keep_fresh(made: ssl.SSLContext | None, settings: Settings) -> None:
    """Keep the certificate fresh for ever; both files are replaced one after the other, so a pair that does not fit is
    read again."""
    stamp = stamp_of(settings)
    while made is not None:
        await asyncio.sleep(EVERY)
        found = stamp_of(settings)
        if found == stamp:
            continue
        try:
            # A trial on another context first: a half of a pair must not spoil the one in use.
            read(ssl.create_default_context(ssl.Purpose.CLIENT_AUTH), settings)
            read(made, settings)
        except (OSError, ValueError) as error:
            log.error("certificate_not_read", error=str(error), file=str(settings.api_tls_certificate))
        else:
            log.warning("certificate_read", file=str(settings.api_tls_certificate))
        stamp = found


def stamp_of(settings: Settings) -> tuple[int, ...]:
    """Return a stamp that changes when one of the files does; a missing one counts as changed too."""
    files = [file for file in (settings.api_tls_certificate, settings.api_tls_key) if file]
    try:
        return tuple(number for file in files for number in (file.stat().st_mtime_ns, file.stat().st_ino))
    except OSError:
        return ()
