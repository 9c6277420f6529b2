"""`ipam probe`: is my DHCP server answering, with what, and how fast?

One client does DISCOVER, OFFER, REQUEST, ACK and prints what it got, option by option; with a count, that
many clients do, by the storm, and the rates and latencies are printed. The same clients come each time, so
that probing does not use up a pool. When nothing answers, the message lists what to look at.
"""

import json
import socket
import zlib
from ipaddress import IPv4Address
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from dhcp_fast.load.client import Client, ForeignRelay, NoAnswer, Refused, Step, address_towards, bind_relay
from dhcp_fast.load.generator.following import drive
from dhcp_fast.load.generator.result import Result
from dhcp_fast.load.generator.storm import Storm
from dhcp_fast.load.generator.template import Features
from dhcp_fast.load.report.reporting import latencies, milliseconds
from dhcp_fast.packets import message4
from dhcp_fast.packets.message4 import Reply
from ipam_core.dhcp.describe import describe, duration

PROBE_SEED = 0x70
WINDOW = 64
RELEASE_RATE = 5000.0

CHECKLIST = """Check, in this order:
  1. Is the server running and listening there?     ipam up, or: ss -lun | grep {port}
  2. Is it ready?                                   curl http://127.0.0.1:8081/readyz, on {host}
  3. Is the relay address {giaddr} trusted?         /trusted-relays, or IPAM_TRUSTED_RELAYS
  4. Which subnet is chosen? One must contain {giaddr} or name it in its relay_addresses,
     with dhcp_enabled and a pool that has a free address.
  5. Does a firewall stand between {giaddr} and {host}? The answer comes back to our own port (RFC 8357)."""
FOREIGN = """Run the probe on the machine that has the address. If the server runs here, lend it to this machine:
  ip address add {giaddr}/32 dev lo      and afterwards: ip address del {giaddr}/32 dev lo"""


class ProbeOptions(msgspec.Struct, frozen=True):
    """What to probe; `mac` None: a made-up one that stays the same on this machine."""

    server: tuple[str, int]
    mac: bytes | None = None
    giaddr: IPv4Address | None = None
    vendor_class: str | None = None
    user_class: str | None = None
    count: int = 1
    release: bool = False
    as_json: bool = False


def probe(options: ProbeOptions) -> int:
    """Run it and print; the exit code."""
    console = Console(highlight=False)
    try:
        found = probe_many(options, console) if options.count > 1 else probe_one(options, console)
    except ForeignRelay as error:
        return fail(options, error, FOREIGN.format(giaddr=error.giaddr))
    except NoAnswer as error:
        return fail(options, error, advice(options, error))
    except Refused as error:
        return fail(options, error, "")
    if options.as_json:
        console.print_json(json.dumps(found))
    return 1 if found.get("drops") or found.get("naks") else 0


def probe_one(options: ProbeOptions, console: Console) -> dict[str, Any]:
    mac = options.mac or machine_mac()
    with Client(options.server, mac=mac, giaddr=options.giaddr, options=classes(options)) as client:
        offer = client.discover()
        lease = client.select(offer.reply)
        if options.release:
            client.release(lease.reply)
    found = facts(mac, offer, lease)
    if not options.as_json:
        print_lease(console, found, lease.reply, released=options.release)
    return found


def classes(options: ProbeOptions) -> list[message4.Option]:
    """What the client says it is; a user class stands in option 77 as iPXE writes it, without a length of its own."""
    said = ((message4.VENDOR_CLASS, options.vendor_class), (message4.USER_CLASS, options.user_class))
    return [(code, text.encode()) for code, text in said if text]


def facts(mac: bytes, offer: Step, lease: Step) -> dict[str, Any]:
    """The lease as plain values."""
    reply = lease.reply
    return {
        "address": str(reply.yiaddr),
        "mac": mac.hex(":"),
        "server_id": str(reply.address(message4.SERVER_ID)),
        "lease_time_seconds": reply.seconds(message4.LEASE_TIME),
        "t1_seconds": reply.seconds(message4.T1),
        "t2_seconds": reply.seconds(message4.T2),
        "next_server": None if reply.siaddr == message4.NOWHERE else str(reply.siaddr),
        "boot_file": reply.file.decode("utf-8", "replace") or None,
        "options": {str(code): data.hex() for code, data in reply.options.items()},
        "offer_ms": round(offer.seconds * 1000, 3),
        "ack_ms": round(lease.seconds * 1000, 3),
    }


def print_lease(console: Console, found: dict[str, Any], reply: Reply, *, released: bool) -> None:
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in rows(found):
        table.add_row(name, value)
    console.print(table)
    console.print("\nOptions")
    for code, data in sorted(reply.options.items()):
        console.print(f"  {describe(4, code, data)}", markup=False, soft_wrap=True)
    if released:
        console.print("\nReleased again.")


def rows(found: dict[str, Any]) -> list[tuple[str, str]]:
    shown = [
        ("address", found["address"]),
        ("client", found["mac"]),
        ("server", found["server_id"]),
        ("lease time", duration(found["lease_time_seconds"])),
        ("renew after", duration(found["t1_seconds"])),
        ("rebind after", duration(found["t2_seconds"])),
        ("next server", found["next_server"]),
        ("boot file", found["boot_file"]),
        ("DISCOVER to OFFER", f"{found['offer_ms']:.2f} ms"),
        ("REQUEST to ACK", f"{found['ack_ms']:.2f} ms"),
    ]
    return [(name, value) for name, value in shown if value]


def probe_many(options: ProbeOptions, console: Console) -> dict[str, Any]:
    """As many clients as `count`, 64 at a time."""
    giaddr = options.giaddr or address_towards(options.server)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as tried:
        bind_relay(tried, giaddr)
    storm = Storm(
        options.server,
        local=(str(giaddr), 0),
        features=Features(giaddr=giaddr, circuit_id=b"probe"),
        seed=PROBE_SEED,
        patience=3.5,
    )
    try:
        shown = Console(stderr=True, quiet=options.as_json)
        result = drive(storm, shown, "exchanges", exchanges=options.count, window=WINDOW)
        if result.offers == 0:
            raise NoAnswer("DISCOVER", "{}:{}".format(*options.server), result.refused > 0)
        if options.release:
            storm.run(mix="release", exchanges=result.acks, rate=RELEASE_RATE, held=result.log)
    finally:
        storm.close()
    found = summary(result)
    if not options.as_json:
        print_summary(console, result, released=options.release)
    return found


def summary(result: Result) -> dict[str, Any]:
    return {
        "exchanges": result.acks,
        "per_second": round(result.rate, 1),
        "naks": result.naks,
        "drops": result.drops,
        "retransmits": result.retransmits,
        "latency_ms": latencies(result.latency),
        "offer_latency_ms": latencies(result.offer_latency),
    }


def print_summary(console: Console, result: Result, *, released: bool) -> None:
    console.print(
        f"{result.acks:,} of {result.started:,} clients got an address in {result.elapsed:.2f} s: "
        f"{result.rate:,.0f} a second, {WINDOW} at a time"
    )
    table = Table("latency", "p50", "p90", "p99", "max", box=None, pad_edge=False)
    for name, histogram in (
        ("DISCOVER to OFFER", result.offer_latency),
        ("DISCOVER to ACK", result.latency),
    ):
        values = [milliseconds(histogram.percentile(percent)) for percent in (50, 90, 99)]
        table.add_row(name, *values, milliseconds(histogram.maximum))
    console.print(table)
    console.print(f"drops {result.drops}, NAKs {result.naks}, sent again {result.retransmits}")
    if released:
        console.print("Released again.")


def machine_mac() -> bytes:
    """Locally administered, the same at each probe from this machine."""
    return b"\x02\x69" + zlib.crc32(socket.gethostname().encode()).to_bytes(4, "big")


def advice(options: ProbeOptions, error: NoAnswer) -> str:
    host, port = options.server
    giaddr = options.giaddr or address_towards(options.server)
    first = f"Nothing listens on UDP port {port} of {host}.\n" if error.unreachable else ""
    return first + CHECKLIST.format(host=host, port=port, giaddr=giaddr)


def fail(options: ProbeOptions, error: NoAnswer | Refused | ForeignRelay, help_text: str) -> int:
    if options.as_json:
        Console().print_json(json.dumps({"error": str(error)}))
    else:
        console = Console(stderr=True, highlight=False)
        console.print(f"{error}\n{help_text}".rstrip(), markup=False, soft_wrap=True)
    return 1
