"""DHCID records (RFC 4701), by which other DNS updaters can check the owner of a name; and owners in the database.

The record holds a hash of the client's identity and of the name, so that it does not disclose the client. The database
keeps several identities of one host (its DUID, its hardware address), by which a name's second address, of the other
family, finds its owner. In DNS the name keeps the record of the first address.
"""

import base64
import hashlib
from typing import NamedTuple

import dns.name

HARDWARE, CLIENT_ID, DUID = 0, 1, 2  # identifier types (RFC 4701 section 3.3)
SHA256 = 1
OPAQUE = 0xFF  # a client id with IAID and DUID in it (RFC 4361 section 6.1)
IAID_END = 5
MOST_DUID = 130


class Identity(NamedTuple):
    """One way by which a client is known."""

    kind: int
    octets: bytes

    @property
    def key(self) -> bytes:
        """As the database keeps it."""
        return bytes([self.kind]) + self.octets


OPERATOR = Identity(DUID, b"\xff\xffipam operator".ljust(MOST_DUID + 1, b"\0"))
"""Owner of names that operators enter: longer than a DUID may be, so that no client has it (RFC 8415 section 11.1)."""


def identities(
    hw_type: int | None, hw_address: bytes | None, client_id: bytes | None, duid: bytes | None
) -> list[Identity]:
    """Return those of a lease; the first is the one that a DHCID is made of (RFC 4701 section 3.5.1: the DUID before
    the client id before the hardware address)."""
    found = []
    if duid:
        found.append(Identity(DUID, duid))
    elif client_id and client_id[0] == OPAQUE and len(client_id) > IAID_END:
        found.append(Identity(DUID, client_id[IAID_END:]))
    elif client_id:
        found.append(Identity(CLIENT_ID, client_id))
    if hw_address and any(hw_address):
        found.append(Identity(HARDWARE, bytes([hw_type or 1]) + hw_address))
    return found


def dhcid(identity: Identity, fqdn: str) -> bytes:
    """Return the record's data (RFC 4701 section 3.5): kind of identity, kind of digest, digest of identity and
    name."""
    name = dns.name.from_text(fqdn).to_digestable()
    digest = hashlib.sha256(identity.octets + name).digest()
    return identity.kind.to_bytes(2, "big") + bytes([SHA256]) + digest


def as_text(data: bytes) -> str:
    """Return the record's data in presentation format."""
    return base64.b64encode(data).decode()
