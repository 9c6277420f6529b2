"""Reconfigure messages, by which a server asks a client to renew, to rebind or to request its
options again (RFC 8415 sections 16.11, 18.3.11, 20.4, 21.19). They are authenticated by a key that
the client received before.
"""

import hmac
import struct

from dhcp_fast.packets import message6
from dhcp_fast.packets.message6 import (
    CLIENT_ID,
    INTERFACE_ID,
    RELAY_MESSAGE,
    RELAY_PORT,
    SERVER_ID,
    Envelope,
    MessageType,
    Option,
)

AUTHENTICATION, RECONFIGURE_MESSAGE, ECHO_REQUEST, VIRTUAL_NETWORK = 11, 19, 43, 68
AUTH = struct.Struct("!BBBQB16s")
RKAP, HMAC_MD5, MONOTONIC = 3, 1, 0
TYPE_KEY, TYPE_HMAC = 1, 2
EMPTY = bytes(16)

#: Requests of the message, by name in the API.
ASKS_FOR = {
    "renew": MessageType.RENEW,
    "rebind": MessageType.REBIND,
    "information_request": MessageType.INFORMATION_REQUEST,
}


def reconfigure(server_id: bytes, client_id: bytes, asks_for: int, replay: int, key: bytes) -> bytes:
    """Return the whole message; its hash covers all of it, with zeros in place of the hash (section 20.4.3)."""

    def written(digest: bytes) -> bytes:
        told = [(SERVER_ID, server_id), (CLIENT_ID, client_id), (RECONFIGURE_MESSAGE, bytes((asks_for,)))]
        auth = AUTH.pack(RKAP, HMAC_MD5, MONOTONIC, replay, TYPE_HMAC, digest)
        return message6.message(MessageType.RECONFIGURE, 0, [*told, (AUTHENTICATION, auth)])

    return written(hmac.digest(key, written(EMPTY), "md5"))


def is_authentic(message: bytes, key: bytes) -> bool:
    """Return whether a Reconfigure has the right hash for the key; the hash must be last, as
    `reconfigure` writes it.
    """
    made = hmac.digest(key, message[: -len(EMPTY)] + EMPTY, "md5")
    return hmac.compare_digest(made, message[-len(EMPTY) :])


def back_through(relays: list[Envelope], message: bytes, *, with_network: bool) -> bytes:
    """Return the message in the envelopes that bring it back through these relays, the outermost first."""
    for relay in reversed(relays):
        message = message6.relay_reply(message, relay, echoed(relay, with_network=with_network))
    return message


def echoed(relay: Envelope, *, with_network: bool) -> list[Option]:
    """Return Interface-Id and source port (RFC 8357), the options that the relay requests (RFC
    4994), and the virtual network if it chose the tenant (RFC 6607 section 7.1).
    """
    wanted = next((data for data in relay.values(ECHO_REQUEST) if len(data) % 2 == 0), b"")
    codes = {int.from_bytes(wanted[at : at + 2], "big") for at in range(0, len(wanted), 2)}
    codes |= {INTERFACE_ID, RELAY_PORT} | ({VIRTUAL_NETWORK} if with_network else set())
    return [option for option in relay.options if option[0] in codes - {RELAY_MESSAGE}]


def relays_of(relay_info: bytes) -> tuple[bytes, list[Envelope]]:
    """Return the relays from RFC 5007's LQ_RELAY_DATA: the address from which the relay sent, and the envelopes, the
    outermost first."""
    address, found = relay_info[:16], message6.read(relay_info[16:])
    return address, message6.opened(found)[0]
