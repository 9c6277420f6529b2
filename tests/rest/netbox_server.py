"""A small NetBox: a real HTTP server that answers as the REST API of NetBox 4 does, as far as its documentation says.

Lists with count, next and previous, by offset or, with `start`, by id; filters, of which a value that is none is 400;
nested tenants and VRFs; creation of one or of a list, all or none, with the shapes of errors before and since 4.7;
tokens of both versions, and 403 with a `detail` for each that is not taken. `faults` are answers that come instead of
the real ones, by the number of the request at prefixes.
"""

import asyncio
import contextlib
import json
import ssl
import threading
from collections.abc import AsyncIterator, Iterator
from ipaddress import ip_network
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

V1 = "0123456789abcdef0123456789abcdef01234567"
V2 = "nbt_4F9DAouzURLb.zjebxBPzICiPbWz0Wtx0fTL7bCKXKGTYhNzkgC2S"
STATUSES = ("container", "active", "reserved", "deprecated")
CUT = "cut"


class Request(NamedTuple):
    method: str
    path: str
    query: list[tuple[str, str]]
    headers: dict[str, str]
    body: Any

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.query if key == name]

    def one(self, name: str, default: str = "") -> str:
        return next(iter(self.all(name)), default)


class Answer(NamedTuple):
    status: int
    body: Any
    headers: dict[str, str] = {}  # noqa: RUF012 - a tuple's default, never changed

    def written(self) -> bytes:
        is_text = isinstance(self.body, str)
        content = self.body.encode() if is_text else json.dumps(self.body).encode()
        kind = "text/html; charset=utf-8" if is_text else "application/json"
        headers = {
            "content-type": kind,
            "content-length": str(len(content)),
            "connection": "close",
        } | self.headers
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"HTTP/1.1 {self.status} X\r\n{lines}\r\n".encode() + content


class Refused(Exception):
    def __init__(self, status: int, body: Any) -> None:
        self.answer = Answer(status, body)


def detail(status: int, text: str) -> Refused:
    return Refused(status, {"detail": text})


class NetBox:
    def __init__(self, version: str = "4.5.2") -> None:
        self.version = version
        self.tokens = {f"Token {V1}": {"view", "add"}, f"Bearer {V2}": {"view", "add"}}
        self.tenants: list[dict[str, Any]] = []
        self.vrfs: list[dict[str, Any]] = []
        self.prefixes: list[dict[str, Any]] = []
        self.page_size = 1000
        self.links_to = ""  # another origin in `next`
        self.seen: list[Request] = []
        self.faults: dict[int, Answer | str] = {}
        self.port = 0
        self.scheme = "http"

    # --- what tests fill it with

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def add_tenant(self, name: str, slug: str = "") -> dict[str, Any]:
        return self.insert(self.tenants, name=name, slug=slug or name.lower())

    def add_vrf(self, name: str, rd: str | None = None) -> dict[str, Any]:
        return self.insert(self.vrfs, name=name, rd=rd)

    def add(self, prefix: str, status: str = "active", description: str = "", **more: Any) -> dict[str, Any]:
        told = {"prefix": prefix, "status": status, "description": description}
        return self.insert(self.prefixes, **told, **({"vrf": None, "tenant": None} | more))

    def insert(self, rows: list[dict[str, Any]], **row: Any) -> dict[str, Any]:
        rows.append({"id": len(rows) + 1, **row})
        return rows[-1]

    def asked(self, method: str, path: str = "/api/ipam/prefixes/") -> list[Request]:
        return [each for each in self.seen if each.method == method and each.path == path]

    # --- HTTP

    @contextlib.asynccontextmanager
    async def serving(self, context: ssl.SSLContext | None = None) -> AsyncIterator["NetBox"]:
        server = await asyncio.start_server(self.converse, "127.0.0.1", 0, ssl=context)
        self.scheme, self.port = "https" if context else "http", server.sockets[0].getsockname()[1]
        async with server:
            yield self

    @contextlib.contextmanager
    def serving_in_thread(self) -> Iterator["NetBox"]:
        """For tests that wait for other processes."""
        loop, ready, over = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

        async def serve() -> None:
            async with self.serving():
                ready.set()
                await over.wait()

        thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
        thread.start()
        ready.wait()
        try:
            yield self
        finally:
            loop.call_soon_threadsafe(over.set)
            thread.join()
            loop.close()

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            begun = await reader.readexactly(1)
            if begun == b"\x16":  # TLS, where none is spoken
                writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                return
            head = (begun + await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {
                name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)
            }
            content = await reader.readexactly(int(headers.get("content-length", "0")))
            method, target, _ = head[0].split(" ")
            parts = urlsplit(target)
            request = Request(
                method, parts.path, parse_qsl(parts.query), headers, json.loads(content) if content else None
            )
            self.seen.append(request)
            answer = self.answer(request)
            if answer == CUT:
                writer.write(
                    b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{"re'
                )
            else:
                assert isinstance(answer, Answer)
                writer.write(answer.written())
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            pass
        finally:
            writer.close()

    def answer(self, request: Request) -> Answer | str:
        if request.path == "/api/ipam/prefixes/":
            number = sum(each.path == request.path for each in self.seen)
            if number in self.faults:
                return self.faults.pop(number)
        try:
            return self.route(request)
        except Refused as refused:
            return refused.answer

    def route(self, request: Request) -> Answer:
        if not request.path.startswith("/api/"):
            return Answer(200, "<!DOCTYPE html><title>Home | NetBox</title>")
        allowed = self.authenticate(request)
        if request.path == "/api/status/":
            return Answer(200, {"django-version": "5.2", "netbox-version": self.version, "plugins": {}})
        rows = {
            "/api/ipam/prefixes/": self.prefixes,
            "/api/ipam/vrfs/": self.vrfs,
            "/api/tenancy/tenants/": self.tenants,
        }.get(request.path)
        if rows is None:
            raise detail(404, "Not found.")
        if ("view" if request.method == "GET" else "add") not in allowed:
            raise detail(403, "You do not have permission to perform this action.")
        if request.method == "POST":
            return Answer(201, self.create(request.body))
        return Answer(200, self.listed(request, rows))

    def authenticate(self, request: Request) -> set[str]:
        header = request.headers.get("authorization")
        if header is None:
            raise detail(403, "Authentication credentials were not provided.")
        if header not in self.tokens:
            raise detail(403, f"Invalid {'v2' if header.startswith('Bearer nbt_') else 'v1'} token")
        return self.tokens[header]

    # --- lists

    def listed(self, request: Request, rows: list[dict[str, Any]]) -> dict[str, Any]:
        found = [row for row in rows if self.passes(request, row)]
        limit = min(int(request.one("limit", "50")) or self.page_size, self.page_size)
        if request.all("start"):
            return self.page_by_id(request, found, limit)
        by_prefix = rows is self.prefixes and request.one("ordering", "prefix").startswith("prefix")
        found.sort(key=order if by_prefix else by_id)
        offset = int(request.one("offset", "0"))
        following = offset + limit if offset + limit < len(found) else None
        shown = [self.shown(request, row) for row in found[offset : offset + limit]]
        link = following and self.link(request, offset=following, limit=limit)
        return {"count": len(found), "next": link, "previous": None, "results": shown}

    def page_by_id(self, request: Request, found: list[dict[str, Any]], limit: int) -> dict[str, Any]:
        """Since 4.6: no count, and no order but that of ids."""
        if request.all("ordering") or request.all("offset"):
            raise Refused(400, {"detail": "'start' cannot be combined with offset or ordering."})
        found = [
            row for row in sorted(found, key=lambda row: row["id"]) if row["id"] >= int(request.one("start"))
        ]
        following = found[limit]["id"] if len(found) > limit else None
        link = following and self.link(request, start=following, limit=limit)
        shown = [self.shown(request, row) for row in found[:limit]]
        return {"count": None, "next": link, "previous": None, "results": shown}

    def link(self, request: Request, **position: int) -> str:
        others = [pair for pair in request.query if pair[0] not in ("limit", "offset", "start")]
        origin = self.links_to or f"{self.scheme}://{request.headers['host']}"
        return f"{origin}{request.path}?{urlencode([*others, *position.items()])}"

    def passes(self, request: Request, row: dict[str, Any]) -> bool:
        """Values of one filter are alternatives, filters are conditions; an unknown filter is none."""
        for name in {name for name, _ in request.query}:
            values, test = request.all(name), FILTERS.get(name)
            self.check_choices(name, values)
            if name in ("name", "slug", "rd") and "prefix" not in row:
                test = equals(name)
            if test is not None and not any(test(row, value) for value in values):
                return False
        return True

    def check_choices(self, name: str, values: list[str]) -> None:
        known = {"status": STATUSES, "site": ("berlin",), "role": ("users",), "tag": ("dhcp",)}.get(name)
        for value in values:
            if known is not None and value not in known:
                text = f"Select a valid choice. {value} is not one of the available choices."
                raise Refused(400, {name: [text]})

    def shown(self, request: Request, row: dict[str, Any]) -> dict[str, Any]:
        if "prefix" not in row:
            return {"url": f"/{row['id']}/", "display": row["name"], **row}
        family = ip_network(row["prefix"], strict=False).version
        whole = {
            "url": f"{self.url}/api/ipam/prefixes/{row['id']}/",
            "family": {"value": family, "label": f"IPv{family}"},
            "is_pool": False,
            "custom_fields": {},
            **row,
            "status": {"value": row["status"], "label": row["status"].title()},
        }
        fields = request.one("fields")
        return {name: whole[name] for name in fields.split(",")} if fields else whole

    # --- creation

    def create(self, body: Any) -> Any:
        bodies = body if isinstance(body, list) else [body]
        wrong = [self.wrong(each) for each in bodies]
        if any(wrong):
            raise Refused(400, self.refusal(wrong) if isinstance(body, list) else wrong[0])
        made = [self.made(each) for each in bodies]
        return made if isinstance(body, list) else made[0]

    def refusal(self, wrong: list[dict[str, Any]]) -> Any:
        if float(self.version.rpartition(".")[0]) < 4.7:
            return wrong
        errors = [{"index": index, "errors": each} for index, each in enumerate(wrong) if each]
        return {"detail": f"{len(errors)} of {len(wrong)} objects could not be created.", "errors": errors}

    def wrong(self, body: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if body["prefix"].endswith("/0"):
            found["prefix"] = ["Cannot create prefix with /0 mask."]
        if len(body.get("description", "")) > 200:
            found["description"] = ["Ensure this field has no more than 200 characters."]
        if body.get("status", "active") not in STATUSES:
            found["status"] = [f"{body['status']} is not a valid choice."]
        same = (body["prefix"], body.get("vrf"))
        if same in {(row["prefix"], row["vrf"] and row["vrf"]["id"]) for row in self.prefixes}:
            found["prefix"] = [f"Duplicate prefix found in global table: {body['prefix']}"]
        return found

    def made(self, body: dict[str, Any]) -> dict[str, Any]:
        more = {name: value for name, value in body.items() if name not in ("vrf", "tenant")}
        vrf = next((row for row in self.vrfs if row["id"] == body.get("vrf")), None)
        tenant = next((row for row in self.tenants if row["id"] == body.get("tenant")), None)
        row = self.add(**more, vrf=vrf, tenant=tenant)
        return self.shown(Request("POST", "", [], {}, None), row)


def order(row: dict[str, Any]) -> Any:
    network = ip_network(row["prefix"], strict=False)
    return network.version, int(network.network_address), network.prefixlen, row["id"]


def by_id(row: dict[str, Any]) -> Any:
    return row["id"]


def equals(name: str) -> Any:
    return lambda row, value: row.get(name) == value


def refers(name: str) -> Any:
    return lambda row, value: str(row[name]["id"] if row.get(name) else "null") == value


def within(row: dict[str, Any], value: str) -> bool:
    inner, outer = ip_network(row["prefix"], strict=False), ip_network(value)
    return inner.version == outer.version and inner.subnet_of(outer)  # type: ignore[arg-type]


FILTERS: dict[str, Any] = {
    "prefix": equals("prefix"),
    "status": equals("status"),
    "site": equals("site"),
    "role": equals("role"),
    "tag": lambda row, value: value in row.get("tags", ()),
    "vrf_id": refers("vrf"),
    "tenant_id": refers("tenant"),
    "family": lambda row, value: str(ip_network(row["prefix"], strict=False).version) == value,
    "within_include": within,
}
