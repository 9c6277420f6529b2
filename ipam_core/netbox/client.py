"""NetBox's REST API over HTTP: requests, and every fault of the other side as an error that says what to do.

A redirect is not followed, because the token would go with it. Of the `next` of a list the position alone is taken, so
that no answer of NetBox, nor of a proxy before it, leads the token to another host. What is to be mended in the request
is a ValidationError of `url`, `token` or a filter; what may go away by itself is Unavailable.
"""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qs, urlsplit

import httpx
import msgspec

from ipam_core.errors import Unavailable, ValidationError
from ipam_core.model.netbox import NetBoxCommand
from ipam_core.netbox.shapes import Listed, Status

T = TypeVar("T")

TIMEOUT = httpx.Timeout(12.0, connect=5.0)
MOST_SECONDS = 15.0  # for an answer that trickles
WAITS = 4
MOST_OCTETS = 16 << 20  # of one answer
MOST_WORDS = 300  # of what NetBox says
OLDEST = 4
BUSY = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
REFUSALS = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
SECRET = re.compile(r"[!-~]+")
WHERE = "give the address of NetBox's start page, without /api"

Query = Sequence[tuple[str, str]]


class Reply(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_json(self) -> bool:
        return "json" in self.headers.get("content-type", "").partition(";")[0]

    @property
    def told(self) -> Any:
        """The JSON of a refusal; None where it is none, as of a proxy."""
        try:
            return msgspec.json.decode(self.body) if self.is_json else None
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None


def address_of(url: str) -> str:
    """Where the API is, without a closing slash. Raises ValidationError."""
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ValidationError("url", "must be an http or https address, such as https://netbox.example.net")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValidationError("url", f"must hold no user, query or fragment: {WHERE}")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/').removesuffix('/api')}/api"


def authorization(token: str) -> str:
    """The header of a token: `nbt_<key>.<token>` is of version 2 (NetBox 4.5), all else of version 1. The header's
    scheme may stand before it. Raises ValidationError."""
    scheme, blank, secret = token.strip().rpartition(" ")
    if not SECRET.fullmatch(secret) or (blank and scheme not in ("Bearer", "Token")):
        raise ValidationError("token", "must be nbt_<key>.<token> (v2) or 40 hex digits (v1)")
    if secret.startswith("nbt_") and "." not in secret:
        raise ValidationError("token", "is the key alone: a v2 token is nbt_<key>.<token>")
    return f"{scheme or ('Bearer' if secret.startswith('nbt_') else 'Token')} {secret}"


def trust(wanted: NetBoxCommand) -> ssl.SSLContext:
    """Whose certificates are believed. Raises ValidationError."""
    if wanted.ca_certificate is None:
        context = httpx.create_ssl_context(verify=wanted.verify_tls)
        context.load_default_certs()  # a company's own are in the system's store
        return context
    if not wanted.verify_tls:
        raise ValidationError("ca_certificate", "says whom to trust, and verify_tls: false to trust anybody")
    try:
        return ssl.create_default_context(cadata=wanted.ca_certificate)
    except (ssl.SSLError, ValueError):
        raise ValidationError("ca_certificate", "must be certificates in PEM") from None


@asynccontextmanager
async def connected(wanted: NetBoxCommand, seconds: float) -> AsyncIterator["NetBox"]:
    """A client that may wait so long until it is told off. Raises ValidationError."""
    base, header = address_of(wanted.url), authorization(wanted.token)
    context = await asyncio.to_thread(trust, wanted)  # reads files
    headers = {"authorization": header, "accept": "application/json"}
    async with httpx.AsyncClient(headers=headers, timeout=TIMEOUT, verify=context) as http:
        yield NetBox(http, base, header.rpartition(" ")[2], asyncio.get_running_loop().time() + seconds)


class NetBox:
    """One NetBox, and until when it may be asked."""

    def __init__(self, http: httpx.AsyncClient, base: str, secret: str, deadline: float) -> None:
        self.http = http
        self.base = base
        self.secret = secret
        self.deadline = deadline

    @property
    def seconds_left(self) -> float:
        return self.deadline - asyncio.get_running_loop().time()

    async def check_version(self) -> None:
        """Raises ValidationError where there is no NetBox 4, and as `get` does."""
        found = await self.get("/status/", (), Status, "to read /api/status/")
        major = found.version.partition(".")[0]
        if not major.isdecimal() or int(major) < OLDEST:
            raise ValidationError("url", f"is NetBox {found.version}; {OLDEST} or later is needed")

    async def page(self, path: str, query: Query, kind: type[T], needed: str) -> Listed[T]:
        return await self.get(path, query, Listed[kind], needed)  # type: ignore[valid-type]  # made at run time

    async def all(self, path: str, query: Query, kind: type[T], needed: str) -> list[T]:
        """All pages; for lists that the query keeps short."""
        found, position = list[T](), ("offset", 0)
        while True:
            page = await self.page(path, (*query, (position[0], str(position[1]))), kind, needed)
            found += page.results
            following = following_position(page.next, position)
            if following is None:
                return found
            position = following

    async def get(self, path: str, query: Query, kind: type[T], needed: str) -> T:
        """Raises ValidationError and Unavailable. `needed`: what the token must be allowed."""
        reply = await self.ask("GET", path, query)
        if reply.status != HTTPStatus.OK:
            raise self.fault(reply, path, needed)
        return self.read(reply, path, kind)

    def read(self, reply: Reply, path: str, kind: type[T]) -> T:
        if not reply.is_json:
            raise ValidationError("url", f"{self.base}{path} answers no JSON, so it is not NetBox's: {WHERE}")
        try:
            return msgspec.json.decode(reply.body, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ValidationError(
                "url", f"{self.base}{path} answers otherwise than NetBox 4: {error}"
            ) from None

    async def ask(self, method: str, path: str, query: Query = (), body: Any = None) -> Reply:
        """The answer, whatever its status; one that asks to wait is waited for while there is time."""
        for _ in range(WAITS):
            reply = await self.send(method, path, query, body)
            pause = retry_after(reply)
            if pause is None or pause > self.seconds_left:
                return reply
            await asyncio.sleep(pause)
        return await self.send(method, path, query, body)

    async def send(self, method: str, path: str, query: Query, body: Any) -> Reply:
        content = None if body is None else msgspec.json.encode(body)
        headers = {} if body is None else {"content-type": "application/json"}
        try:
            async with (
                asyncio.timeout(MOST_SECONDS),
                self.http.stream(
                    method, self.base + path, params=list(query), content=content, headers=headers
                ) as reply,
            ):
                return Reply(reply.status_code, reply.headers, await read_body(reply))
        except (httpx.TransportError, httpx.DecodingError, httpx.InvalidURL, TimeoutError) as error:
            raise self.unreached(error) from None

    def unreached(self, error: Exception) -> ValidationError | Unavailable:
        """What the connection says. A name, a port or a certificate is the request's to mend."""
        said = str(error) or type(error).__name__
        if isinstance(error, httpx.ConnectTimeout):
            return ValidationError("url", f"nobody answers at {self.base}: can this server reach it?")
        if isinstance(error, httpx.ConnectError) and "certificate" in said.lower():
            mend = "give its authority's certificate as ca_certificate, or verify_tls: false"
            return ValidationError("url", f"the certificate is not trusted ({said}): {mend}")
        if isinstance(error, httpx.ConnectError | httpx.UnsupportedProtocol | httpx.InvalidURL):
            return ValidationError(
                "url", f"{self.base} cannot be reached ({said}): check scheme, name and port"
            )
        return Unavailable("NetBox", f"it did not answer to the end ({said}); go on with the same request")

    def fault(self, reply: Reply, path: str, needed: str) -> ValidationError | Unavailable:
        """An answer that is none, as an error."""
        said, where = self.said(reply), f"{self.base}{path}"
        if reply.status in REFUSALS:
            return refused_token(said, needed)
        if reply.status == HTTPStatus.BAD_REQUEST:
            return wrong_filter(reply.told, said)
        if reply.status in BUSY and (pause := retry_after(reply)) is not None:
            return Unavailable("NetBox", f"it asks to wait for {pause} s ({reply.status})")
        if 300 <= reply.status < 400:
            other = reply.headers.get("location", "somewhere else")[:MOST_WORDS]
            return ValidationError(
                "url", f"{where} redirects to {other}, which is not followed: give that address"
            )
        if reply.status == HTTPStatus.NOT_FOUND:
            return ValidationError("url", f"{where} is not there: {WHERE}")
        return Unavailable("NetBox", f"it answers {reply.status} {said}; its own log tells more")

    def said(self, reply: Reply) -> str:
        """NetBox's own words, if it has any, never with the token in them."""
        told = reply.told
        text = told["detail"] if isinstance(told, dict) and "detail" in told else told
        return self.clean(words(text))

    def clean(self, text: str) -> str:
        return text.replace(self.secret, "...")[:MOST_WORDS]


async def read_body(reply: httpx.Response) -> bytes:
    body = bytearray()
    async for piece in reply.aiter_bytes():
        body += piece
        if len(body) > MOST_OCTETS:
            raise ValidationError("url", f"answers with more than {MOST_OCTETS >> 20} MiB at once")
    return bytes(body)


def retry_after(reply: Reply) -> int | None:
    """Seconds; None where it does not ask to wait. A date, which NetBox never sends, counts as a minute."""
    text = reply.headers.get("retry-after", "")
    if reply.status not in BUSY or not text:
        return None
    return int(text) if text.isdecimal() and len(text) < 9 else 60


def refused_token(said: str, needed: str) -> ValidationError:
    if "permission" in said.lower():
        return ValidationError("token", f"is not permitted {needed} in NetBox ({said})")
    return ValidationError(
        "token", f"is not taken by NetBox ({said or 'no reason given'}): make another there"
    )


def wrong_filter(told: Any, said: str) -> ValidationError:
    """A filter that NetBox does not know the value of; it calls it as we do, but for a few."""
    if isinstance(told, dict) and len(told) == 1 and "detail" not in told:
        name = next(iter(told))
        field = {"status": "statuses", "within_include": "within"}.get(name, name.removesuffix("_id"))
        return ValidationError(field, f"is refused by NetBox: {said}")
    return ValidationError("url", f"answers 400 {said}: {WHERE}")


def words(value: Any) -> str:
    """The text of NetBox's error, whatever it is made of."""
    if isinstance(value, dict):
        return "; ".join(f"{name}: {words(each)}" for name, each in value.items())
    if isinstance(value, list):
        return " ".join(filter(None, map(words, value)))
    return "" if value is None else str(value)


def following_position(link: str | None, position: tuple[str, int]) -> tuple[str, int] | None:
    """Where the next page begins; raises ValidationError where that would lead round in a circle."""
    following = position_of(link)
    if following is not None and following[0] == position[0] and following <= position:
        raise ValidationError("url", "answers with a next page that does not come after this one")
    return following


def position_of(link: str | None) -> tuple[str, int] | None:
    """Where the next page begins: an offset, or a first id (NetBox 4.6). None: there is none.
    Raises ValidationError for a link of another kind."""
    if link is None:
        return None
    query = parse_qs(urlsplit(link).query)
    for name in ("start", "offset"):
        for text in query.get(name, ()):
            if text.isdecimal() and len(text) < 10:
                return name, int(text)
    raise ValidationError("url", "answers with pages that are neither by offset nor by start")
