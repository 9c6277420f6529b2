"""`ipam trace`: one client's packets and the server's decisions on them, live, decoded.

It reads `/trace` of the health address as long as it is let, one JSON line an event, and prints a paragraph for each.
Under `ipam up` that address sends it on to the DHCP server's own. Ctrl-C ends it.
"""

import http.client
import json
import socket
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any
from urllib.parse import urlencode, urlsplit

import click
import msgspec

from dhcp_fast.packets.dissect import dissect, relay_part
from dhcp_fast.packets.dissect6 import tell
from ipam_core.errors import Unavailable
from ipam_core.settings import Endpoint

ANSWER_SECONDS = 5.0
PATHS = {4: "/trace", 6: "/trace6"}
WRITES = {
    "bind": "a new binding",
    "renew": "a renewal",
    "release": "a release",
    "decline": "a decline",
    "revoke": "the withdrawal of its lease",
    "register": "the registration",
}


class TraceOptions(msgspec.Struct, frozen=True):
    """Whom to watch, and on which server; octets are hexadecimal, empty for any."""

    server: Endpoint
    mac: str
    client_id: str
    duid: str = ""
    family: int = 4
    as_json: bool = False


def trace(options: TraceOptions) -> None:
    """Print until the server ends or Ctrl-C."""
    try:
        for line in follow(options):
            click.echo(line.rstrip() if options.as_json else "\n".join(paragraph(json.loads(line))))
    except KeyboardInterrupt:
        return
    raise Unavailable(f"the server at {options.server}", "it has ended the trace")


def follow(options: TraceOptions) -> Iterator[str]:
    """The server's lines, from whichever of its processes has them."""
    server = options.server
    asked = {"mac": options.mac, "client_id": options.client_id, "duid": options.duid}
    query = urlencode({name: text for name, text in asked.items() if text})
    for _redirection in range(2):
        with closing(
            http.client.HTTPConnection(server.host, server.port, timeout=ANSWER_SECONDS)
        ) as connection:
            response, line = ask(connection, server, f"{PATHS[options.family]}?{query}")
            if response.status == http.HTTPStatus.TEMPORARY_REDIRECT:
                url = urlsplit(response.headers["Location"])
                server = Endpoint(url.hostname or server.host, url.port or server.port)
                continue
            check(server, response)
            watched = " and ".join(filter(None, asked.values()))
            click.echo(f"Watching {watched} on {options.server}; Ctrl-C ends it.", err=True)
            line.settimeout(None)  # a client may be silent for hours
            yield from lines(response)
            return


def ask(
    connection: http.client.HTTPConnection, server: Endpoint, path: str
) -> tuple[http.client.HTTPResponse, socket.socket]:
    """The answer, and the socket: the connection forgets it as soon as it knows that this answer is the last one."""
    try:
        connection.connect()
        line = connection.sock
        connection.request("GET", path)
        return connection.getresponse(), line
    except (OSError, http.client.HTTPException) as error:
        raise Unavailable(f"the server at {server}", str(error)) from None


def check(server: Endpoint, response: http.client.HTTPResponse) -> None:
    if response.status == http.HTTPStatus.OK:
        return
    body = response.read()
    try:
        reason = str(json.loads(body)["error"])
    except (ValueError, KeyError, TypeError):
        reason = f"it answers {response.status} {response.reason}; is this the health address of ipam?"
    raise Unavailable(f"a trace on {server}", reason)


def lines(response: http.client.HTTPResponse) -> Iterator[str]:
    try:
        for line in response:
            yield line.decode()
    except (OSError, http.client.HTTPException):
        return


def paragraph(event: dict[str, Any]) -> Iterable[str]:
    if event["event"] == "lost":
        yield f"... {event['count']} more were not shown: they came faster than they could be read"
        return
    name, body = shown(event)
    time = event["time"][11:-1]
    if event["event"] == "reply":
        yield f"{time}  {event['answer'].upper()} to {event['to']}, {waits(event)}"
    else:
        yield f"{time}  {name} from {event['from']}{on_interface(event)}"
    if event["event"] == "reply" or event["decision"] in ("written", "answered", "checked", "dropped"):
        yield from (f"    {text}" for text in body)
    if event["event"] == "decision":
        yield f"    => {verdict(event)}"
        if event.get("classes"):
            yield f"       classes: {', '.join(event['classes'])}"


def shown(event: dict[str, Any]) -> tuple[str, list[str]]:
    """What the packet is called, and what is in it; nothing of what cannot be read."""
    octets = bytes.fromhex(event["packet"])
    if event.get("family") == 6:
        told = tell(octets)
        return (told.headline, told.lines) if told else ("malformed packet", [])
    message = dissect(octets)
    if message is None:
        return "malformed packet", []
    client = f"client {message.mac.hex(':')} {relay_part(message)}, xid {message.xid:08x}"
    return message.type_name, [client, *message.header_lines(), *message.option_lines()]


def on_interface(event: dict[str, Any]) -> str:
    return f" on {event['interface']}" if event["interface"] else ""


def waits(event: dict[str, Any]) -> str:
    told = "" if event["in_server_ms"] is None else f"{event['in_server_ms']:.2f} ms in the server"
    if event["commit_wait_ms"] is not None:
        told += f", {event['commit_wait_ms']:.2f} ms of it until the COMMIT"
    return told or "at once"


def verdict(event: dict[str, Any]) -> str:
    """The decision in words."""
    subnet = f" [subnet {event['subnet']}]" if event["subnet"] else ""
    why = f": {event['meaning']}" if event["meaning"] else ""
    decision = event["decision"]
    if decision == "dropped":
        return f"dropped, {event['reason']}{why}{subnet}"
    if decision == "written":
        then = f"; {event['answer'].upper()} leaves after the COMMIT" if event["answer"] else ""
        return f"asks the database for {WRITES[event['write']]} of {event['address']}{then}{why}{subnet}"
    if decision == "checked":
        return f"pings {event['address']} before it is offered{subnet}"
    if decision == "done":
        return f"written, no answer is due{why}{subnet}"
    return f"answered with {event['answer'].upper()}{why}{subnet}"
