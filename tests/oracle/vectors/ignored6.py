"""A message for each malformed or repeated option that is ignored and counted (decisions: Malformed options).

`ignored` are the codes that the server counts, of relays' options too; 0 stands for an option whose header is cut off,
and for a code above 255.
"""

from __future__ import annotations

from typing import Any

from oracle.vectors.malformed6 import ADDRESS, CARRIED, ENVELOPE, ID, NUMBERED, SERVER, START
from oracle.vectors.vector6 import Vector6, good

CLIENT = (1, "000301")
Beside = tuple[tuple[int, str], ...]


def ignores(
    name: str, written: str, *codes: int, beside: Beside = (), leases: tuple[str, ...] = ()
) -> Vector6:
    """A SOLICIT with these octets, its options `beside` the client's identifier, and the codes that do not count."""
    return good(name, f"{START} {written}", [CLIENT, *beside], leases, ignored=frozenset(codes))


def option(code: int, written: str, *, wrong: str) -> Vector6:
    """One malformed option before a good one."""
    wishes = (6, "0017") if code != 6 else (14, "")
    behind = "0006 0002 0017" if code != 6 else "000e 0000"
    return ignores(f"option {code}: {wrong}", f"{written} {behind}", code, beside=(wishes,))


LENGTHS = [
    option(2, "0002 0000", wrong="empty"),
    option(2, "0002 0002 0003", wrong="a type and nothing else"),
    option(2, "0002 0083 aa*131", wrong="131 octets"),
    option(3, "0003 0000", wrong="empty"),
    option(3, "0003 000b 00*11", wrong="eleven octets"),
    option(4, "0004 0003 00*3", wrong="three octets"),
    option(25, "0019 000b 00*11", wrong="eleven octets"),
    option(25, "0019 0004 00*4", wrong="a number and no times"),
    option(6, "0006 0001 17", wrong="one octet"),
    option(6, "0006 0003 001700", wrong="three octets"),
    option(8, "0008 0000", wrong="empty"),
    option(8, "0008 0001 00", wrong="one octet"),
    option(8, "0008 0004 00000000", wrong="four octets"),
    option(14, "000e 0001 01", wrong="with a value"),
    option(20, "0014 0001 00", wrong="with a value"),
    option(15, "000f 0004 0005 'ab'", wrong="a class that overruns it"),
    option(15, "000f 0001 00", wrong="one octet"),
    option(16, "0010 0003 00*3", wrong="not all of its enterprise"),
    option(16, "0010 0008 00000137 0009 'ab'", wrong="a class that overruns it"),
    option(17, "0011 0006 0000118b 0001", wrong="half an option header"),
    option(39, "0027 0005 00 09 'abc'", wrong="a label that overruns it"),
    option(39, "0027 0003 00 c000", wrong="compressed"),
    option(39, "0027 0000", wrong="no flags"),
    option(39, "0027 0007 00 0161 00 0162 00", wrong="two names"),
    option(61, "003d 0000", wrong="empty"),
    option(61, "003d 0003 000700", wrong="three octets"),
    option(62, "003e 0002 0103", wrong="two octets"),
    good(
        "information-request that names a server by one octet",
        f"0b 0000bd {ID} 0002 0001 00",
        [CLIENT],
        ignored=frozenset({2}),
        server_id=None,
    ),
    good(
        "information-request with an association that is too short",
        f"0b 0000bd {ID} 0003 0004 00*4",
        [CLIENT],
        ignored=frozenset({3}),
    ),
]

HELD = f"00*12 0005 0018 {ADDRESS}"
HELD_SIZE = 12 + 4 + 24
PREFIX = "00*8 38 20010db8000700 00*9"


def inside(name: str, code: int, value: str, size: int, *codes: int, lease: str) -> Vector6:
    """One association with malformed options in it; it is used without them."""
    written = f"{code:04x} {size:04x} {value}"
    return ignores(name, written, *codes, beside=((code, value),), leases=(lease,))


ASSOCIATIONS = [
    inside("half an option header in an IA_NA", 3, "00*12 0005", 14, 3, lease="na 0"),
    inside("three octets in an IA_TA", 4, "00*4 000d00", 7, 4, lease="ta 0"),
    inside("one octet in an IA_NA", 3, "00*12 00", 13, 3, lease="na 0"),
    inside("an address longer than its IA_NA", 3, f"00*12 0005 0019 {ADDRESS}", HELD_SIZE, 3, lease="na 0"),
    inside("a prefix cut off in its IA_PD", 25, "00*12 001a 0019 000000", 19, 25, lease="pd 0"),
    inside("an address of 23 octets", 3, "00*12 0005 0017 00*23", 39, 5, lease="na 0"),
    inside("an empty address", 3, "00*12 0005 0000", 16, 5, lease="na 0"),
    inside("a temporary address of 20 octets", 4, "00*4 0005 0014 00*20", 28, 5, lease="ta 0"),
    inside("a prefix of 24 octets", 25, "00*12 001a 0018 00*24", 40, 26, lease="pd 0"),
    inside("a prefix of /129", 25, "00*12 001a 0019 00*8 81 00*16", 41, 26, lease="pd 0"),
    inside("a prefix of /255", 25, "00*12 001a 0019 00*8 ff 00*16", 41, 26, lease="pd 0"),
    inside("a prefix of /0 is one", 25, "00*12 001a 0019 00*8 00 00*16", 41, lease="pd 0 ::/0"),
    inside("a status of one octet, which nobody reads", 3, "00*12 000d 0001 00", 17, lease="na 0"),
    inside(
        "an empty address before a good one",
        3,
        f"00*12 0005 0000 0005 0018 {ADDRESS}",
        HELD_SIZE + 4,
        5,
        lease="na 0 2001:db8:1::5",
    ),
    inside(
        "a good address before two bad ones",
        3,
        f"{HELD} 0005 0002 2001 0005 0003 200100",
        HELD_SIZE + 13,
        5,
        lease="na 0 2001:db8:1::5",
    ),
    inside(
        "a good address before an option cut off",
        3,
        f"{HELD} 000d 0009 0000",
        HELD_SIZE + 6,
        3,
        lease="na 0 2001:db8:1::5",
    ),
    inside(
        "a bad address, and one cut off",
        3,
        "00*12 0005 0000 0005 0018 00",
        21,
        *(3, 5),
        lease="na 0",
    ),
    inside(
        "a prefix of /129 before a good one",
        25,
        f"00*12 001a 0019 00*8 81 00*16 001a 0019 {PREFIX}",
        70,
        26,
        lease="pd 0 2001:db8:7::/56",
    ),
    inside(
        "an address with half a status",
        3,
        f"00*12 0005 001a {ADDRESS} 000d",
        HELD_SIZE + 2,
        5,
        lease="na 0 2001:db8:1::5",
    ),
    inside(
        "a prefix with an option cut off",
        25,
        f"00*12 001a 001e {PREFIX} 0043 0002 40",
        46,
        26,
        lease="pd 0 2001:db8:7::/56",
    ),
    inside(
        "a prefix without the bits of the excluded one",
        25,
        f"00*12 001a 001e {PREFIX} 0043 0001 40",
        46,
        67,
        lease="pd 0 2001:db8:7::/56",
    ),
    inside(
        "an excluded prefix as long as the prefix",
        25,
        f"00*12 001a 001e {PREFIX} 0043 0001 38",
        46,
        67,
        lease="pd 0 2001:db8:7::/56",
    ),
    inside(
        "an excluded prefix of /129",
        25,
        f"00*12 001a 0028 {PREFIX} 0043 000b 81 00*10",
        56,
        67,
        lease="pd 0 2001:db8:7::/56",
    ),
    inside("a prefix where addresses belong is none", 3, "00*12 001a 0019 00*25", 41, lease="na 0"),
    inside(
        "an address where prefixes belong is none", 25, f"00*12 0005 0018 {ADDRESS}", HELD_SIZE, lease="pd 0"
    ),
    inside("a malformed address where none belongs", 25, "00*12 0005 0001 00", 17, lease="pd 0"),
    good(
        "an association that is too short, before a good one of its number",
        f"{START} 0003 0004 00000001 0003 000c 00000001 00*8",
        [CLIENT, (3, "00000001 00*8")],
        ("na 1",),
        ignored=frozenset({3}),
    ),
    good(
        "eight associations, another that is too short, and one that is repeated",
        f"{START} {' '.join(NUMBERED[:8])} 0003 0004 00*4 {NUMBERED[3]}",
        [CLIENT, *((3, f"{number:08x} 00*8") for number in range(8))],
        tuple(f"na {number}" for number in range(8)),
        ignored=frozenset({3}),
    ),
]

CUT = [
    ignores("an option code as the last octets", "0006", 0),
    ignores("an option without the half of its length", "0006 00", 0),
    ignores("one octet behind the last option", "00", 0),
    ignores("an identifier's code and half its length as the last octets", "0001 00", 0),
    ignores("an option's header as the last octets", "0006 0002", 6),
    ignores("an option longer than the message", "0006 0004 0017", 6),
    ignores("options before the one cut off count", "0006 0002 0017 0008 0002 00", 8, beside=((6, "0017"),)),
    ignores("a list of wishes, and one cut off", "0006 0002 0017 0006 0002 00", 6, beside=((6, "0017"),)),
    ignores("an association longer than the message", "0003 0028 00*12 0005 0018 00*3", 3),
    ignores("an option that nobody reads cut off", "0063 0001", 99),
    ignores("an option of a high code cut off", "ffff 0001", 0),
]

TWICE = [
    ignores("the same client twice", ID, 1),
    ignores("the same client three times", f"{ID} {ID}", 1),
    good(
        "a server, and a malformed one",
        f"03 0000bd {ID} {SERVER} 0002 0001 00",
        [CLIENT, (2, "000399")],
        ignored=frozenset({2}),
    ),
    ignores("two lists of wishes", "0006 0002 0017 0006 0002 0018", beside=((6, "0017"),)),
    ignores(
        "a malformed list of wishes, then a good one", "0006 0001 17 0006 0002 0018", 6, beside=((6, "0018"),)
    ),
    ignores("two times elapsed", "0008 0002 0001 0008 0002 0002", beside=((8, "0001"),)),
    ignores("two rapid commits", "000e 0000 000e 0000", beside=((14, ""),)),
    ignores("two willing to reconfigure", "0014 0000 0014 0000", beside=((20, ""),)),
    ignores("two names", "0027 0001 01 0027 0001 00", beside=((39, "01"),)),
    ignores("two architectures", "003d 0002 0007 003d 0002 0010", beside=((61, "0007"),)),
    good(
        "the server that is named twice is one",
        f"03 0000bd {ID} {SERVER} {SERVER}",
        [CLIENT, (2, "000399")],
        ignored=frozenset({2}),
    ),
    ignores(
        "two vendor classes, one malformed",
        "0010 0003 000000 0010 0008 00000137 0002 'ab'",
        16,
        beside=((16, "00000137 0002 'ab'"),),
    ),
    ignores(
        "two associations of one number",
        f"0003 0028 {HELD} 0003 000c 00*12",
        3,
        beside=((3, HELD),),
        leases=("na 0 2001:db8:1::5",),
    ),
    ignores(
        "two associations of one number: the first has no address",
        f"0003 000c 00*12 0003 0028 {HELD}",
        3,
        beside=((3, "00*12"),),
        leases=("na 0",),
    ),
    ignores(
        "three associations for prefixes, two of one number",
        "0019 000c 00*12 0019 000c 00000001 00*8 0019 000c 00*12",
        25,
        beside=((25, "00*12"), (25, "00000001 00*8")),
        leases=("pd 0", "pd 1"),
    ),
    ignores(
        "one number in associations of three kinds",
        "0003 000c 00*12 0004 0004 00*4 0019 000c 00*12",
        beside=((3, "00*12"), (4, "00*4"), (25, "00*12")),
        leases=("na 0", "ta 0", "pd 0"),
    ),
    ignores(
        "what is wrong in a repeated association is not counted besides",
        "0003 000c 00*12 0003 0010 00*12 0005 0000",
        3,
        beside=((3, "00*12"),),
        leases=("na 0",),
    ),
]


def relayed(name: str, options: str, *codes: int, behind: str = "", **says: Any) -> Vector6:
    """A SOLICIT in an envelope with these options before the message, and octets behind it."""
    return good(name, f"{ENVELOPE} {options} {CARRIED} {behind}", [CLIENT], ignored=frozenset(codes), **says)


RELAYS = [
    relayed("a remote id without all of its enterprise", "0025 0003 00*3", 37),
    relayed("a hardware address without its type", "004f 0001 00", 79, hardware=[None]),
    relayed("a source port of no octets", "0087 0000", 135, source_ports=[None]),
    relayed("a source port of four octets", "0087 0004 00*4", 135, source_ports=[None]),
    relayed("a list to echo of three octets", "002b 0003 001200", 43),
    relayed("a relay's identifier that is a type and nothing else", "0035 0002 0003", 53),
    relayed("a relay's identifier of 131 octets", "0035 0083 aa*131", 53),
    relayed(
        "a supplied option cut off, behind a whole one",
        "0042 000a 0017 0001 20 0018 0010 20",
        66,
        supplied=[((23, b"\x20"),)],
    ),
    relayed(
        "an option cut off behind the message",
        "0012 0001 07",
        18,
        behind="0012 0002 07",
        interface_ids=[b"\7"],
    ),
    relayed("one octet behind the message", "", 0, behind="00"),
    relayed("a second message that is cut off", "", 9, behind="0009 000c 01"),
    relayed(
        "a malformed source port before a good one",
        "0087 0000 0087 0002 0400",
        135,
        source_ports=[1024],
    ),
    good(
        "malformed options of relay and client",
        f"{ENVELOPE} 004f 0001 00 0009 0010 {START} 0006 0001 17",
        [CLIENT],
        ignored=frozenset({79, 6}),
    ),
]

NAMELESS = [
    good(
        "a virtual network without its type",
        f"{ENVELOPE} 0044 0000 {CARRIED}",
        [CLIENT],
        ignored=frozenset({68}),
    ),
    ignores("a client's virtual network without its type", "0044 0000", 68, beside=((68, ""),)),
]

REGISTRATIONS = [
    good(
        "registration of one address twice",
        f"24 0000bd {ID} 0005 0018 {ADDRESS} 0005 0018 {ADDRESS}",
        [CLIENT, (5, ADDRESS)],
        ignored=frozenset({5}),
    ),
    good(
        "registration of an address with half an option",
        f"24 0000bd {ID} 0005 001a {ADDRESS} 000d",
        [CLIENT, (5, f"{ADDRESS} 000d")],
        ignored=frozenset({5}),
    ),
    good(
        "registration of one address, and of one that is too short",
        f"24 0000bd {ID} 0005 0014 00*20 0005 0018 {ADDRESS}",
        [CLIENT, (5, ADDRESS)],
        ignored=frozenset({5}),
    ),
    good(
        "registration with a malformed list of wishes",
        f"24 0000bd {ID} 0005 0018 {ADDRESS} 0006 0001 17",
        [CLIENT, (5, ADDRESS)],
        ignored=frozenset({6}),
    ),
]

NOT_MALFORMED = [
    ignores("an address outside of any association is none", f"0005 0018 {ADDRESS}", beside=((5, ADDRESS),)),
    ignores("nor is one that is too short", "0005 0001 00", beside=((5, "00"),)),
    good("no wishes", f"{START} 0006 0000", [CLIENT, (6, "")], requested=[], ignored=frozenset()),
    good(
        "a name without octets behind the flags",
        f"{START} 0027 0001 00",
        [CLIENT, (39, "00")],
        ignored=frozenset(),
    ),
    good(
        "an identifier that is a type and one octet",
        f"{START}",
        [CLIENT],
        client_id=bytes([0, 3, 1]),
        ignored=frozenset(),
    ),
]

IGNORED = [*LENGTHS, *ASSOCIATIONS, *CUT, *TWICE, *RELAYS, *NAMELESS, *REGISTRATIONS, *NOT_MALFORMED]
