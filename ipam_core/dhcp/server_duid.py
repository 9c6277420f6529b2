"""The DUID of the DHCPv6 servers of a database (RFC 8415 section 11): one that an admin has set, or one of its key."""

from hashlib import blake2b
from uuid import UUID

PURPOSE = b"ipam server DUID"
SHORTEST, LONGEST = 3, 130
LLT, EN, LL, UUID_TYPE = 1, 2, 3, 4
# The fewest octets of each type: its number, what its section has before the identifier, and one of the identifier.
FEWEST = {LLT: 9, EN: 7, LL: 5, UUID_TYPE: 18}
OF_UUID = 18


def derived(key: UUID) -> bytes:
    """Return the DUID that is made of a database's key (RFC 6355): a one-way hash, since the DUID is public and a
    client with the key could choose identities that collide. As a UUID it is of version 8 (RFC 9562)."""
    uuid = bytearray(blake2b(key.bytes, digest_size=16, person=PURPOSE).digest())
    uuid[6] = uuid[6] & 0x0F | 0x80
    uuid[8] = uuid[8] & 0x3F | 0x80
    return UUID_TYPE.to_bytes(2, "big") + uuid


def effective(key: UUID, chosen: bytes | None) -> bytes:
    """Return what the servers call themselves. `chosen`: the DUID that an admin has set, if any."""
    return derived(key) if chosen is None else chosen


def fault(duid: bytes) -> str | None:
    """Return what keeps octets from being a server's DUID; None: nothing does."""
    if not SHORTEST <= len(duid) <= LONGEST:
        return f"must be {SHORTEST} to {LONGEST} octets (RFC 8415 section 11.1)"
    kind = int.from_bytes(duid[:2], "big")
    if not kind or not any(duid[2:]):
        return "must begin with its type, such as 00:01, and must not consist of zeros"
    if kind in FEWEST and len(duid) < FEWEST[kind]:
        return f"of type {kind} must be {FEWEST[kind]} octets or more (RFC 8415 section 11)"
    if kind == UUID_TYPE and len(duid) != OF_UUID:
        return f"of type {kind} is {OF_UUID} octets: a UUID (RFC 6355)"
    return None
