"""What a lease tells of its device, as people read it: option 60 and the list of option 55, or those of DHCPv6."""

import struct
from collections.abc import Iterator

from ipam_core.model.values import text_or_octets


def vendor_class(octets: bytes | None, family: int) -> str | None:
    """Of DHCPv4 the text; of DHCPv6 (RFC 8415 section 21.16) the enterprise number and each text behind it. Octets
    where it is neither."""
    if octets is None:
        return None
    texts = list(pieces(octets[4:])) if family == 6 else []
    if not texts:
        return text_or_octets(octets)
    return " ".join([str(int.from_bytes(octets[:4], "big")), *map(text_or_octets, texts)])


def pieces(octets: bytes) -> Iterator[bytes]:
    """Each with its length in two octets before it; the last may have been cut to what is kept."""
    while len(octets) > 2:
        length = int.from_bytes(octets[:2], "big")
        yield octets[2 : 2 + length]
        octets = octets[2 + length :]


def parameter_list(octets: bytes | None, family: int) -> list[int] | None:
    """Codes of options in the order in which they were asked for; of DHCPv6 each has two octets."""
    if octets is None:
        return None
    if family == 4:
        return list(octets)
    count = len(octets) // 2
    return list(struct.unpack(f"!{count}H", octets[: 2 * count]))
