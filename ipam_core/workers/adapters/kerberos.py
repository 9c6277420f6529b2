"""The Kerberos of ad_gsstsig, by the library gssapi of the extra `ipam[gss]`: a principal's credentials, and a security
context with the server that they begin.

A KDC may let one wait, so all of `begin` runs in a thread. What goes wrong is said in words, by the code that the
Kerberos library gives. Where KDCs are is the machine's business (krb5.conf, KRB5_CONFIG).
"""

import os
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from ipam_core.model.dns_server import DnsServer
from ipam_core.workers.adapters import Refused, Unreachable, UpdateError, krb5_conf

MISSING = (
    "the adapter ad_gsstsig needs Python's gssapi: pip install 'ipam[gss]' (it is compiled, with libkrb5-dev), or"
    " Debian's python3-gssapi"
)
KRB5_ERRORS = -1765328384  # the first number of MIT's table; codes below are counted from there
KEYTAB_VERSION = 0x0502
EXPIRED = 32
OVER = (11, 12)  # GSS-API's words for credentials and contexts that have ended (RFC 2744 section 3.9.1)
UNREACHED = (154, 156, 220)
WORDS = {
    6: "the KDC does not know the principal {principal}",
    7: "the KDC knows no server {target}: address must be the name that the server has in its realm, realm its realm",
    18: "the account of {principal} is disabled or locked",
    23: "the password of {principal} has expired",
    24: "the KDC refuses the key or password of {principal}: it has changed",
    31: "the KDC refuses the key or password of {principal}: it has changed",
    37: "the clocks of this host and of the KDC differ too much",
    141: "the ticket cache {cache} has no ticket of {principal}",
    154: "no KDC is known for the realm of {principal}: krb5.conf names none, and DNS has no record of one",
    156: "no KDC of the realm of {principal} can be reached",
    195: "there is no ticket cache {cache} on this host",
    220: "the KDC that krb5.conf names cannot be resolved",
    224: "the realm is unknown: neither principal nor realm names it, nor does krb5.conf",
}


class Account(NamedTuple):
    """Account for a server, and its credentials."""

    host: str
    principal: str | None
    realm: str | None  # of the server
    keytab: str | None
    ticket_cache: str | None
    password: str | None

    @property
    def target(self) -> str:
        """The service's principal; with the realm no name is looked up in DNS to make it."""
        return f"DNS/{self.host}@{self.realm}" if self.realm else f"DNS/{self.host}"

    @property
    def realms(self) -> set[str]:
        """Realms whose KDCs are asked; empty text: one that the library finds by itself."""
        own = (self.principal or "").rpartition("@")[2] if "@" in (self.principal or "") else ""
        return {own, self.realm or ""}

    @property
    def cache(self) -> str:
        """As the library names it."""
        told = self.ticket_cache or ""
        return f"FILE:{told}" if told.startswith("/") else told


class Begun(NamedTuple):
    """A context that waits for the server's answer, and the octets for the server."""

    context: Any
    token: bytes


def account(server: DnsServer, secret: str | None) -> Account:
    """Return the account; a principal without a realm is in the server's, and the other way round."""
    principal, realm = server.principal, server.realm
    if principal and realm and "@" not in principal:
        principal = f"{principal}@{realm}"
    if principal and not realm:
        realm = principal.rpartition("@")[2] if "@" in principal else None
    return Account(
        (server.address or "").rstrip("."), principal, realm, server.keytab, server.ticket_cache, secret
    )


def library() -> ModuleType:
    """Raise Refused where it is not installed."""
    try:
        import gssapi
        import gssapi.raw
    except ModuleNotFoundError:
        raise Refused(MISSING) from None
    except (ImportError, OSError) as error:
        raise Refused(f"Python's gssapi cannot be loaded: {error}") from None
    found: ModuleType = gssapi
    return found


def begin(who: Account, known_kdcs: bool = False) -> Begun:
    """Return a context that waits for the server; blocks while KDCs answer. With `known_kdcs` the KDCs must be named
    by krb5.conf. Raises UpdateError."""
    gssapi = library()
    if known_kdcs:
        krb5_conf.check(who.realms)
    try:
        with tempfile.TemporaryDirectory(prefix="ipam-krb5-") as folder:
            return begin_with(gssapi, who, credentials(gssapi, who, folder))
    except OSError as error:
        raise Refused(f"a temporary folder for tickets cannot be created: {error}") from None
    except gssapi.exceptions.GSSError as error:
        raise trouble(who, error) from None


def begin_with(gssapi: Any, who: Account, held: Any) -> Begun:
    """Begin with mutual authentication, replay detection and integrity (RFC 3645 section 3.1.1). No sequence: updates
    overtake each other."""
    flags = gssapi.RequirementFlag
    if who.realm:
        name = gssapi.Name(who.target, gssapi.NameType.kerberos_principal)
    else:
        name = gssapi.Name(f"DNS@{who.host}", gssapi.NameType.hostbased_service)
    context = gssapi.SecurityContext(
        name=name,
        creds=held,
        usage="initiate",
        mech=gssapi.MechType.kerberos,
        flags=flags.mutual_authentication | flags.replay_detection | flags.integrity,
    )
    return Begun(context, context.step())


def finish(who: Account, context: Any, token: bytes) -> float:
    """Take the server's octets, which prove it: who has not its key cannot have made them, whatever else the answer
    says. How many seconds the context lives. Raises UpdateError."""
    try:
        context.step(token)
        if not context.complete:
            raise Refused(
                f"the negotiation with {who.target} is not finished after one round, which Kerberos never needs"
            )
        return float(context.lifetime)
    except library().exceptions.GSSError as error:
        raise trouble(who, error) from None


def credentials(gssapi: Any, who: Account, folder: str) -> Any:
    """Get new credentials each time: from the keytab, by the password, or what the cache holds now. Tickets go into the
    folder."""
    name = gssapi.Name(who.principal, gssapi.NameType.kerberos_principal) if who.principal else None
    kerberos = [gssapi.MechType.kerberos]
    if who.ticket_cache is not None:
        return gssapi.Credentials(name=name, usage="initiate", store={"ccache": who.cache}, mechs=kerberos)
    if who.keytab is not None:
        check_keytab(who.keytab, who.principal or "")
        store = {"client_keytab": who.keytab, "ccache": f"FILE:{folder}/tickets"}
        return gssapi.Credentials(name=name, usage="initiate", store=store, mechs=kerberos)
    if who.password is None or name is None:
        raise Refused("the server has neither a keytab nor a ticket_cache nor a principal with its password")
    made = gssapi.raw.acquire_cred_with_password(
        name, who.password.encode(), usage="initiate", mechs=kerberos
    )
    return gssapi.Credentials(base=made.creds)


def trouble(who: Account, error: Any) -> UpdateError:
    number = (error.min_code - KRB5_ERRORS) & 0xFFFFFFFF
    if number == EXPIRED or error.maj_code >> 16 & 0xFF in OVER:
        return expired(who)
    told = WORDS.get(number)
    if told is None:
        return Refused(f"Kerberos for {who.target}: {said(error)}")
    principal = who.principal or "this host"
    text = told.format(principal=principal, target=who.target, cache=who.ticket_cache or "")
    return Unreachable(text) if number in UNREACHED else Refused(text)


def expired(who: Account) -> UpdateError:
    if who.ticket_cache is not None:
        return Refused(f"the ticket in the cache {who.ticket_cache} has expired: renew it there")
    return Unreachable(f"the ticket of {who.principal} expired while it was used: its lifetime is too short")


def said(error: Any) -> str:
    """Return the library's own words, those of Kerberos where there are any."""
    words = error.get_all_statuses(error.min_code, False) if error.min_code else []
    return "; ".join(words or error.get_all_statuses(error.maj_code, True))


def check_keytab(path: str, principal: str) -> None:
    """Raise Refused where the file does not hold the principal's key: the library says neither which file it read nor
    what is in it."""
    try:
        if not Path(path).is_file():
            raise Refused(f"there is no keytab {path} on this host")
        held = list(principals(Path(path).read_bytes()))
    except OSError as error:
        who = f"user {os.geteuid()}"
        raise Refused(f"the keytab {path} cannot be read by this process ({who}): {error.strerror}") from None
    except (struct.error, ValueError):
        raise Refused(f"{path} is not a keytab") from None
    wanted = principal if "@" in principal else f"{principal}@"
    if not any(each == wanted or each.startswith(wanted) for each in held):
        others = ", ".join(sorted(set(held))[:5])
        raise Refused(
            f"the keytab {path} has no key of {principal}" + (f", but of {others}" if others else "")
        )


def principals(keytab: bytes) -> Iterator[str]:
    """Yield the principals of a keytab (MIT's keytab file format, version 2). Raises ValueError and struct.error on
    what is none."""
    if int.from_bytes(keytab[:2], "big") != KEYTAB_VERSION:
        raise ValueError
    place = 2
    while place < len(keytab):
        (length,) = struct.unpack_from(">i", keytab, place)
        place += 4
        if place + abs(length) > len(keytab):
            raise ValueError
        if length > 0:  # else a hole
            yield principal_of(keytab[place : place + length])
        place += abs(length)


def principal_of(entry: bytes) -> str:
    (count,) = struct.unpack_from(">H", entry)
    texts, place = [], 2
    for _ in range(count + 1):
        (length,) = struct.unpack_from(">H", entry, place)
        texts.append(entry[place + 2 : place + 2 + length].decode())
        place += 2 + length
    realm, *components = texts
    return f"{'/'.join(components)}@{realm}"
