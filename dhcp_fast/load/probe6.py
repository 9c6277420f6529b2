"""`ipam probe -6`: SOLICIT, ADVERTISE, REQUEST, REPLY, and what was given, option by option; see probe.py."""

import json
from ipaddress import IPv6Address
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from dhcp_fast.load.client import NoAnswer, Refused
from dhcp_fast.load.client6 import Client6, Step6
from dhcp_fast.load.probe import machine_mac
from dhcp_fast.packets import message6
from dhcp_fast.packets.dissect6 import duid, lease_text, option_lines
from dhcp_fast.packets.message6 import ASSOCIATIONS, Message
from ipam_core.dhcp.describe import duration

CHECKLIST = """Check, in this order:
  1. Is the server running and listening there?     ipam up, or: ss -lun | grep {port}
     DHCPv6 is served where it is set: dhcp6_listen, dhcp6_interfaces.
  2. Is it ready?                                   curl http://127.0.0.1:8081/readyz, on its machine
  3. Is the address that the probe sends from trusted?     /trusted-relays, or IPAM_TRUSTED_RELAYS
  4. Which subnet is chosen? One must contain the link-address {link} or name it in its
     relay_addresses, with dhcp_enabled and a pool that has a free address.
  5. Does a firewall stand between? The answer comes back to our own port (RFC 8357)."""


class Probe6(msgspec.Struct, frozen=True):
    """What to probe; `mac` None: a made-up one that stays the same on this machine. `link`: what the relay says."""

    server: tuple[str, int]
    mac: bytes | None = None
    link: IPv6Address | None = None
    delegation: bool = False
    release: bool = False
    as_json: bool = False


def probe(options: Probe6) -> int:
    """Run it and print; the exit code."""
    mac = options.mac or machine_mac()
    try:
        with Client6(options.server, mac=mac, link=options.link, delegation=options.delegation) as client:
            link = client.link
            offer = client.solicit()
            lease = client.request(offer.reply)
            if options.release:
                client.release(lease.reply)
    except NoAnswer as error:
        return fail(options, error, CHECKLIST.format(port=options.server[1], link=link))
    except Refused as error:
        return fail(options, error, "")
    except OSError as error:
        return fail(options, error, f"[{options.server[0]}]:{options.server[1]} cannot be reached from here")
    found = facts(offer, lease)
    if options.as_json:
        Console().print_json(json.dumps(found))
    else:
        print_lease(Console(highlight=False), found, lease.reply, released=options.release)
    return 0


def facts(offer: Step6, lease: Step6) -> dict[str, Any]:
    """What was given, as plain values."""
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
        "options": {str(code): data.hex() for code, data in others(reply)},
        "advertise_ms": round(offer.seconds * 1000, 3),
        "reply_ms": round(lease.seconds * 1000, 3),
    }


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
        console.print(f"  {line}", markup=False, soft_wrap=True)
    if released:
        console.print("\nReleased again.")


def fail(options: Probe6, error: Exception, help_text: str) -> int:
    if options.as_json:
        Console().print_json(json.dumps({"error": str(error)}))
    else:
        console = Console(stderr=True, highlight=False)
        console.print(f"{error}\n{help_text}".rstrip(), markup=False, soft_wrap=True)
    return 1
