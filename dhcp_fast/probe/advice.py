"""Advice when a probe got no answer: facts that can be checked from this machine.

If the DHCP server runs on this machine, its health address reports how it handled the client
(`/trace`): the probe sends its question once more meanwhile and reports the server's own reason.
Otherwise the advice is a list of questions.
"""

import json
import socket
from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Any

import msgspec

from dhcp_fast.probe.interface import hardware_address, has_carrier
from dhcp_fast.watching import watching
from ipam_core.errors import Unavailable
from ipam_core.setting_values import Endpoint

LOOK_SECONDS = 1.5
PORTS = {4: (67, 6767), 6: (547, 5547)}
SETTING = {4: "dhcp4_listen", 6: "dhcp6_listen"}
WIRES = {4: "dhcp4_interfaces", 6: "dhcp6_interfaces"}

MENDS = {
    "untrusted_relay": "Trust it: ipam create trusted-relays cidr={source}/{bits}. ipam trusted-relays unknown lists"
    " refused relays.",
    "no_subnet": "A subnet must contain {link}, or list it in its relay_addresses.",
    "not_served_here": "A subnet must contain an address of the server's interface, or name that interface.",
    "dhcp_disabled": "Set dhcp_enabled=true for the subnet.",
    "exhausted": "The subnet has no pool, or all addresses are in use, excluded, or for classes that do not match the"
    " client.",
    "denied_class": "One of the classes of the client has deny.",
    "drained": "An operator drained this server. `ipam nodes` lists its name; `ipam nodes undrain NAME` brings it"
    " back.",
    "database_away": "curl http://{health}/readyz shows what the server waits for.",
}
NO_SUBNET_YET = """The plan has no IPv{family} subnet yet. Create one first:
docs/tutorials/first-lan.md shows the commands, and `ipam up --demo` starts with an example network."""
RELAYED = """Check:
  1. Does the server run and listen there?     on its host: ss -lun | grep {port} (setting {setting})
  2. Is it ready?                              on its host: curl http://127.0.0.1:8081/readyz
  3. Is {source} a trusted relay?   ipam trusted-relays list; ipam trusted-relays unknown lists refused ones
  4. Is there a subnet? It must contain {link} or list it in its relay_addresses, with
     dhcp_enabled and a pool that has a free address.
  5. Trace the decision of the server.         on its host: ipam trace {watch}, then run the probe again
  6. Does a firewall block the answer? It is sent to a port of the probe's own (RFC 8357)."""
DIRECT = """Check:
  1. Does a server or relay serve this link?   the server needs the interface in {wires}
  2. Is it ready?                              on its host: curl http://127.0.0.1:8081/readyz
  3. Is there a subnet? It must contain an address of the server's interface there, or name the interface,
     with dhcp_enabled and a pool that has a free address.
  4. Trace the decision of the server.         on its host: ipam trace {watch}, then run the probe again"""
SNOOPING = "  5. A switch with DHCP snooping may drop frames whose sender is not the client: try --mac {own}"


class Silence(msgspec.Struct, frozen=True):
    """A question without an answer, with its server and its source.

    `source`: the packets' source address; `link`: giaddr or link-address; `again` sends the
    question once more.
    """

    family: int
    server: tuple[str, int]
    mac: bytes
    source: IPv4Address | IPv6Address
    link: IPv4Address | IPv6Address
    unreachable: bool
    again: Callable[[], Any]
    health: Endpoint
    interface: str | None = None
    duid: bytes = b""

    @property
    def watch(self) -> str:
        return f"-6 --duid {self.duid.hex()}" if self.family == 6 else f"--mac {self.mac.hex(':')}"


def advise(silence: Silence) -> str:
    if silence.unreachable:
        host, port = silence.server
        setting = SETTING[silence.family]
        return f"Nothing listens on UDP port {port} of {host}: see {setting}.{elsewhere(silence)}"
    try:
        seen = second_look(silence)
    except Unavailable:
        return checklist(silence)
    if not seen:
        return (
            f"The server whose health address is {silence.health} did not receive it.{elsewhere(silence)}\n"
            + checklist(silence)
        )
    return verdict(silence, seen)


def second_look(silence: Silence) -> list[dict[str, Any]]:
    """Return what the server that runs here did with the question, asked once more.

    Raises Unavailable if no server reports it.
    """
    asked = {"duid": silence.duid.hex()} if silence.family == 6 else {"mac": silence.mac.hex()}
    seen = []
    with watching(silence.health, silence.family, asked, seconds=1.0) as (lines, line):
        line.settimeout(LOOK_SECONDS)
        silence.again()
        for text in lines:
            seen.append(json.loads(text))
            if seen[-1]["event"] == "reply" or seen[-1].get("decision") == "dropped":
                break
    return seen


def verdict(silence: Silence, seen: list[dict[str, Any]]) -> str:
    last = seen[-1]
    if last["event"] == "reply":
        return (
            f"The server received it and answers to {last['to']}, but nothing arrives here."
            f" Check firewalls, and the server's route to {silence.link}."
        )
    if last["decision"] != "dropped":
        return f"The server received it and waits for the database: curl http://{silence.health}/readyz"
    if not last["subnets_served"]:
        return (
            f"The server dropped the packet ({last['reason']}): {last['meaning']}.\n"
            + NO_SUBNET_YET.format(family=silence.family)
        )
    mend = MENDS.get(last["reason"], "ipam trace {watch} shows each packet and the decision.")
    told = mend.format(
        source=silence.source,
        bits=silence.source.max_prefixlen,
        link=silence.link,
        health=silence.health,
        watch=silence.watch,
    )
    subnet = f", in the subnet {last['subnet']}" if last.get("subnet") else ""
    classes = f" Its classes: {', '.join(last['classes'])}." if last.get("classes") else ""
    return f"The server received it and dropped it ({last['reason']}): {last['meaning']}{subnet}.{classes}\n{told}"


def elsewhere(silence: Silence) -> str:
    """Return where this machine listens for DHCP, if that is somewhere else."""
    heard = [str(end) for end in listening(silence.family) if (end.host, end.port) != silence.server]
    if not heard or silence.interface:
        return ""
    return f" On this host something listens at {', '.join(heard)}: --server HOST:PORT."


def listening(family: int) -> Iterable[Endpoint]:
    """Yield the sockets of this machine's network on the ports of DHCP servers, ours and the usual ones (proc(5))."""
    table = Path("/proc/net/udp6" if family == 6 else "/proc/net/udp").read_text().splitlines()[1:]
    for row in table:
        address, _, port = row.split()[1].partition(":")
        if int(port, 16) in PORTS[family]:
            yield Endpoint(readable(address), int(port, 16))


def readable(address: str) -> str:
    """Return an address as proc(5) writes it: words of four octets, each the wrong way round on common machines."""
    octets = b"".join(int(address[at : at + 8], 16).to_bytes(4, "little") for at in range(0, len(address), 8))
    return socket.inet_ntop(socket.AF_INET if len(octets) == 4 else socket.AF_INET6, octets)


def checklist(silence: Silence) -> str:
    told = {
        "port": silence.server[1],
        "setting": SETTING[silence.family],
        "wires": WIRES[silence.family],
        "source": silence.source,
        "link": silence.link,
        "watch": silence.watch,
    }
    if silence.interface is None:
        return RELAYED.format(**told)
    cable = (
        "" if has_carrier(silence.interface) else f"{silence.interface} has no carrier: check the cable.\n"
    )
    own = hardware_address(silence.interface)
    stranger = silence.family == 4 and own != silence.mac
    return cable + DIRECT.format(**told) + ("\n" + SNOOPING.format(own=own.hex(":")) if stranger else "")
