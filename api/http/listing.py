"""Lists as clients ask for them: a page of JSON, or all of it as a stream of CSV.

The stream reads page after page by the list's own cursors and holds one of them at a time; between pages it holds no
session, so a slow reader costs the database nothing. The first page is read before the answer begins, so that a
refusal is still an answer; if a later one fails the connection ends, and the client knows that the list is not whole.
"""

import csv
import io
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import msgspec
from litestar.response.base import ASGIResponse
from litestar.response.streaming import ASGIStreamingResponse

from api.http.answers import encode, shown
from api.http.context import AnyRequest, context_of
from api.http.request import query_of
from ipam_core.errors import ValidationError
from ipam_core.model.csv_cells import guarded
from ipam_core.model.page import MAX_LIMIT, Page, read_limit

CSV = "text/csv"
RAW = "raw"

Find = Callable[..., Awaitable[Page[Any]]]
Read = Callable[[dict[str, str]], Awaitable[Page[Any]]]


async def listed(request: AnyRequest, model: type, find: Find) -> ASGIResponse:
    """Return the answer to a list; `find(connection, query=...)` finds a page. With text/csv and no `limit`: everything
    from the cursor, or from the beginning."""
    query, raw = read_raw(query_of(request))
    context = context_of(request)

    async def read(asked: dict[str, str]) -> Page[Any]:
        return await context.show(lambda connection: find(connection, query=asked))

    if not wants_csv(request.headers.get("accept", "")):
        return shown(await read(query), {"vary": "accept"})
    at_most = read_limit(query["limit"]) if "limit" in query else None
    first = query | {"limit": str(min(at_most or MAX_LIMIT, MAX_LIMIT))}
    rows = stream(fields_of(model), await read(first), read, first, at_most is not None, raw)
    headers = {"vary": "accept", "content-disposition": 'attachment; filename="list.csv"'}
    return ASGIStreamingResponse(iterator=rows, media_type=f"{CSV}; header=present", headers=headers)


async def stream(
    names: tuple[str, ...], page: Page[Any], read: Read, query: dict[str, str], only_one: bool, raw: bool
) -> AsyncIterator[bytes]:
    """Yield RFC 4180 in UTF-8: a line of names, then a line an object. Unless `raw`, no cell is a formula."""
    shown = as_it_is if raw else guarded
    yield lines([names])
    while True:
        yield lines([shown(cell(name, getattr(item, name))) for name in names] for item in page.items)
        if page.next_cursor is None or only_one:
            return
        page = await read(query | {"cursor": page.next_cursor})


def read_raw(query: dict[str, str]) -> tuple[dict[str, str], bool]:
    """Return the other parameters, and whether cells of CSV are wanted as they are. Raises ValidationError."""
    said = query.get(RAW, "false")
    if said not in ("true", "false"):
        raise ValidationError(RAW, "must be true or false")
    return {name: text for name, text in query.items() if name != RAW}, said == "true"


def as_it_is(value: Any) -> Any:
    """Return the cell unchanged."""
    return value


def fields_of(model: type) -> tuple[str, ...]:
    return tuple(field.name for field in msgspec.structs.fields(model))


def lines(rows: Any) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def cell(name: str, value: Any) -> Any:
    """Return nothing for null and for an empty object, tags and aliases with commas, JSON for other structures."""
    if name in ("tags", "aliases"):
        return ",".join(value)
    if value == {}:
        return ""
    if isinstance(value, bool | list | dict):
        return encode(value).decode()
    return value


def wants_csv(accept: str) -> bool:
    return wants(CSV, accept)


def wants(media: str, accept: str) -> bool:
    """Return whether the type is named, and JSON not rather."""
    weights = dict(map(weight, accept.lower().split(",")))
    rather = max((weights.get(kind, 0.0) for kind in ("application/json", "application/*")), default=0.0)
    return weights.get(media, 0.0) > 0 and weights[media] >= rather


def weight(part: str) -> tuple[str, float]:
    kind, *parameters = (word.strip() for word in part.split(";"))
    named = dict(word.partition("=")[::2] for word in parameters)
    try:
        return kind, float(named.get("q", "1"))
    except ValueError:
        return kind, 0.0
