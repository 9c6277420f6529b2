"""What the data of each DHCPv6 option says, by code: the layouts of the RFCs that the option table cites.

`read(code, data)` gives a payload as plain values: addresses and names as text, numbers, octets. It knows nothing of
the option table, so that the table's kinds can be checked against it. None: the data is not what the RFC lays out.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import partial
from typing import Any

from oracle.options4 import number
from oracle.options6 import walk
from oracle.values6 import addresses, domain_names, ntp_servers, remote_id, resolver, tuples

Reader = Callable[[bytes], Any]


def one_address(data: bytes) -> str | None:
    found = addresses(data)
    return str(found[0]) if found and len(found) == 1 else None


def address_list(data: bytes) -> list[str] | None:
    found = addresses(data)
    return None if found is None else [str(address) for address in found]


def maybe_addresses(data: bytes) -> list[str] | None:
    """RFC 7341 7.2: no address at all means the multicast one."""
    return address_list(data) if data else []


def one_name(data: bytes) -> str | None:
    found = domain_names(data)
    return found[0] if found and len(found) == 1 else None


def name_list(data: bytes) -> list[str] | None:
    return domain_names(data) or None


def whole(data: bytes, *, size: int) -> int | None:
    return number(data) if len(data) == size else None


def number_list(data: bytes) -> list[int] | None:
    if len(data) % 2:
        return None
    return [code for (code,) in struct.iter_unpack("!H", data)]


def text(data: bytes) -> str | None:
    """RFC 7227 5.8: UTF-8 without an end mark."""
    try:
        return data.decode() or None
    except UnicodeDecodeError:
        return None


def nothing(data: bytes) -> bool | None:
    return True if data == b"" else None


def pairs(data: bytes) -> list[tuple[int, bytes]] | None:
    found = walk(data)
    return list(found.options) if found.exact and found.options else None


def vendor_pairs(data: bytes) -> tuple[int, list[tuple[int, bytes]]] | None:
    """RFC 8415 21.17: an enterprise number, and options of its own numbering."""
    inside = pairs(data[4:]) if len(data) >= 4 else None
    return None if inside is None else (number(data[:4]), inside)


def time_servers(data: bytes) -> list[str] | None:
    found = walk(data)
    return (ntp_servers(found.options) or None) if found.exact else None


def group(codes: tuple[int, ...], reader: Reader) -> dict[int, Reader]:
    return dict.fromkeys(codes, reader)


READERS: dict[int, Reader] = {
    **group((12, 72, 80, 90), one_address),
    **group((22, 23, 27, 28, 31, 34, 40, 48, 52, 86, 142, 143), address_list),
    **group((29, 30, 49, 51, 57, 64, 65, 73, 141, 145), one_name),
    **group((21, 24, 33, 58), name_list),
    **group((7, 19), partial(whole, size=1)),
    **group((8, 105, 135), partial(whole, size=2)),
    **group((32, 46, 82, 83, 100, 101, 102, 109), partial(whole, size=4)),
    **group((6, 43, 61, 111), number_list),
    **group((41, 42, 59, 76, 77, 103, 106, 107, 110, 112), text),
    **group((14, 20, 148), nothing),
    **group((15, 60, 136), tuples),
    **group((54, 55, 94, 95, 96, 97), pairs),
    17: vendor_pairs,
    37: remote_id,
    56: time_servers,
    88: maybe_addresses,
    144: resolver,
}


def read(code: int, data: bytes) -> Any:
    """The payload; of a code without a layout here its octets."""
    return READERS[code](data) if code in READERS else data
