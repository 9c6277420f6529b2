"""NetBox's REST API over HTTP: requests, and every fault of the other side as an error that says what to do.

A redirect is not followed, because the token would go with it. Of the `next` of a list the position alone is taken, so
that no answer of NetBox, nor of a proxy before it, leads the token to another host. What is to be mended in the request
is a ValidationError of `url`, `token` or a filter; what may go away by itself is Unavailable.
"""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

import httpx
import msgspec

from ipam_core.errors import Unavailable, ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.netbox import NetBoxCommand
from ipam_core.netbox.shapes import Listed, Status
from ipam_core.outbound.faults import Kind, OutboundError
from ipam_core.outbound.guard import Guard, Reach
from ipam_core.outbound.http_client import HttpClient, Query, Reply, decoded, encoded

T = TypeVar("T")

MOST_SECONDS = 15.0  # for an answer, its connection included
WAITS = 4
MOST_OCTETS, MOST_OF_TENANT = 16 << 20, 4 << 20  # of one answer
MOST_ROWS = 20_000  # of a list that its filters keep short
MOST_REFUSAL = 65_536  # octets of an error's body
MOST_WORDS = 300  # characters of NetBox's message
OLDEST = 4
BUSY = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
REFUSALS = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
SECRET = re.compile(r"[!-~]+")
WHERE = "give the address of NetBox's start page, without /api"


def is_json(reply: Reply) -> bool:
    return "json" in reply.headers.get("content-type", "").partition(";")[0]


def told_by(reply: Reply) -> Any:
    """Return the JSON of a refusal; None where it is none, as of a proxy, or too long for one."""
    if not is_json(reply) or len(reply.body) > MOST_REFUSAL:
        return None
    try:
        return msgspec.json.decode(reply.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def address_of(url: str) -> str:
    """Return the address of the API, without a closing slash. Raises ValidationError."""
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ValidationError("url", "must be an http or https address, such as https://netbox.example.net")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValidationError("url", f"must not contain a user, query or fragment: {WHERE}")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/').removesuffix('/api')}/api"


def authorization(token: str) -> str:
    """Return the header of a token: `nbt_<key>.<token>` is of version 2 (NetBox 4.5), all else of version 1. The
    header's scheme may stand before it. Raises ValidationError."""
    scheme, blank, secret = token.strip().rpartition(" ")
    if not SECRET.fullmatch(secret) or (blank and scheme not in ("Bearer", "Token")):
        raise ValidationError("token", "must be nbt_<key>.<token> (v2) or 40 hex digits (v1)")
    if secret.startswith("nbt_") and "." not in secret:
        raise ValidationError("token", "is only the key: a v2 token is nbt_<key>.<token>")
    return f"{scheme or ('Bearer' if secret.startswith('nbt_') else 'Token')} {secret}"


def trust(wanted: NetBoxCommand, guard: Guard) -> ssl.SSLContext:
    """Return the certificates to trust. Raises ValidationError."""
    if wanted.ca_certificate is None:
        return guard.context if wanted.verify_tls else httpx.create_ssl_context(verify=False, trust_env=False)
    if not wanted.verify_tls:
        raise ValidationError(
            "ca_certificate",
            "contains the trusted authority, but verify_tls: false disables the check: remove one of them",
        )
    try:
        return ssl.create_default_context(cadata=wanted.ca_certificate)
    except (ssl.SSLError, ValueError):
        raise ValidationError("ca_certificate", "must be certificates in PEM") from None


@asynccontextmanager
async def connected(
    guard: Guard, actor: Actor, wanted: NetBoxCommand, seconds: float
) -> AsyncIterator["NetBox"]:
    """Provide a client that waits as long as its timeout permits. Raises ValidationError."""
    base, header = address_of(wanted.url), authorization(wanted.token)
    context = await asyncio.to_thread(trust, wanted, guard)  # reads files
    headers = {"authorization": header, "accept": "application/json"}
    reach = Reach(actor.tenant_no, of_tenant=actor.tenant_no is not None)
    http = HttpClient(guard, reach, base, headers, MOST_SECONDS, context)
    try:
        yield NetBox(http, header.rpartition(" ")[2], asyncio.get_running_loop().time() + seconds)
    finally:
        http.close()


class NetBox:
    """One NetBox, and until when it may be asked. A tenant sees nothing of what it writes: the address may be that of
    any other service."""

    def __init__(self, http: HttpClient, secret: str, deadline: float) -> None:
        self.http = http
        self.base = http.base
        self.secret = secret
        self.deadline = deadline
        self.is_quoted = not http.reach.of_tenant
        self.is_known = False  # whether it has answered as a NetBox does

    @property
    def seconds_left(self) -> float:
        return self.deadline - asyncio.get_running_loop().time()

    async def check_version(self) -> None:
        """Raise ValidationError where there is no NetBox 4, and as `get` does."""
        found = await self.get("/status/", (), Status, "to read /api/status/")
        major = found.version.partition(".")[0]
        if not major.isdecimal() or int(major) < OLDEST:
            version = f"NetBox {self.clean(found.version)}" if self.is_quoted else "an older NetBox"
            raise ValidationError("url", f"is {version}; {OLDEST} or later is needed")

    async def page(self, path: str, query: Query, kind: type[T], needed: str) -> Listed[T]:
        """Raise ValidationError too where more is told than `limit` of the query."""
        found: Listed[T] = await self.get(path, query, Listed[kind], needed)  # type: ignore[valid-type]  # made at run time
        if len(found.results) > int(dict(query)["limit"]):
            raise ValidationError("url", f"{self.base}{path} returned more objects than requested")
        return found

    async def all(self, path: str, query: Query, kind: type[T], needed: str) -> list[T]:
        """Return all pages; for lists that the query keeps short. Raises ValidationError where one is not."""
        found, position = list[T](), ("offset", 0)
        while True:
            page = await self.page(path, (*query, (position[0], str(position[1]))), kind, needed)
            found += page.results
            if len(found) > MOST_ROWS:
                raise ValidationError("url", f"{self.base}{path} returned more than {MOST_ROWS} objects")
            if self.seconds_left <= 0 and page.next is not None:
                raise Unavailable("NetBox", "its list takes too long: repeat the request to continue")
            following = following_position(page.next, position)
            if following is None:
                return found
            position = following

    async def get(self, path: str, query: Query, kind: type[T], needed: str) -> T:
        """Raise ValidationError and Unavailable. `needed`: what the token must be allowed."""
        reply = await self.ask("GET", path, query)
        if reply.status != HTTPStatus.OK:
            raise self.fault(reply, path, needed)
        return await self.read(reply, path, kind)

    async def read(self, reply: Reply, path: str, kind: type[T]) -> T:
        if not is_json(reply):
            raise ValidationError(
                "url", f"{self.base}{path} did not return JSON, so it is not NetBox: {WHERE}"
            )
        try:
            found: T = await decoded(reply.body, partial(msgspec.json.decode, type=kind))
            self.is_known = True
            return found
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            more = f": {self.clean(str(error))}" if self.is_quoted else ""
            raise ValidationError("url", f"{self.base}{path} did not answer like NetBox 4{more}") from None

    async def ask(self, method: str, path: str, query: Query = (), body: Any = None) -> Reply:
        """Return the answer, whatever its status; one that asks to wait is waited for while there is time."""
        for _ in range(WAITS):
            reply = await self.send(method, path, query, body)
            pause = retry_after(reply)
            if pause is None or pause > self.seconds_left:
                return reply
            await asyncio.sleep(pause)
        return await self.send(method, path, query, body)

    async def send(self, method: str, path: str, query: Query, body: Any) -> Reply:
        content = None if body is None else encoded(body)
        most = MOST_OCTETS if self.is_quoted else MOST_OF_TENANT
        try:
            return await self.http.request(method, path, query, content, most, large=True)
        except OutboundError as error:
            raise self.unreached(error) from None

    def unreached(self, error: OutboundError) -> ValidationError | Unavailable:
        """Return what the connection says. A name, a port or a certificate is the request's to mend."""
        if error.kind == Kind.TLS and "certificate" in str(error):
            mend = "set ca_certificate to the certificate of its authority, or verify_tls to false"
            return ValidationError("url", f"{error}: {mend}")
        if error.kind in (Kind.NAME, Kind.CONNECT):
            return ValidationError(
                "url", f"{self.base} cannot be reached ({error}): check scheme, name and port"
            )
        if error.kind == Kind.TLS or (error.kind == Kind.PROTOCOL and not self.is_known):
            return ValidationError("url", f"{self.base} does not answer ({error}): {self.other_scheme()}")
        if error.kind in (Kind.FORBIDDEN, Kind.SIZE):
            return ValidationError("url", str(error))
        return Unavailable("NetBox", f"its answer was incomplete ({error}): repeat the request to continue")

    def fault(self, reply: Reply, path: str, needed: str) -> ValidationError | Unavailable:
        """Return an answer that is none, as an error."""
        said, where = self.said(reply), f"{self.base}{path}"
        if reply.status in REFUSALS and not (self.is_known or is_netboxes(told_by(reply))):
            said_so = f" ({said})" if said else ""
            return ValidationError(
                "url", f"{where} answers {reply.status}{said_so}, which NetBox does not: {WHERE}"
            )
        if reply.status in REFUSALS:
            return refused_token(said, needed)
        if reply.status == HTTPStatus.BAD_REQUEST and not self.is_known:
            return ValidationError("url", f"{where} answers 400 {said}: {WHERE}, and {self.other_scheme()}")
        if reply.status == HTTPStatus.BAD_REQUEST:
            return wrong_filter(told_by(reply) if self.is_quoted else None, said)
        if reply.status in BUSY and (pause := retry_after(reply)) is not None:
            return Unavailable("NetBox", f"it requires a pause of {pause} s ({reply.status})")
        if 300 <= reply.status < 400:
            other = reply.headers.get("location", "") if self.is_quoted else ""
            other = self.clean(other) or "somewhere else"
            return ValidationError(
                "url", f"{where} redirects to {other}, which is not followed: use that address"
            )
        if reply.status == HTTPStatus.NOT_FOUND:
            return ValidationError("url", f"{where} does not exist: {WHERE}")
        return Unavailable("NetBox", f"it answers {reply.status} {said}; see its own log")

    def other_scheme(self) -> str:
        """Ask for the scheme that was not given."""
        given, other = ("https", "http") if self.base.startswith("https:") else ("http", "https")
        return f"{given} was asked for; if it speaks {other} at this port, write {other}://"

    def said(self, reply: Reply) -> str:
        """Return NetBox's own words, if it has any, never with the token in them; none for a tenant."""
        if not self.is_quoted:
            return ""
        told = told_by(reply)
        text = told["detail"] if isinstance(told, dict) and "detail" in told else told
        return self.clean(words(text))

    def shown(self, text: str) -> str:
        """Return NetBox's words about one object, for readers who may see them."""
        return self.clean(text) if self.is_quoted else "NetBox refuses it; see its own log"

    def clean(self, text: str) -> str:
        shown = "".join(c if c.isprintable() else " " for c in text)
        return shown.replace(self.secret, "...")[:MOST_WORDS]


def is_netboxes(told: Any) -> bool:
    """Return whether a refusal has the one member with which NetBox says why."""
    return isinstance(told, dict) and isinstance(told.get("detail"), str)


def retry_after(reply: Reply) -> int | None:
    """Return seconds; None where it does not ask to wait. A date, which NetBox never sends, counts as a minute."""
    text = reply.headers.get("retry-after", "")
    if reply.status not in BUSY or not text:
        return None
    return int(text) if text.isdecimal() and len(text) < 9 else 60


def refused_token(said: str, needed: str) -> ValidationError:
    if "permission" in said.lower():
        return ValidationError("token", f"is not permitted {needed} in NetBox ({said})")
    return ValidationError(
        "token", f"is refused by NetBox ({said or 'no reason given'}): create another one there"
    )


def wrong_filter(told: Any, said: str) -> ValidationError:
    """Return the error for a filter whose value NetBox does not know; most names are the same as ours."""
    if isinstance(told, dict) and len(told) == 1 and "detail" not in told:
        name = next(iter(told))
        field = {"status": "statuses", "within_include": "within"}.get(name, name.removesuffix("_id"))
        return ValidationError(field, f"is refused by NetBox: {said}")
    return ValidationError("url", f"answers 400 {said}: {WHERE}")


def words(value: Any) -> str:
    """Return the text of NetBox's error, whatever it is made of."""
    if isinstance(value, dict):
        return "; ".join(f"{name}: {words(each)}" for name, each in value.items())
    if isinstance(value, list):
        return " ".join(filter(None, map(words, value)))
    return "" if value is None else str(value)


def following_position(link: str | None, position: tuple[str, int]) -> tuple[str, int] | None:
    """Return where the next page begins; raises ValidationError where that would lead round in a circle."""
    following = position_of(link)
    if following is not None and following[0] == position[0] and following <= position:
        raise ValidationError("url", "returned a next page that does not follow this one")
    return following


def position_of(link: str | None) -> tuple[str, int] | None:
    """Return where the next page begins: an offset, or a first id (NetBox 4.6). None: there is none.
    Raises ValidationError for a link of another kind."""
    if link is None:
        return None
    query = parse_qs(urlsplit(link).query)
    for name in ("start", "offset"):
        for text in query.get(name, ()):
            if text.isdecimal() and len(text) < 10:
                return name, int(text)
    raise ValidationError("url", "returned pages with neither offset nor start")
