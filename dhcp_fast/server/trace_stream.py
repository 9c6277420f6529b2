"""`/trace`: one client's packets and the decisions on them, as JSON lines, while a reader is connected.

The engine copies them into a bounded ring (engine/trace_reader.pyx). This module empties it ten
times a second, and writes names instead of numbers. Octets stay octets: the reader decodes them,
which saves the server's time. Entries for which the ring or a slow reader had no room are counted
and reported. Nothing is stored after the reader disconnects.
"""

import asyncio
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from datetime import UTC, datetime
from http import HTTPStatus
from ipaddress import IPv4Address, IPv6Address
from typing import Any

import msgspec

from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.trace_reader import Trace, TracesBusyError
from dhcp_fast.server.decision_log import subnet_text
from ipam_core.dhcp import reasons
from ipam_core.dhcp.conditions import Subject, value_text
from ipam_core.model.client_class import name_with_value
from ipam_core.model.values import rfc3339
from ipam_core.processes.health import Answer, HttpRequest, Refused
from ipam_core.processes.local_access import refusal
from ipam_core.setting_values import Endpoint

LOOK_SECONDS = 0.1
OPERATIONS = {"b": "bind", "n": "renew", "r": "release", "d": "decline", "v": "revoke", "i": "register"}
LONGEST_MAC, LONGEST_CLIENT_ID = 16, 255
PATHS = {4: "/trace", 6: "/trace6"}
IDENTIFIERS = {4: "client_id", 6: "duid"}


class Watcher:
    """A reader's view of one engine. Raises TracesBusyError above the limit of readers."""

    def __init__(self, engine: Engine, mac: bytes, client_id: bytes) -> None:
        self.engine = engine
        self.trace = Trace(engine, mac, client_id)
        self.waiting: dict[int, int] = {}  # slots whose write is under way, and since when

    def lines(self) -> str:
        """Return what happened since the last time, a line of JSON each; empty when nothing did."""
        entries, lost = self.trace.take()
        told = [self.entry(entry) for entry in entries]
        if lost:
            told.append({"event": "lost", "count": lost})
        return "".join(msgspec.json.encode(line).decode() + "\n" for line in told)

    def entry(self, entry: dict[str, Any]) -> dict[str, Any]:
        return {
            "event": "reply" if entry["is_reply"] else "decision",
            "time": rfc3339(datetime.fromtimestamp(entry["when"] / 1e9, UTC)),
            **(self.reply(entry) if entry["is_reply"] else self.decision(entry)),
            "subnet": subnet_text(self.engine, entry["subnet_no"]),
            "in_server_ms": milliseconds(entry["arrived"], entry["when"]),
            "commit_wait_ms": self.commit_wait(entry),
            "family": self.engine.family,
            "packet": entry["octets"].hex(),
        }

    def decision(self, entry: dict[str, Any]) -> dict[str, Any]:
        reason, notice = entry["reason"], entry["notice"]
        return {
            "decision": entry["decision"],
            "reason": reason,
            "meaning": reasons.of_drop(reason) if reason else reasons.of_notice(notice) if notice else None,
            "subnets_served": len(self.engine.plan.subnets),
            "unusual": notice,
            "write": OPERATIONS.get(entry["operation"]),
            "answer": entry["answer"],
            "address": str(self.address(entry["address"])) if entry["address"] else None,
            "classes": [class_name(*found) for found in entry["classes"]],
            "from": str(self.endpoint(entry)),
            "interface": interface_name(entry["ifindex"]),
        }

    def reply(self, entry: dict[str, Any]) -> dict[str, Any]:
        return {
            "answer": entry["answer"],
            "to": "layer 2" if entry["by_frame"] else str(self.endpoint(entry)),
            "interface": interface_name(entry["ifindex"]),
        }

    def endpoint(self, entry: dict[str, Any]) -> Endpoint:
        return Endpoint(str(self.address(entry["peer"])), entry["port"])

    def address(self, number: int) -> IPv4Address | IPv6Address:
        return IPv6Address(number) if self.engine.family == 6 else IPv4Address(number)

    def commit_wait(self, entry: dict[str, Any]) -> float | None:
        """Return the time from the decision to write until the outcome was known."""
        slot = entry["slot"]
        if not entry["is_reply"] and entry["decision"] == "written":
            self.waiting[slot] = entry["when"]
            return None
        return milliseconds(self.waiting.pop(slot, 0), entry["when"])


def class_name(name: str, subject: int | None, value: bytes | None) -> str:
    """Return the class; of a template the class that the client's value made of it."""
    if subject is None or value is None:
        return name
    return name_with_value(name, value_text(Subject(subject), value))


def milliseconds(since: int, until: int) -> float | None:
    return round((until - since) / 1e6, 3) if since else None


def interface_name(index: int) -> str | None:
    with suppress(OSError):
        return socket.if_indextoname(index) if index else None
    return None


def stream(traced: Callable[[], Engine]) -> Callable[[HttpRequest], AsyncGenerator[str, None]]:
    """Yield the page, of the engine that `traced` gives when somebody asks; it raises Refused where there is none."""

    async def trace(request: HttpRequest) -> AsyncGenerator[str, None]:
        watcher = open_watcher(traced, request)
        try:
            while True:
                yield watcher.lines()
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            watcher.trace.close()

    return trace


def open_watcher(traced: Callable[[], Engine], request: HttpRequest) -> Watcher:
    """Return the watcher; raises Refused if the client is not allowed, the request is invalid, or
    no trace is available.
    """
    if reason := refusal(request):
        raise refused(HTTPStatus.FORBIDDEN, reason)
    engine = traced()
    named = IDENTIFIERS[engine.family]
    mac, client_id = (read_octets(request, name) for name in ("mac", named))
    if not mac and not client_id:
        raise refused(HTTPStatus.BAD_REQUEST, f"set mac or {named}: this is a DHCPv{engine.family} server")
    if len(mac) > LONGEST_MAC or len(client_id) > LONGEST_CLIENT_ID:
        raise refused(HTTPStatus.BAD_REQUEST, f"mac or {named} is longer than a packet can hold it")
    try:
        return Watcher(engine, mac, client_id)
    except TracesBusyError:
        raise refused(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "four clients are traced already: end one of these traces first",
        ) from None


def read_octets(request: HttpRequest, name: str) -> bytes:
    try:
        return bytes.fromhex(request.query.get(name, "").replace(":", ""))
    except ValueError:
        raise refused(HTTPStatus.BAD_REQUEST, f"{name}: must be hexadecimal") from None


def refused(status: HTTPStatus, reason: str) -> Refused:
    return Refused(Answer(status, msgspec.json.encode({"error": reason}).decode()))
