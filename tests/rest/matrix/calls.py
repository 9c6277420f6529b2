"""How each route of the API is called: its path, query and body, made of the router and a table of bodies.

A route that this module does not know how to call raises KeyError, and so fails the matrix: say in NEW what it takes,
and in FAMILY_OF whose id its path names.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlencode

import msgspec
from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute
from rest.matrix.world import MARKS

PREFIX = "/api/v1"
FAMILY_OF = {
    "prefix_id": "prefixes", "subnet_id": "subnets", "pool_id": "pools", "reservation_id": "reservations",
    "class_id": "client-classes", "zone_id": "dns-zones", "webhook_id": "webhooks",
    "notification_id": "notifications",
}  # fmt: skip
NEW: dict[str, dict[str, Any]] = {
    "NewTenant": {"name": "fresh"},
    "NewPrefix": {"cidr": "10.200.0.0/16"},
    "NewSubnet": {"prefix_id": "$prefixes", "cidr": "10.1.77.0/24"},
    "NextSubnet": {"prefix_length": 26},
    "NewPool": {"start_ip": "10.1.0.150", "end_ip": "10.1.0.151"},
    "NewExclude": {"start_ip": "10.1.0.200", "end_ip": "10.1.0.201"},
    "NewReservation": {"mac": "02:00:00:00:07:01"},
    "NewReservationAnywhere": {"mac": "02:00:00:00:07:02"},
    "NewOption": {"code": 17, "payload": {"string": "/root"}},
    "NewGlobalOption": {"code": 17, "payload": {"string": "/root"}},
    "NewOptionDefinition": {"code": 225, "name": "pin2", "kind": "uint16"},
    "NewAssignment": {"subnet_id": "$subnets", "hostname": "fresh"},
    "NewClientClass": {"name": "fresh", "vendor_class": "y"},
    "NewTrustedRelay": {"cidr": "10.99.0.0/24"},
    "NewDnsServer": {"name": "fresh", "adapter": "embedded"},
    "NewDnsZone": {"name": "fresh.example"},
    "NewDnsRecord": {"name": "fresh", "type": "A", "data": "10.1.0.9"},
    "NewNotification": {"name": "fresh", "kind": "ntfy", "url": "https://fresh.example/", "topic": "x"},
    "NewWebhook": {"url": "https://fresh.example/", "secret": "whsec_" + "c2VjcmV0" * 4},
    "NewToken": {"name": "fresh", "role": "viewer"},
    "ReserveLease": {},
    "ReconfigureLease": {},
    "ZoneImport": {"zone_file": "fresh2 3600 IN A 10.1.0.8\n"},
    "ZoneReconcile": {"dry_run": True},
    "NetBoxImport": {"url": "http://127.0.0.1:9", "token": "x" * 40, "dry_run": True},
    "NetBoxExport": {"url": "http://127.0.0.1:9", "token": "x" * 40, "dry_run": True},
    "Question": {"relay": "10.9.1.1", "link_selection": "10.1.0.1", "mac": "02:00:00:00:00:01"},
    "Question6": {"link_address": "2001:db8::1", "duid": "00030001020000000001"},
    "Bulk": {"operations": [{"op": "update", "path": "/subnets/$subnets", "body": {"description": "fresh5"}}]},
}  # fmt: skip
"""Bodies of what is made or asked for, by the type that the route takes; $NAME is the id of the tenant's object."""
CHANGED = {
    "description": "fresh", "name": "fresh3", "always_send": True, "ttl": 77, "hostname": "fresh4", "vlan_id": 7,
    "duid": "000300010200000000aa",
}  # fmt: skip
"""What a PATCH changes: the first that its type has."""
REFERENCES = {
    "class_id": "client-classes", "dns_server_id": "dns-servers", "ddns_dns_server_id": "dns-servers",
    "subnet_id": "subnets", "prefix_id": "prefixes", "tenant_id": "tenants", "secondary_ids": "dns-servers",
}  # fmt: skip
"""Fields of bodies that name another object."""
QUERIES: dict[str, list[dict[str, str]]] = {
    "q": [{"q": "mark"}, {"q": "10.1.0"}, {"q": "10.1.0.20"}, {"q": "02:00:00"}, {"q": "planted"}],
    "count": [{"count": "3"}],
}


class Call(NamedTuple):
    """One request, as the route `path` has it; `sent`: the marks that the request itself holds."""

    method: str
    route: str
    path: str
    query: dict[str, str]
    body: Any
    may: str

    @property
    def text(self) -> str:
        return f"{self.method} {self.path}?{urlencode(self.query)} {self.body}"


def handlers(routes: Litestar) -> Iterator[tuple[str, str, HTTPRouteHandler]]:
    """Method, path and handler of every route."""
    for route in routes.routes:
        assert isinstance(route, HTTPRoute)
        for handler in route.route_handlers:
            for method in sorted(set(map(str, handler.http_methods)) - {"OPTIONS"}):
                yield method, route.path.removeprefix(PREFIX).replace(":str}", "}"), handler


def of_route(
    method: str, route: str, handler: HTTPRouteHandler, ids: dict[str, str], scope: str
) -> Iterator[Call]:
    """All ways in which a route is asked about the objects of a tenant."""
    path, opt = filled(route, ids), handler.opt
    for body in bodies(method, opt, ids):
        for query in queries(method, opt, ids, scope):
            yield Call(method, route, path, query, body, opt["may"])


def filled(route: str, ids: dict[str, str]) -> str:
    words = route.strip("/").split("/")
    names = {word[1:-1] for word in words if word.startswith("{")}
    collection = {"id": words[0]}
    for name in names:
        route = route.replace(f"{{{name}}}", ids[(collection | FAMILY_OF)[name]])
    return route


def bodies(method: str, opt: dict[str, Any], ids: dict[str, str]) -> list[Any]:
    takes = opt.get("takes")
    if takes is None:
        return [None]
    if method == "PATCH":
        fields = takes.__struct_fields__
        return [{name: value} for name, value in CHANGED.items() if name in fields][:1] or [
            {}[takes.__name__]
        ]
    body = substituted(NEW[takes.__name__], ids)
    if "tenant_id" in takes.__struct_fields__ and takes.__name__ != "NewSubnet":
        body |= {"tenant_id": ids["tenants"]}
    return [body]


def substituted(value: Any, ids: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: substituted(each, ids) for name, each in value.items()}
    if isinstance(value, list):
        return [substituted(each, ids) for each in value]
    if isinstance(value, str) and "$" in value:
        return "/".join(ids[word[1:]] if word.startswith("$") else word for word in value.split("/"))
    return value


def queries(method: str, opt: dict[str, Any], ids: dict[str, str], scope: str) -> list[dict[str, str]]:
    """A list is asked for all of it and by each filter that names the tenant's objects."""
    query = opt.get("query") or ()
    if method == "DELETE" and "cascade" in query:
        return [{"cascade": "true"}]
    if "q" in query:
        return QUERIES["q"]
    if "count" in query:
        return QUERIES["count"]
    if "limit" not in query:
        return [{}]
    filters = opt.get("filters", {})
    named = {name: ids[REFERENCES[name]] for name in filters if name in REFERENCES}
    texts = {name: MARKS[scope] for name in ("q", "tag", "name", "hostname", "token_name") if name in filters}
    return [
        {"limit": "1000"},
        *({name: value} for name, value in (named | texts).items()),
    ]


def bulk_of(method: str, path: str, body: Any, query: dict[str, str]) -> dict[str, Any] | None:
    """The same write as an operation of a bulk; None: there is none."""
    operation = {"POST": "create", "PATCH": "update", "DELETE": "delete"}.get(method)
    if operation is None:
        return None
    tail = "?cascade=true" if query.get("cascade") else ""
    return {"op": operation, "path": path + tail} | ({} if body is None else {"body": body})


def with_references(takes: Any, body: dict[str, Any], foreign: dict[str, str]) -> Iterator[dict[str, Any]]:
    """The body with each reference that its type has to an object of another tenant."""
    for name, family in REFERENCES.items():
        if name in takes.__struct_fields__:
            yield body | {name: [foreign[family]] if name.endswith("_ids") else foreign[family]}


def read(content: bytes) -> Any:
    return msgspec.json.decode(content) if content else None
