"""`ipam probe -6`: SOLICIT, ADVERTISE, REQUEST, REPLY, and what was given, option by option; see probe.py."""

from contextlib import suppress
from ipaddress import IPv6Address
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from dhcp_fast.packets import message6
from dhcp_fast.packets.dissect6 import duid, lease_text, option_lines
from dhcp_fast.packets.message6 import ASSOCIATIONS, Message
from dhcp_fast.probe.advice import Silence, advise
from dhcp_fast.probe.client import NoAnswer, Refused
from dhcp_fast.probe.client6 import Client6, Step6
from dhcp_fast.probe.direct6 import DirectClient6
from dhcp_fast.probe.interface import NoWire
from dhcp_fast.probe.probe import GRANTED, NO_ANSWER, NOT_ASKED, REFUSED, fail, machine_mac, wire_of
from dhcp_fast.probe.probe_options import Words, options6, relay6
from ipam_core.dhcp.describe import duration
from ipam_core.printing import say, say_json
from ipam_core.setting_values import Endpoint


class Probe6(msgspec.Struct, frozen=True):
    """Options of a probe; `mac` None: a made-up one that stays the same on this machine.

    `link` is the link-address of the relay; `interface`: send on its link, without a relay.
    `health` is the health address of a server on this machine, which is asked about the client.
    """

    server: tuple[str, int]
    health: tuple[str, int]
    mac: bytes | None = None
    link: IPv6Address | None = None
    interface: str | None = None
    words: Words = Words()
    delegation: bool = False
    release: bool = False
    as_json: bool = False


def probe(options: Probe6) -> int:
    """Run it and print; the exit code."""
    try:
        with wire_of(options.interface), client_of(options) as client:
            offer = client.solicit()
            lease = client.request(offer.reply)
            if options.release:
                client.release(lease.reply)
    except NoAnswer as error:
        return fail(NO_ANSWER, options.as_json, error, advise(silence(options, client, error.unreachable)))
    except Refused as error:
        return fail(REFUSED, options.as_json, error)
    except NoWire as error:
        return fail(NOT_ASKED, options.as_json, error)
    except OSError as error:
        to = Endpoint(*options.server)
        return fail(NOT_ASKED, options.as_json, error, f"{to} cannot be reached from this host")
    found = facts(offer, lease)
    if options.as_json:
        say_json(found)
    else:
        print_lease(Console(highlight=False), found, lease.reply, released=options.release)
    return GRANTED


def client_of(options: Probe6, tries: int = 3) -> Client6:
    words = options.words
    told: dict[str, Any] = {
        "mac": options.mac or machine_mac(),
        "duid": words.client_id,
        "delegation": options.delegation,
        "options": options6(words),
        "tries": tries,
    }
    if options.interface is not None:
        client: Client6 = DirectClient6(options.interface, **told)
    else:
        client = Client6(options.server, link=options.link, **told)
        client.agent = relay6(words)
    if words.request:
        client.asked = words.request
    return client


def silence(options: Probe6, client: Client6, unreachable: bool) -> Silence:
    return Silence(
        family=6,
        server=options.server,
        mac=client.mac,
        duid=client.duid,
        source=client.source,
        link=client.link,
        unreachable=unreachable,
        again=lambda: ask_again(options),
        health=Endpoint(*options.health),
        interface=options.interface,
    )


def ask_again(options: Probe6) -> None:
    with client_of(options, tries=1) as client, suppress(NoAnswer, OSError):
        client.timeout = 0.0
        client.solicit()


def facts(offer: Step6, lease: Step6) -> dict[str, Any]:
    """Return what was given, as plain values."""
    reply = lease.reply
    return {
        "leases": [
            {
                "association": "IA_PD" if ia.kind == message6.IA_PD else "IA_NA",
                "address": str(found.address) if found.length == 128 else str(found.network),
                "preferred_seconds": found.preferred,
                "valid_seconds": found.valid,
                "t1_seconds": ia.t1,
                "t2_seconds": ia.t2,
            }
            for ia in reply.associations
            for found in ia.leases
        ],
        "duid": (reply.value(message6.CLIENT_ID) or b"").hex(),
        "server_id": (reply.value(message6.SERVER_ID) or b"").hex(),
        "options": said_options(others(reply)),
        "advertise_ms": round(offer.seconds * 1000, 3),
        "reply_ms": round(lease.seconds * 1000, 3),
    }


def said_options(options: list[tuple[int, bytes]]) -> dict[str, str | list[str]]:
    """Return the options by code; a list for a code that occurs several times."""
    found: dict[str, list[str]] = {}
    for code, data in options:
        found.setdefault(str(code), []).append(data.hex())
    return {code: each[0] if len(each) == 1 else each for code, each in found.items()}


def others(reply: Message) -> list[tuple[int, bytes]]:
    own = (*ASSOCIATIONS, message6.CLIENT_ID, message6.SERVER_ID)
    return [(code, data) for code, data in reply.options if code not in own]


def print_lease(console: Console, found: dict[str, Any], reply: Message, *, released: bool) -> None:
    table = Table(show_header=False, box=None, pad_edge=False)
    for ia in reply.associations:
        for lease in ia.leases:
            table.add_row("prefix" if ia.kind == message6.IA_PD else "address", lease_text(lease))
        table.add_row("renew after", duration(ia.t1))
        table.add_row("rebind after", duration(ia.t2))
    table.add_row("client", duid(bytes.fromhex(found["duid"])))
    table.add_row("server", duid(bytes.fromhex(found["server_id"])))
    table.add_row("SOLICIT to ADVERTISE", f"{found['advertise_ms']:.2f} ms")
    table.add_row("REQUEST to REPLY", f"{found['reply_ms']:.2f} ms")
    console.print(table)
    console.print("\nOptions")
    for line in option_lines(Message(options=tuple(others(reply)), kind=reply.kind, xid=reply.xid)):
        say(f"  {line}")
    if released:
        console.print("\nReleased.")
