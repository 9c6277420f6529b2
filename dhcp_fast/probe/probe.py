"""`ipam probe`: a check that the DHCP server answers, with the contents and the time of the answer.

A client does DISCOVER, OFFER, REQUEST, ACK and prints each option of the result. It is behind a
relay that the probe is itself, or on the link of an interface. With a count, that many clients do,
by the storm, and the rates and latencies are printed. The same clients come each time, so that
probing does not use up a pool. advice.py gives the likely reasons when nothing answers.
"""

import socket
import zlib
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from ipaddress import IPv4Address
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dhcp_fast.bench.generator.following import drive
from dhcp_fast.bench.generator.result import Result
from dhcp_fast.bench.generator.storm import Storm
from dhcp_fast.bench.generator.template import Features
from dhcp_fast.bench.report.reporting import latencies, milliseconds
from dhcp_fast.packets import message4
from dhcp_fast.packets.message4 import Reply
from dhcp_fast.probe.advice import Silence, advise
from dhcp_fast.probe.client import Client, ForeignRelay, NoAnswer, Refused, Step, address_towards, bind_relay
from dhcp_fast.probe.direct import DirectClient
from dhcp_fast.probe.interface import NoWire, on_wire
from dhcp_fast.probe.probe_options import Words, options4, relay4
from ipam_core.dhcp.describe import describe, duration
from ipam_core.printing import printable, say, say_json, say_lines
from ipam_core.setting_values import Endpoint

PROBE_SEED = 0x70
WINDOW = 64
RELEASE_RATE = 5000.0

GRANTED, NO_ANSWER, USAGE, REFUSED, NOT_ASKED = range(5)
"""Exit codes; USAGE is click's own."""
OUTCOMES = {NO_ANSWER: "no_answer", REFUSED: "refused", NOT_ASKED: "not_asked"}

FOREIGN = """Run the probe on the host that has the address. If the server runs here, add the address to this host:
  ip address add {giaddr}/32 dev lo      and afterwards: ip address del {giaddr}/32 dev lo"""


class ProbeOptions(msgspec.Struct, frozen=True):
    """Options of what to probe; `mac` None: a made-up one that stays the same on this machine. `interface`: ask on its
    wire, without a relay. `health`: of a server on this machine, to be asked what it saw."""

    server: tuple[str, int]
    health: tuple[str, int]
    mac: bytes | None = None
    giaddr: IPv4Address | None = None
    interface: str | None = None
    words: Words = Words()
    count: int = 1
    release: bool = False
    as_json: bool = False


def probe(options: ProbeOptions) -> int:
    """Run it and print; the exit code."""
    console = Console(highlight=False)
    try:
        found = probe_many(options, console) if options.count > 1 else probe_one(options, console)
    except ForeignRelay as error:
        return fail(NOT_ASKED, options.as_json, error, FOREIGN.format(giaddr=error.giaddr))
    except NoWire as error:
        return fail(NOT_ASKED, options.as_json, error)
    except NoAnswer as error:
        return fail(NO_ANSWER, options.as_json, error, advice(options, error))
    except Refused as error:
        return fail(REFUSED, options.as_json, error)
    if options.as_json:
        say_json(found)
    if found.get("naks"):
        return REFUSED
    return NO_ANSWER if found.get("drops") else GRANTED


def probe_one(options: ProbeOptions, console: Console) -> dict[str, Any]:
    with ExitStack() as stack:
        stack.enter_context(wire_of(options.interface))
        client = stack.enter_context(client_of(options))
        offer = client.discover()
        lease = client.select(offer.reply)
        if options.release:
            client.release(lease.reply)
    found = facts(client.mac, offer, lease)
    if not options.as_json:
        print_lease(console, found, lease.reply, released=options.release)
    return found


def wire_of(interface: str | None) -> AbstractContextManager[Any]:
    return nullcontext() if interface is None else on_wire(interface)


def client_of(options: ProbeOptions, tries: int = 3) -> Client:
    told: dict[str, Any] = {
        "mac": options.mac or machine_mac(),
        "options": options4(options.words),
        "tries": tries,
    }
    if options.interface is not None:
        client: Client = DirectClient(options.interface, **told)
    else:
        client = Client(options.server, giaddr=options.giaddr, **told)
        client.agent = message4.relay_said(relay4(options.words))
    if options.words.request:
        client.asked = bytes(options.words.request)
    return client


def facts(mac: bytes, offer: Step, lease: Step) -> dict[str, Any]:
    """Return the lease as plain values."""
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
        table.add_row(name, Text(printable(value)))
    console.print(table)
    console.print("\nOptions")
    for code, data in sorted(reply.options.items()):
        say(f"  {describe(4, code, data)}")
    if released:
        console.print("\nReleased.")


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
    """Probe as many clients as `count`, 64 at a time."""
    giaddr = options.giaddr or address_towards(options.server)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as tried:
        bind_relay(tried, giaddr)
    storm = Storm(
        options.server,
        local=(str(giaddr), 0),
        features=Features(giaddr=giaddr, circuit_id=options.words.circuit_id or b"probe"),
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
        f"{result.rate:,.0f} a second, {WINDOW} in flight"
    )
    table = Table("latency", "p50", "p90", "p99", "max", box=None, pad_edge=False)
    for name, histogram in (
        ("DISCOVER to OFFER", result.offer_latency),
        ("DISCOVER to ACK", result.latency),
    ):
        values = [milliseconds(histogram.percentile(percent)) for percent in (50, 90, 99)]
        table.add_row(name, *values, milliseconds(histogram.maximum))
    console.print(table)
    console.print(f"drops {result.drops}, NAKs {result.naks}, retransmits {result.retransmits}")
    if released:
        console.print("Released.")


def machine_mac() -> bytes:
    """Return the address: locally administered, the same at each probe from this machine."""
    return b"\x02\x69" + zlib.crc32(socket.gethostname().encode()).to_bytes(4, "big")


def advice(options: ProbeOptions, error: NoAnswer) -> str:
    wire = options.interface
    relay = options.giaddr or (message4.NOWHERE if wire else address_towards(options.server))
    return advise(
        Silence(
            family=4,
            server=options.server,
            mac=options.mac or machine_mac(),
            source=relay,
            link=relay,
            unreachable=error.unreachable,
            again=lambda: ask_again(options),
            health=Endpoint(*options.health),
            interface=wire,
        )
    )


def ask_again(options: ProbeOptions) -> None:
    with client_of(options, tries=1) as client, suppress(NoAnswer, OSError):
        client.timeout = 0.0
        client.discover()


def fail(code: int, as_json: bool, error: Exception, help_text: str = "") -> int:
    if as_json:
        say_json({"outcome": OUTCOMES[code], "error": str(error), "advice": help_text})
    else:
        say(str(error), err=True)
        if help_text:
            say_lines(help_text.rstrip(), err=True)
    return code
