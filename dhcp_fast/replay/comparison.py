"""Comparison of the answers of the capture's server with ours."""

from ipaddress import IPv4Address
from typing import Literal

import msgspec

from dhcp_fast.packets.dissect import Message
from dhcp_fast.packets.message4 import (
    CLIENT_ID,
    LEASE_TIME,
    MAX_SIZE,
    MESSAGE,
    MESSAGE_TYPE,
    NOWHERE,
    RELAY_AGENT,
    SERVER_ID,
    T1,
    T2,
    MessageType,
)
from dhcp_fast.replay.conversations import Conversation
from dhcp_fast.replay.rehearsal import Given
from ipam_core.dhcp import reasons
from ipam_core.dhcp.describe import describe, duration

ROUTERS, DNS, SERVER_NAME, BOOT_FILE, OVERLOAD = 3, 6, 66, 67, 52
# Options that name the server or repeat the client, and fields with a line of their own.
APART = {MESSAGE_TYPE, SERVER_ID, CLIENT_ID, RELAY_AGENT, MESSAGE, MAX_SIZE, OVERLOAD, LEASE_TIME}
NAMED = {ROUTERS, DNS, SERVER_NAME, BOOT_FILE}

Outcome = Literal["same", "differs", "we_are_silent", "they_were_silent", "both_silent"]


class Difference(msgspec.Struct, frozen=True):
    """null: that side gives none."""

    field: str
    theirs: str | None
    ours: str | None


class Compared(msgspec.Struct, frozen=True):
    """A client; `theirs` and `ours` contain each side's answer, by field."""

    mac: str
    client_id: str | None
    relay: str | None
    outcome: Outcome
    theirs: dict[str, str] | None
    ours: dict[str, str] | None
    differences: list[Difference]
    drop_reason: str | None
    meaning: str | None
    note: str | None


def compare(client: Conversation, given: Given) -> Compared:
    theirs, ours = lease_of(client.reply), lease_of(given.reply)
    differences = differing(theirs, ours) if theirs and ours else []
    return Compared(
        mac=client.mac.hex(":"),
        client_id=client.client_id.hex(":") or None,
        relay=str(client.giaddr) if client.giaddr != NOWHERE else None,
        outcome=outcome(theirs is not None, ours is not None, bool(differences)),
        theirs=theirs,
        ours=ours,
        differences=differences,
        drop_reason=given.drop,
        meaning=reasons.of_drop(given.drop) if given.drop else None,
        note=given.note,
    )


def outcome(they: bool, we: bool, differ: bool) -> Outcome:
    if they and we:
        return "differs" if differ else "same"
    if they:
        return "we_are_silent"
    return "they_were_silent" if we else "both_silent"


def lease_of(reply: Message | None) -> dict[str, str] | None:
    """Return the fields of a reply that gives something; a refusal gives nothing."""
    if reply is None or reply.kind == MessageType.NAK:
        return None
    told = {
        "address": str(reply.yiaddr) if reply.yiaddr != NOWHERE else "",
        "lease time": duration(int.from_bytes(reply.value(LEASE_TIME), "big"))
        if reply.value(LEASE_TIME)
        else "",
        "router": addresses(reply.value(ROUTERS)),
        "DNS": addresses(reply.value(DNS)),
        "next server": next_server(reply),
        "boot file": reply.file or reply.value(BOOT_FILE).rstrip(b"\0").decode("utf-8", "backslashreplace"),
    }
    for code, data in sorted((reply.options or {}).items()):
        if code not in APART | NAMED:
            name, _, value = describe(4, code, data).partition(": ")
            told[name] = value
    return {name: value for name, value in told.items() if value}


def addresses(data: bytes) -> str:
    return ", ".join(str(IPv4Address(data[at : at + 4])) for at in range(0, len(data) // 4 * 4, 4))


def next_server(reply: Message) -> str:
    """Return siaddr, else the name in option 66 or in `sname`."""
    if reply.siaddr != NOWHERE:
        return str(reply.siaddr)
    return reply.value(SERVER_NAME).rstrip(b"\0").decode("utf-8", "backslashreplace") or reply.sname


def differing(theirs: dict[str, str], ours: dict[str, str]) -> list[Difference]:
    """Return the differing fields, T1 and T2 only if both sides send them: without them a client
    takes the usual shares of the lease.
    """
    names = [*theirs, *(name for name in ours if name not in theirs)]
    return [
        Difference(name, theirs.get(name), ours.get(name))
        for name in names
        if theirs.get(name) != ours.get(name)
        and not (is_timer(name) and not (name in theirs and name in ours))
    ]


def is_timer(name: str) -> bool:
    """Return the latter in DHCPv6."""
    return name.endswith((f"({T1})", f"({T2})")) or name.startswith(("T1 of ", "T2 of "))
