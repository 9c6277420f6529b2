"""Device of a lease, as people read it: options 60, 77, 93 and the list of option 55, or DHCPv6's."""

import struct
from collections.abc import Iterator

from ipam_core.model.values import text_or_octets


def vendor_class(octets: bytes | None, family: int) -> str | None:
    """Return the vendor class: of DHCPv4 the text; of DHCPv6 (RFC 8415 section 21.16) the enterprise number and each
    text behind it. Octets where it is neither."""
    if octets is None:
        return None
    texts = list(pieces(octets[4:])) if family == 6 else []
    if not texts:
        return text_or_octets(octets)
    return " ".join([str(int.from_bytes(octets[:4], "big")), *map(text_or_octets, texts)])


def pieces(octets: bytes) -> Iterator[bytes]:
    """Yield each with its length in two octets before it; the last may have been cut to what is kept."""
    while len(octets) > 2:
        length = int.from_bytes(octets[:2], "big")
        yield octets[2 : 2 + length]
        octets = octets[2 + length :]


def parameter_list(octets: bytes | None, family: int) -> list[int] | None:
    """Return codes of options in the order in which they were asked for; of DHCPv6 each has two octets."""
    if octets is None:
        return None
    if family == 4:
        return list(octets)
    count = len(octets) // 2
    return list(struct.unpack(f"!{count}H", octets[: 2 * count]))


USER_CLASS = {4: 77, 6: 15}
ARCHITECTURE = {4: 93, 6: 61}


def client_options(octets: bytes | None) -> dict[int, bytes]:
    """Return the first option of each code in a row's `client_options`: code and length in two octets each, then the
    value."""
    found: dict[int, bytes] = {}
    while octets and len(octets) >= 4:
        code, length = struct.unpack_from("!HH", octets)
        found.setdefault(code, octets[4 : 4 + length])
        octets = octets[4 + length :]
    return found


def user_class(octets: bytes | None, family: int) -> list[str] | None:
    """Return each class of option 77 (RFC 3004 section 4; a bare text, as many boot loaders send, is one) or DHCPv6's
    15."""
    value = client_options(octets).get(USER_CLASS[family])
    if value is None:
        return None
    size = 1 if family == 4 else 2
    found, rest = [], value
    while len(rest) >= size and len(rest) >= size + int.from_bytes(rest[:size], "big"):
        length = int.from_bytes(rest[:size], "big")
        found.append(text_or_octets(rest[size : size + length]))
        rest = rest[size + length :]
    return [text_or_octets(value)] if rest else found


def architecture(octets: bytes | None, family: int) -> list[int] | None:
    """Return numbers of two octets each (RFC 4578 section 2.1, RFC 5970 section 3.3)."""
    value = client_options(octets).get(ARCHITECTURE[family])
    if value is None:
        return None
    count = len(value) // 2
    return list(struct.unpack(f"!{count}H", value[: 2 * count]))
