"""IPv4 networks in the form of IPv6 (RFC 4291 section 2.5.5.2) are in no plan: packets never bear them."""

from typing import Any

import httpx
import pytest


@pytest.mark.parametrize(
    ("cidr", "instead"),
    [
        ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
        ("::ffff:0:0/96", "0.0.0.0/0"),
        ("::FFFF:c000:0201/128", "192.0.2.1/32"),
    ],
)
@pytest.mark.parametrize(
    ("path", "fields", "field"),
    [
        ("/prefixes", {}, "cidr"),
        ("/trusted-relays", {}, "cidr"),
        ("/tokens", {"name": "x", "role": "viewer"}, "allowed_cidrs"),
    ],
)
async def test_they_are_refused(
    admin: httpx.AsyncClient, refused: Any, path: str, fields: Any, field: str, cidr: str, instead: str
) -> None:
    value = [cidr] if field == "allowed_cidrs" else cidr
    details = refused(await admin.post(path, json=fields | {field: value}), 422, "validation_error")
    assert details["field"].startswith(field)
    assert instead in details["reason"]


async def test_what_contains_them_is_a_network_as_any(make: Any) -> None:
    assert (await make("/prefixes", cidr="::/0"))["cidr"] == "::/0"
