"""`ipam trace`: one client's packets and the server's decisions on them, live, decoded.

It reads `/trace` of the health address as long as it is let (watching.py), one JSON line an event, and prints a
paragraph for each. Ctrl-C ends it.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from dhcp_fast.packets.dissect import dissect, relay_part
from dhcp_fast.packets.dissect6 import tell
from dhcp_fast.watching import watching
from ipam_core.errors import Unavailable
from ipam_core.printing import say
from ipam_core.setting_values import Endpoint

WRITES = {
    "bind": "a new binding",
    "renew": "a renewal",
    "release": "a release",
    "decline": "a decline",
    "revoke": "the withdrawal of its lease",
    "register": "the registration",
}


class TraceOptions(msgspec.Struct, frozen=True):
    """Client to trace, and the server; octets are hexadecimal, empty for any."""

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
            if options.as_json:
                say(line.rstrip().encode())
            else:
                for each in paragraph(json.loads(line)):
                    say(each)
    except KeyboardInterrupt:
        return
    raise Unavailable(f"the server at {options.server}", "it closed the trace")


def follow(options: TraceOptions) -> Iterator[str]:
    """Yield the server's lines, for as long as it is let."""
    asked = {"mac": options.mac, "client_id": options.client_id, "duid": options.duid}
    with watching(options.server, options.family, asked) as (lines, line):
        watched = " and ".join(filter(None, asked.values()))
        say(f"Watching {watched} on {options.server}; Ctrl-C ends it.", err=True)
        line.settimeout(None)  # a client may be silent for hours
        yield from lines


def paragraph(event: dict[str, Any]) -> Iterable[str]:
    if event["event"] == "lost":
        yield f"... {event['count']} more are not shown: they arrived faster than they could be displayed"
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
    """Return what the packet is called, and what is in it; nothing of what cannot be read."""
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
        told += f", {event['commit_wait_ms']:.2f} ms of it waiting for the COMMIT"
    return told or "at once"


def verdict(event: dict[str, Any]) -> str:
    """Return the decision in words."""
    subnet = f" [subnet {event['subnet']}]" if event["subnet"] else ""
    why = f": {event['meaning']}" if event["meaning"] else ""
    decision = event["decision"]
    if decision == "dropped":
        return f"dropped, {event['reason']}{why}{subnet}"
    if decision == "written":
        then = f"; {event['answer'].upper()} leaves after the COMMIT" if event["answer"] else ""
        return f"asks the database for {WRITES[event['write']]} of {event['address']}{then}{why}{subnet}"
    if decision == "checked":
        return f"pings {event['address']} before offering it{subnet}"
    if decision == "done":
        return f"written; no answer is sent{why}{subnet}"
    return f"answered with {event['answer'].upper()}{why}{subnet}"
