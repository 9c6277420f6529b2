"""The client: one connection pool, retries where a retry is safe, pages as one stream of objects.

429 and 503 are tried again after Retry-After, within bounds. A create carries an Idempotency-Key, so that trying it
again after an answer that got lost makes nothing twice.
"""

import ssl
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
import msgspec

from api.client.errors import ConnectionFailed, error_of
from ipam_core.errors import SettingsError
from ipam_core.model.base import Model
from ipam_core.model.families import FAMILIES, Family

M = TypeVar("M", bound=Model)

RETRIED = {429, 503}
ATTEMPTS = 4
MOST_SECONDS = 30.0
TIMEOUT = 30.0
PAGE = 500


class Client:
    """`url` ends in /api/v1. `sleep` and `transport` are for callers who bring their own; `ca` holds
    the certificates that an https server's is checked against."""

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        ca: Path | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        self.sleep = sleep
        headers = {"authorization": f"Bearer {token}"} if token else {}
        # Reading the system's certificates takes longer than most requests.
        verify = not self.url.lower().startswith("http:") and trust(ca)
        self.http = httpx.Client(headers=headers, timeout=TIMEOUT, transport=transport, verify=verify)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.http.close()

    # --- requests

    def request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """The answer's JSON, None where there is none. Raises ApiError and ConnectionFailed."""
        sent = dict(headers or {})
        content = None
        if body is not None:
            content, sent["content-type"] = msgspec.json.encode(body), "application/json"
        repeatable = method == "GET" or "idempotency-key" in sent
        for attempt in range(1, ATTEMPTS + 1):
            last = attempt == ATTEMPTS
            try:
                response = self.http.request(
                    method, self.url + path, content=content, params=query, headers=sent
                )
            except httpx.TransportError as error:
                if last or not repeatable:
                    raise ConnectionFailed(self.url, reason_of(error)) from None
                self.sleep(0.2 * attempt)
                continue
            if response.is_success:
                return msgspec.json.decode(response.content) if response.content else None
            if last or response.status_code not in RETRIED:
                raise error_of(response)
            self.sleep(retry_after(response))
        raise AssertionError

    # --- objects

    def list(self, family: str, **filters: Any) -> Iterator[Model]:
        """All objects that the filters let pass, page by page as they are taken."""
        found = FAMILIES[family]
        for item in self.items(f"/{family}", **filters):
            yield msgspec.convert(item, found.row_model)

    def items(self, path: str, **filters: Any) -> Iterator[dict[str, Any]]:
        """The same as plain JSON, of any list. Only a null next_cursor ends it: a page may be empty."""
        query = {"limit": PAGE} | {name: value for name, value in filters.items() if value is not None}
        while True:
            page = self.request("GET", path, query=query)
            yield from page["items"]
            if page["next_cursor"] is None:
                return
            query["cursor"] = page["next_cursor"]

    def get(self, family: str, id_: str) -> Model:
        return msgspec.convert(self.request("GET", f"/{family}/{id_}"), FAMILIES[family].model)

    def create(self, family: str, key: str | None = None, **fields: Any) -> Model:
        """`key`: one Idempotency-Key a create; a random one protects at least from our own retries."""
        found: Family = FAMILIES[family]
        path = found.create_path(fields)
        return msgspec.convert(self.post_once(path, fields, key), found.model)

    def post_once(self, path: str, body: Mapping[str, Any], key: str | None = None) -> Any:
        return self.request("POST", path, body, headers={"idempotency-key": key or uuid.uuid4().hex})

    def update(self, family: str, id_: str, if_match: str | None = None, **fields: Any) -> Model:
        """A merge patch: None clears a field."""
        headers = {"if-match": if_match} if if_match else {}
        found = self.request("PATCH", f"/{family}/{id_}", fields, headers=headers)
        return msgspec.convert(found, FAMILIES[family].model)

    def delete(self, family: str, id_: str, cascade: bool = False) -> None:
        self.request("DELETE", f"/{family}/{id_}", query={"cascade": "true"} if cascade else None)


def trust(ca: Path | None) -> ssl.SSLContext | bool:
    """Whose certificates are believed: the system's, or those of a file."""
    if ca is None:
        return True
    try:
        return ssl.create_default_context(cafile=ca)
    except OSError as error:
        raise SettingsError("IPAM_API_CA", f"{ca} cannot be used: {error}") from None


def reason_of(error: httpx.TransportError) -> str:
    """For people: what TLS says of a server without it means nothing to them."""
    if "WRONG_VERSION_NUMBER" in str(error):
        return "HTTP is spoken there: begin IPAM_API_URL with http://"
    return str(error) or type(error).__name__


def retry_after(response: httpx.Response) -> float:
    text = response.headers.get("retry-after", "1")
    return min(float(text), MOST_SECONDS) if text.isdecimal() else 1.0
