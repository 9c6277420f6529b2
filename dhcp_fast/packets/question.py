"""The packet of a question: octets that a client and its relay would send (RFC 2131 figure 1, RFC 3046)."""

import struct
from ipaddress import IPv4Address

from ipam_core.dhcp import kinds, registry
from ipam_core.errors import ValidationError
from ipam_core.model.explain import Question

HEADER = struct.Struct("!BBBBIHH4s4x4x4s16s192x4s")
COOKIE = b"\x63\x82\x53\x63"
DISCOVER, REQUEST = 1, 3
MESSAGE_TYPE, REQUESTED_ADDRESS, HOST_NAME, REQUESTED_OPTIONS, SERVER_ID = 53, 50, 12, 55, 54
VENDOR_CLASS, CLIENT_ID, USER_CLASS, RELAY_AGENT, END = 60, 61, 77, 82, 255
CIRCUIT_ID, REMOTE_ID, LINK_SELECTION = 1, 2, 5
OWN_FIELDS = {12, 50, 53, 54, 55, 60, 61, 77, 82}
LONGEST, MOST = 255, 1024


def packet(question: Question, server: IPv4Address) -> bytes:
    """Return the packet.

    `server`: server identifier of the selected server. Raises ValidationError for options that do
    not fit into a packet.
    """
    hardware = bytes.fromhex(question.mac.replace(":", "")) if question.mac else b""
    relay = question.relay.packed if question.relay and relayed(question) else bytes(4)
    ciaddr = question.ciaddr.packed if question.ciaddr else bytes(4)
    header = HEADER.pack(1, 1, len(hardware), any(relay), 0, 0, 0, ciaddr, relay, hardware, COOKIE)
    told = options(question, server)
    return header + b"".join(option(code, data) for code, data in told) + bytes([END])


def relayed(question: Question) -> bool:
    """Return a client that renews speaks to the server itself (RFC 2131 section 4.3.2)."""
    return question.message != "renew"


def option(code: int, data: bytes) -> bytes:
    """Return the option, in pieces if it is longer than its length octet allows (RFC 3396)."""
    pieces = [data[at : at + LONGEST] for at in range(0, len(data), LONGEST)] or [b""]
    return b"".join(bytes([code, len(piece)]) + piece for piece in pieces)


def options(question: Question, server: IPv4Address) -> list[tuple[int, bytes]]:
    told = {
        MESSAGE_TYPE: bytes([DISCOVER if question.message == "discover" else REQUEST]),
        SERVER_ID: server.packed if question.message == "request" else b"",
        HOST_NAME: (question.hostname or "").encode(),
        REQUESTED_ADDRESS: question.requested_ip.packed if question.requested_ip else b"",
        REQUESTED_OPTIONS: bytes(question.requested_options),
        VENDOR_CLASS: (question.vendor_class or "").encode(),
        CLIENT_ID: question.client_id or b"",
        USER_CLASS: (question.user_class or "").encode(),
    }
    found = [(code, data) for code, data in told.items() if data] + others(question)
    if agent := relay_agent(question):
        found.append((RELAY_AGENT, agent))
    if sum(len(data) for _, data in found) > MOST:
        raise ValidationError("options", f"are longer than {MOST} octets together")
    return found


def others(question: Question) -> list[tuple[int, bytes]]:
    found = {}
    for index, sent in enumerate(question.options):
        if sent.code in OWN_FIELDS or sent.code in found:
            raise ValidationError(f"options[{index}].code", "has a field of its own, or is given twice")
        found[sent.code] = kinds.encode(registry.resolve(4, sent.code), sent.payload)
    return list(found.items())


def relay_agent(question: Question) -> bytes:
    told = {
        CIRCUIT_ID: question.circuit_id,
        REMOTE_ID: question.remote_id,
        LINK_SELECTION: question.link_selection.packed if question.link_selection else None,
    }
    pieces = [bytes([code, len(data)]) + data for code, data in told.items() if data]
    return b"".join(pieces) if question.relay and relayed(question) else b""
