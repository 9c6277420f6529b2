"""Option 81 (RFC 4702): who updates DNS, what the client is called, and what the lease row bears.

The subnet's ddns_* switches decide; `N E O S` are the flags' bits from left to right (section 2.1).
"""

from __future__ import annotations

from typing import Any

import pytest
from engine.serving import Relay, Servers, mac_of
from engine.site import Site, Subnet
from oracle import packets as say
from oracle.message4 import Message
from oracle.packets import Packet

pytestmark = pytest.mark.shared_server

MAC = mac_of(1)
S, O, E, N = 1, 2, 4, 8  # noqa: E741 - the RFC's names
ON = {"ddns_enabled": True, "ddns_domain": "example.test"}
LISTED = ON | {"ddns_client_domains": ["other.test", "Lab.test."]}


async def serve(site: Site, servers: Servers, **fields: Any) -> tuple[Subnet, Relay]:
    subnet = await site.subnet(5, **fields)
    await subnet.pool(100, 199)
    return subnet, servers.relay(await servers.start(), subnet.relay)


def wire(*labels: str, rooted: bool = True) -> bytes:
    return b"".join(bytes([len(label)]) + label.encode() for label in labels) + b"\0" * rooted


def in_wire_form(flags: int, name: bytes) -> Packet:
    return say.discover(MAC).option(81, bytes([flags | E, 0, 0]) + name)


def told(reply: Message) -> tuple[int, bytes]:
    """Flags and name; the response codes are 255 (section 2.2). A complete name in ASCII ends with a dot (section
    2.3.1), which is left out here."""
    option = reply.options[81]
    assert option[1:3] == b"\xff\xff"
    name = option[3:]
    if not option[0] & E and b"." in name:
        assert name.endswith(b".")
        name = name[:-1]
    return option[0], name


FLAGS: list[tuple[str, dict[str, Any], int, int]] = [
    ("4: DNS is not updated here, and the client may", {}, 0, N),
    ("4: nor for who wants the server to", {}, S, N | O),
    ("4: nor for who wants no update", {}, N, N),
    ("4: the server updates as it is asked to", ON, S, S),
    ("4: the client updates its A record itself", ON, 0, 0),
    ("4: nobody updates", ON, N, N),
    ("2.1: N counts, whatever S beside it says", ON, N | S, N),
    ("2.1: O in a request means nothing", ON, S | O, S),
    ("2.1: bits that must be zero are not returned", ON, S | 0xF0, S),
    ("ddns_override_client_update", ON | {"ddns_override_client_update": True}, 0, S | O),
    ("the same where the client agrees", ON | {"ddns_override_client_update": True}, S, S),
    ("the same does not override N", ON | {"ddns_override_client_update": True}, N, N),
    ("ddns_override_no_update", ON | {"ddns_override_no_update": True}, N, S | O),
    ("the same does not override the client's own update", ON | {"ddns_override_no_update": True}, 0, 0),
    ("switches mean nothing where ddns_enabled is false", {"ddns_override_client_update": True}, 0, N),
    ("there is no domain for a name", {"ddns_enabled": True}, S, N | O),
]


@pytest.mark.parametrize(("why", "fields", "asked", "given"), FLAGS, ids=[row[0] for row in FLAGS])
@pytest.mark.parametrize("form", [0, E])
async def test_who_updates_dns(
    form: int, why: str, fields: dict[str, Any], asked: int, given: int, site: Site, servers: Servers
) -> None:
    """Sections 2.1 and 4, in either encoding; E comes back as it came."""
    _, relay = await serve(site, servers, **fields)
    name = wire("host", "example", "test") if form else b"host.example.test"
    offer = await relay.offer(say.discover(MAC).option(81, bytes([asked | form, 0, 0]) + name))
    if fields == {"ddns_enabled": True}:
        name = wire("host", rooted=False) if form else b"host"
    assert told(offer) == (given | form, name)


NAMES: list[tuple[str, dict[str, Any], int, bytes, bytes, str | None]] = [
    ("2.3.2: ASCII, partial", ON, 0, b"host", b"host.example.test", "host.example.test"),
    ("2.3.2: ASCII, whole", ON, 0, b"host.other.test", b"host.example.test", "host.example.test"),
    (
        "2.3.2: ASCII, with its last dot",
        ON,
        0,
        b"host.other.test.",
        b"host.example.test",
        "host.example.test",
    ),
    ("a domain that is listed", LISTED, 0, b"host.Other.test.", b"host.Other.test", "host.Other.test"),
    (
        "below one that is listed",
        LISTED,
        0,
        b"host.sub.other.test",
        b"host.example.test",
        "host.example.test",
    ),
    ("above one that is listed", LISTED, 0, b"host.test", b"host.example.test", "host.example.test"),
    ("beside one that is listed", LISTED, 0, b"host.another.test", b"host.example.test", "host.example.test"),
    (
        "the second that is listed, mapped",
        LISTED,
        0,
        b"-my_host-.lab.test",
        b"my-host.lab.test",
        "my-host.lab.test",
    ),
    ("a listed one of a blocked label", LISTED, 0, b"wpad.lab.test", b"", None),
    (
        "the forward zone",
        {"ddns_enabled": True, "ddns_forward_zone": "f.test."},
        0,
        b"a.b",
        b"a.f.test",
        "a.f.test",
    ),
    ("2.3.2: ASCII, ended as a C string", ON, 0, b"host\0", b"host.example.test", "host.example.test"),
    (
        "2.3.1: wire, partial",
        ON,
        E,
        wire("host", rooted=False),
        wire("host", "example", "test"),
        "host.example.test",
    ),
    (
        "2.3.1: wire, partial of two labels",
        ON,
        E,
        wire("host", "lab", rooted=False),
        wire("host", "example", "test"),
        "host.example.test",
    ),
    (
        "2.3.1: wire, whole",
        ON,
        E,
        wire("host", "other", "test"),
        wire("host", "example", "test"),
        "host.example.test",
    ),
    ("no domain is configured", {"ddns_enabled": True}, 0, b"host", b"host", "host"),
    (
        "no domain, wire",
        {"ddns_enabled": True},
        E,
        wire("host", rooted=False),
        wire("host", rooted=False),
        "host",
    ),
    ("DNS is not updated here", {"ddns_domain": "example.test"}, 0, b"host", b"host", "host"),
    ("the domain's last dot", ON | {"ddns_domain": "a.test."}, 0, b"host", b"host.a.test", "host.a.test"),
    ("sanitised", ON, 0, b"Jo's PC", b"Jo-s-PC.example.test", "Jo-s-PC.example.test"),
    ("sanitised, wire", ON, E, wire("a.b\0c"), wire("a-b-c", "example", "test"), "a-b-c.example.test"),
    ("hyphens at the ends", ON, 0, b"_-x_y-_", b"x-y.example.test", "x-y.example.test"),
    ("blocked", ON, 0, b"WPAD", b"", None),
    ("blocked, whole", ON, 0, b"isatap.other.test", b"", None),
    ("blocked after the mapping", ON, 0, b"_localhost", b"", None),
    ("begins as a blocked one", ON, 0, b"wpad2", b"wpad2.example.test", "wpad2.example.test"),
    ("nothing is left", ON, 0, b"-_-", b"", None),
    ("nothing is left, wire", ON, E, wire("-", "other", "test"), b"", None),
    ("DNS is not updated, nothing said", {}, 0, b"", b"", None),
]


@pytest.mark.parametrize(
    ("why", "fields", "form", "sent", "given", "stored"), NAMES, ids=[row[0] for row in NAMES]
)
async def test_what_the_client_is_called(
    why: str,
    fields: dict[str, Any],
    form: int,
    sent: bytes,
    given: bytes,
    stored: str | None,
    site: Site,
    servers: Servers,
) -> None:
    """Sections 2.3 and 4: the server says the name that it will use, and the lease bears it."""
    _, relay = await serve(site, servers, **fields)
    ack = await relay.lease(MAC, say.discover(MAC).option(81, bytes([S | form, 0, 0]) + sent))
    assert told(ack)[1] == given
    assert (await site.lease(ack.yiaddr))["hostname"] == stored


REPLACED: list[tuple[str, bytes, bool]] = [
    ("never", b"host", False),
    ("never", b"", True),
    ("always", b"host", True),
    ("always", b"", True),
    ("when_present", b"host", True),
    ("when_present", b"", True),
    ("when_not_present", b"host", False),
    ("when_not_present", b"", True),
]


@pytest.mark.parametrize(("mode", "sent", "replaced"), REPLACED)
@pytest.mark.parametrize("prefix", ["host", "dyn"])
async def test_names_made_of_the_address(
    mode: str, sent: bytes, replaced: bool, prefix: str, site: Site, servers: Servers
) -> None:
    """ddns_replace_client_name and ddns_generated_prefix; an empty name leaves it to the server (section 3.1)."""
    _, relay = await serve(site, servers, **ON, ddns_replace_client_name=mode, ddns_generated_prefix=prefix)
    discover = say.discover(MAC).option(81, bytes([S, 0, 0]) + sent)
    offer = await relay.offer(discover)
    made = f"{prefix}-{str(offer.yiaddr).replace('.', '-')}.example.test"
    expected = made if replaced else "host.example.test"
    assert told(offer)[1].decode() == expected
    ack = await relay.select(MAC, offer, discover)
    assert told(ack)[1].decode() == expected
    assert (await site.lease(ack.yiaddr))["hostname"] == expected
    renewed = await relay.ack(say.request_renewing(MAC, ack.yiaddr).option(81, bytes([S, 0, 0]) + sent))
    assert told(renewed)[1].decode() == expected


async def test_only_who_sent_it_gets_it(site: Site, servers: Servers) -> None:
    """Section 3.1, 4: not to a client that did not send it, asked for in option 55 or not; not without a lease, not in
    a NAK."""
    subnet, relay = await serve(site, servers, **ON)
    assert 81 not in (await relay.lease(MAC, say.discover(MAC).asking(12, 81).hostname("host"))).options
    assert 81 not in (await relay.ack(say.inform(MAC, subnet.address(20)).fqdn("host", S))).options
    assert 81 not in (await relay.nak(say.request_init_reboot(MAC, "192.0.2.7").fqdn("host", S))).options
    assert (await site.lease((await relay.lease(MAC)).yiaddr))["hostname"] != "host.example.test"


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"\x01\x00",
        b"\x01\0\0a..b",
        b"\x01\0\0" + b"a" * 64,
        b"\x05\0\0\x05host",
        b"\x05\0\0\x04host\0more",
        b"\x05\0\0\xc0\x0c",
    ],
    ids=["empty", "short", "empty label", "long label", "cut off", "behind the root", "compressed"],
)
async def test_a_malformed_one_counts_as_not_sent(value: bytes, site: Site, servers: Servers) -> None:
    """The lease does not depend on it: the client is served, and called by option 12."""
    _, relay = await serve(site, servers, **ON)
    ack = await relay.lease(MAC, say.discover(MAC).hostname("plain").option(81, value))
    assert 81 not in ack.options
    assert (await site.lease(ack.yiaddr))["hostname"] == "plain"


@pytest.mark.parametrize(
    ("reserved", "expected"), [("printer", "printer.example.test"), ("printer.lab.test", "printer.lab.test")]
)
async def test_a_reservations_name_counts_before_the_clients(
    reserved: str, expected: str, site: Site, servers: Servers
) -> None:
    subnet = await site.subnet(5, **ON, ddns_replace_client_name="always")
    await subnet.reserve(42, mac=MAC, hostname=reserved)
    relay = servers.relay(await servers.start(), subnet.relay)
    ack = await relay.lease(MAC, in_wire_form(S, wire("mine", "other", "test")))
    assert told(ack) == (S | E, wire(*expected.split(".")))
    assert (await site.lease(ack.yiaddr))["hostname"] == expected


async def test_the_longest_names(site: Site, servers: Servers) -> None:
    """RFC 1035 2.3.4: 255 octets on the wire. Where a name and the domain do not fit, the client has none in DNS."""
    domain = ".".join(["b" * 63, "c" * 63, "d" * 60])
    _, relay = await serve(site, servers, ddns_enabled=True, ddns_domain=domain, ddns_client_domains=[domain])
    longest = wire("a" * 63, *domain.split("."))
    for sent in (longest, wire("a" * 63, rooted=False), wire("a" * 63, "b" * 63, "c" * 63, "d" * 61)):
        assert told(await relay.offer(in_wire_form(S, sent).max_size(1500))) == (S | E, longest)


async def test_a_name_that_does_not_fit_is_none(site: Site, servers: Servers) -> None:
    domain = ".".join(["b" * 63, "c" * 63, "d" * 62])
    _, relay = await serve(site, servers, ddns_enabled=True, ddns_domain=domain)
    offer = await relay.offer(in_wire_form(S, wire("a" * 63, rooted=False)).max_size(1500))
    assert told(offer) == (N | O | E, wire("a" * 63, rooted=False))


UNUSABLE: list[tuple[str, bytes, str]] = [
    ("never", b"wpad", ""),
    ("when_not_present", b"wpad", "dyn"),
    ("when_not_present", b"-", "dyn"),
    ("always", b"wpad", "dyn"),
    ("when_present", b"isatap.x", "dyn"),
]


@pytest.mark.parametrize(("mode", "sent", "prefix"), UNUSABLE)
async def test_a_name_that_no_client_has(
    mode: str, sent: bytes, prefix: str, site: Site, servers: Servers
) -> None:
    """The server says that it updates nothing, or what it makes instead."""
    _, relay = await serve(site, servers, **ON, ddns_replace_client_name=mode, ddns_generated_prefix="dyn")
    ack = await relay.lease(MAC, say.discover(MAC).option(81, bytes([S, 0, 0]) + sent))
    made = f"dyn-{str(ack.yiaddr).replace('.', '-')}.example.test" if prefix else None
    assert told(ack) == ((S, made.encode()) if made else (N | O, b""))
    assert (await site.lease(ack.yiaddr))["hostname"] == made


async def test_option_12_counts_where_option_81_has_no_usable_name(site: Site, servers: Servers) -> None:
    _, relay = await serve(site, servers, **ON)
    both = say.discover(MAC).hostname("plain_1.other.test").option(81, bytes([S, 0, 0]) + b"wpad")
    ack = await relay.lease(MAC, both)
    assert told(ack) == (S, b"plain-1.example.test")
    assert (await site.lease(ack.yiaddr))["hostname"] == "plain-1.example.test"


@pytest.mark.parametrize(("flags", "kept"), [(S, 5), (0, 4), (N, 6), (N | S, 6), (None, None)])
async def test_the_lease_keeps_what_the_client_asked(
    site: Site, servers: Servers, flags: int | None, kept: int | None
) -> None:
    """Workers decide by it; a renewal that says another thing is written although it comes early."""
    _, relay = await serve(site, servers, **ON)
    said = say.discover(MAC)
    if flags is not None:
        said = said.option(81, bytes([flags, 0, 0]) + b"laptop")
    address = (await relay.lease(MAC, said)).yiaddr
    assert (await site.lease(address))["fqdn_flags"] == kept
    again = say.request_renewing(MAC, address).option(81, bytes([N if flags == S else S, 0, 0]) + b"laptop")
    await relay.ack(again)
    assert (await site.lease(address))["fqdn_flags"] == (6 if flags == S else 5)


@pytest.mark.parametrize(("name", "kept"), [("laptop", 5 | 32), ("", 5 | 32 | 16)])
async def test_a_name_is_unmade_where_the_subnet_does_not_update_dns(
    site: Site, servers: Servers, name: str, kept: int
) -> None:
    """Workers make it should that change before the client renews its lease. The renewal that is told another name is
    written, although it comes early."""
    subnet, relay = await serve(site, servers, ddns_domain="example.test")
    address = (await relay.lease(MAC, say.discover(MAC).fqdn(name, S))).yiaddr
    found = await site.lease(address)
    assert (found["hostname"], found["fqdn_flags"]) == (name or None, kept)
    async with subnet.change():
        await subnet.set(ddns_enabled=True)
    ack = await relay.ack(say.request_renewing(MAC, address).fqdn(name, S))
    made = f"{name or 'host-' + str(address).replace('.', '-')}.example.test"
    assert told(ack) == (S, made.encode())
    found = await site.lease(address)
    assert (found["hostname"], found["fqdn_flags"]) == (made, 5)


@pytest.mark.parametrize("flags", [0, N])
async def test_a_reservations_name_is_the_servers_to_update(site: Site, servers: Servers, flags: int) -> None:
    """It stands in DNS whether its client is there or not, so the client is told that the server sees to it."""
    subnet = await site.subnet(5, **ON)
    await subnet.reserve(42, mac=MAC, hostname="printer")
    relay = servers.relay(await servers.start(), subnet.relay)
    ack = await relay.lease(MAC, say.discover(MAC).option(81, bytes([flags, 0, 0]) + b"laptop"))
    assert told(ack) == (S | O, b"printer.example.test")
    assert (await site.lease(ack.yiaddr))["fqdn_flags"] == 8
