"""The calls that a family of objects has, as steps (exchange.py); collections.py and async_collections.py take them."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import quote

from api.client.exchange import Ask, Steps, answered, decoded, plain, read
from ipam_core.model.base import Model
from ipam_core.model.bulk import BulkResults, OperationResult
from ipam_core.model.families import FAMILIES, Family
from ipam_core.model.page import Page

M = TypeVar("M", bound=Model)
Row = TypeVar("Row", bound=Model)
Made = TypeVar("Made", bound=Model)

PAGE = 500


class Tagged(NamedTuple, Generic[M]):
    """An object and its entity tag, which `if_match` takes: no change (412) if the object is another by then."""

    item: M
    etag: str


class Calls(Generic[M, Row, Made]):
    """Calls of one family: its objects are M, the rows of its lists Row; Made is the answer to a create."""

    def __init__(self, family: Family) -> None:
        self.family = family

    def path(self, id_: str) -> str:
        return f"/{item_collection(self.family).name}/{quote(id_, safe='')}"

    def listing(self, filters: Mapping[str, Any]) -> Ask:
        """Return the first page."""
        return Ask("GET", f"/{self.family.name}", query=told(filters))

    def page(self, ask: Ask) -> Steps[Page[Row]]:
        kind: Any = Page[self.family.row_model]  # type: ignore[name-defined]  # known when it runs
        return read(ask, kind)

    def csv(self, filters: Mapping[str, Any]) -> Ask:
        """Return the whole list, with raw values unless it is for a spreadsheet."""
        query = {"raw": True} | {name: value for name, value in filters.items() if value is not None}
        return Ask("GET", f"/{self.family.name}", query=query, headers={"accept": "text/csv"}, streams=True)

    def get(self, id_: str) -> Steps[M]:
        return read(Ask("GET", self.path(id_)), self.model)

    def tagged(self, id_: str) -> Steps[Tagged[M]]:
        response = yield from answered(Ask("GET", self.path(id_)))
        return Tagged(decoded(response, self.model), response.headers.get("etag", ""))

    def create(self, key: str | None, fields: Mapping[str, Any]) -> Steps[Made]:
        body = dict(fields)
        made: Any = self.family.made_model
        return read(creation(self.family.create_path(body), body, key), made)

    def update(self, id_: str, if_match: str | None, fields: Mapping[str, Any]) -> Steps[M]:
        return read(Ask("PATCH", self.path(id_), fields, headers=condition(if_match)), self.model)

    def delete(self, id_: str, cascade: bool, if_match: str | None) -> Steps[None]:
        query = {"cascade": "true"} if cascade else None
        yield from plain(Ask("DELETE", self.path(id_), query=query, headers=condition(if_match)))

    @property
    def model(self) -> type[M]:
        found: Any = self.family.model
        return found  # type: ignore[no-any-return]  # the family loads it


def item_collection(family: Family) -> Family:
    """Return the family whose path its objects have: options without a scope are among all options."""
    return next(each for each in FAMILIES.values() if each.singular == family.singular)


def creation(path: str, body: Any, key: str | None) -> Ask:
    """Return the call of a create. `key`: one Idempotency-Key a create; a random one protects at least from our own
    retries."""
    return Ask("POST", path, body, headers={"idempotency-key": key or uuid.uuid4().hex})


def bulk(
    operations: Sequence[Mapping[str, Any]], dry_run: bool, key: str | None
) -> Steps[list[OperationResult]]:
    body = {"operations": operations, "dry_run": dry_run}
    return (yield from read(creation("/bulk", body, key), BulkResults)).results


def told(filters: Mapping[str, Any], limit: int = PAGE) -> dict[str, Any]:
    return {"limit": limit} | {name: value for name, value in filters.items() if value is not None}


def next_page(ask: Ask, cursor: str) -> Ask:
    return Ask("GET", ask.path, query={**(ask.query or {}), "cursor": cursor})


def condition(if_match: str | None) -> dict[str, str]:
    return {"if-match": if_match} if if_match else {}
