"""A message for each way of being malformed, and for the neighbours that are the easiest to get wrong."""

from __future__ import annotations

from oracle.vectors.vector6 import Vector6, bad, good

ID = "0001 0003 000301"
SERVER = "0002 0003 000399"
START = f"01 0000bd {ID}"
ENVELOPE = "0c 00 20010db8000100000000000000000001 fe80000000000000000000fffe0000bd"
ADDRESS = "20010db8000100000000000000000005 00000000 00000000"


def option(code: int, written: str, *, wrong: str) -> Vector6:
    return bad(f"option {code}: {wrong}", f"{START} {written}", "option_length", code)


def inside(code: int, header: str, written: str, reason: str, at: int, *, wrong: str) -> Vector6:
    """An association with something wrong in it; the header leaves out its length."""
    return bad(f"in option {code}: {wrong}", f"{START} {header} {written}", reason, at)


HEADERS = [
    bad("nothing at all", "", "too_short"),
    bad("a type and nothing else", "01", "too_short"),
    bad("three octets", "01 0000", "too_short"),
    bad("type 0", f"00 0000bd {ID}", "message_type_unknown"),
    bad("type 14 (leasequery)", f"0e 0000bd {ID}", "message_type_unknown"),
    bad("type 255", f"ff 0000bd {ID}", "message_type_unknown"),
    bad("an advertise to a server", f"02 0000bd {ID}", "message_type_wrong_way"),
    bad("a reply to a server", f"07 0000bd {ID}", "message_type_wrong_way"),
    bad("a reconfigure to a server", f"0a 0000bd {ID}", "message_type_wrong_way"),
    bad("the answer to a registration, to a server", f"25 0000bd {ID}", "message_type_wrong_way"),
    bad(
        "a relay-reply to a server",
        f"0d {ENVELOPE.removeprefix('0c')} 0009 0004 01 0000bd",
        "message_type_wrong_way",
    ),
]

OVERRUNS = [
    bad("an option code as the last octets", f"{START} 0006", "option_overrun"),
    bad("an option without the half of its length", f"{START} 0006 00", "option_overrun"),
    bad("one octet behind the last option", f"{START} 00", "option_overrun"),
    bad("an option longer than the message", f"{START} 0006 0004 0017", "option_overrun"),
    bad("an identifier longer than the message", "01 0000bd 0001 ffff 000301", "option_overrun"),
    inside(3, "0003 000e 00*12", "0005", "option_overrun", 3, wrong="half an option header"),
    inside(3, "0003 0028 00*12", f"0005 0019 {ADDRESS}", "option_overrun", 3, wrong="an address too long"),
    inside(25, "0019 0013 00*12", "001a 0019 000000", "option_overrun", 25, wrong="a prefix cut off"),
    inside(3, "0003 002a 00*12", f"0005 001a {ADDRESS} 000d", "option_overrun", 5, wrong="half a status"),
    inside(4, "0004 0007 00*4", "000d00", "option_overrun", 4, wrong="three octets"),
]

LENGTHS = [
    bad("identifier of no octets", "01 0000bd 0001 0000", "option_length", 1),
    bad("identifier of one octet", "01 0000bd 0001 0001 00", "option_length", 1),
    bad("identifier that is a type and nothing else", "01 0000bd 0001 0002 0003", "option_length", 1),
    bad("identifier of 131 octets", "01 0000bd 0001 0083 0003 aa*129", "option_length", 1),
    bad("server's identifier of no octets", f"03 0000bd {ID} 0002 0000", "option_length", 2),
    bad("server's identifier of 131 octets", f"03 0000bd {ID} 0002 0083 aa*131", "option_length", 2),
    option(3, "0003 0000", wrong="empty"),
    option(3, "0003 000b 00*11", wrong="eleven octets"),
    option(4, "0004 0003 00*3", wrong="three octets"),
    option(25, "0019 000b 00*11", wrong="eleven octets"),
    option(25, "0019 0004 00*4", wrong="a number and no times"),
    option(6, "0006 0001 17", wrong="one octet"),
    option(6, "0006 0003 001700", wrong="three octets"),
    option(8, "0008 0000", wrong="empty"),
    option(8, "0008 0004 00000000", wrong="four octets"),
    option(14, "000e 0001 01", wrong="with a value"),
    option(20, "0014 0001 00", wrong="with a value"),
    inside(3, "0003 0027 00*12", "0005 0017 00*23", "option_length", 5, wrong="an address of 23 octets"),
    inside(3, "0003 0010 00*12", "0005 0000", "option_length", 5, wrong="an empty address"),
    inside(25, "0019 0028 00*12", "001a 0018 00*24", "option_length", 26, wrong="a prefix of 24 octets"),
    inside(25, "0019 0029 00*12", "001a 0019 00*8 81 00*16", "option_value", 26, wrong="a prefix of /129"),
    inside(3, "0003 0011 00*12", "000d 0001 00", "option_length", 13, wrong="a status of one octet"),
    inside(
        3,
        "0003 002d 00*12",
        f"0005 001d {ADDRESS} 000d 0001 00",
        "option_length",
        13,
        wrong="an address's status of one octet",
    ),
]

TWICE = [
    bad("two clients in one message", f"{START} 0001 0003 000302", "option_repeated", 1),
    bad("the same client twice", f"{START} {ID}", "option_repeated", 1),
    bad("two servers named", f"03 0000bd {ID} {SERVER} {SERVER}", "option_repeated", 2),
    bad("two lists of wishes", f"{START} 0006 0002 0017 0006 0002 0018", "option_repeated", 6),
    bad("two times elapsed", f"{START} 0008 0002 0000 0008 0002 0000", "option_repeated", 8),
    bad("two rapid commits", f"{START} 000e 0000 000e 0000", "option_repeated", 14),
    bad("two associations of one number", f"{START} 0003 000c 00*12 0003 000c 00*12", "iaid_repeated", 3),
    bad(
        "two associations for prefixes of one number",
        f"{START} 0019 000c 00*12 0019 000c 00*12",
        "iaid_repeated",
        25,
    ),
]

# Section 16, by message. Information-request is the only one that needs no client.
DISCARDED = [
    *(
        bad(f"{name} without a client", f"{kind:02x} 0000bd 0008 0002 0000", "client_id_missing", 1)
        for kind, name in ((1, "solicit"), (4, "confirm"), (6, "rebind"), (36, "registration"))
    ),
    *(
        bad(f"{name} without a client", f"{kind:02x} 0000bd {SERVER}", "client_id_missing", 1)
        for kind, name in ((3, "request"), (5, "renew"), (8, "release"), (9, "decline"))
    ),
    *(
        bad(f"{name} that names no server", f"{kind:02x} 0000bd {ID}", "server_id_missing", 2)
        for kind, name in ((3, "request"), (5, "renew"), (8, "release"), (9, "decline"))
    ),
    *(
        bad(f"{name} that names a server", f"{kind:02x} 0000bd {ID} {SERVER}", "server_id_present", 2)
        for kind, name in ((1, "solicit"), (4, "confirm"), (6, "rebind"), (36, "registration"))
    ),
    *(
        bad(
            f"information-request with option {code:d}",
            f"0b 0000bd {code:04x} 000c 00*12",
            "ia_present",
            code,
        )
        for code in (3, 4, 25)
    ),
]

REGISTRATIONS = [
    bad("registration without an address", f"24 0000bd {ID}", "address_missing", 5),
    bad("registration of an association", f"24 0000bd {ID} 0003 000c 00*12", "address_missing", 5),
    bad("registration with wishes", f"24 0000bd {ID} 0005 0018 {ADDRESS} 0006 0002 0017", "oro_present", 6),
    bad(
        "registration of two addresses",
        f"24 0000bd {ID} 0005 0018 {ADDRESS} 0005 0018 {ADDRESS}",
        "option_repeated",
        5,
    ),
    bad("registration of 20 octets", f"24 0000bd {ID} 0005 0014 00*20", "option_length", 5),
    bad(
        "registration of another's address: the relay saw a different peer",
        f"{ENVELOPE} 0009 0027 24 0000bd {ID} 0005 0018 {ADDRESS}",
        "address_of_another",
        5,
    ),
]

# The option that relays a message stands behind whatever the envelope holds besides.
CARRIED = f"0009 000b {START}"
DEEP = "".join(f"0c 00 00*32 0009 {11 + 38 * depth:04x} " for depth in range(9, -1, -1))
RELAYS = [
    bad("an envelope's type and nothing else", "0c", "relay_too_short"),
    bad("an envelope without the peer's last octet", ENVELOPE.removesuffix("bd"), "relay_too_short"),
    bad("an envelope without options", ENVELOPE, "relay_message_missing", 9),
    bad("an envelope with an interface only", f"{ENVELOPE} 0012 0001 07", "relay_message_missing", 9),
    bad("an empty message in an envelope", f"{ENVELOPE} 0009 0000", "too_short"),
    bad("two messages in an envelope", f"{ENVELOPE} {CARRIED} {CARRIED}", "option_repeated", 9),
    bad("a message cut off in its envelope", f"{ENVELOPE} 0009 000c {START}", "option_overrun"),
    bad("an option cut off behind the message", f"{ENVELOPE} {CARRIED} 0012 0002 07", "option_overrun"),
    bad("hop count 9", ENVELOPE.replace("0c 00", "0c 09", 1) + CARRIED, "hop_count"),
    bad("hop count 255", ENVELOPE.replace("0c 00", "0c ff", 1) + CARRIED, "hop_count"),
    bad("ten envelopes", f"{DEEP} {START}", "relay_too_deep"),
    bad(
        "an inner envelope without a message",
        f"{ENVELOPE} 0009 0022 {ENVELOPE}",
        "relay_message_missing",
        9,
    ),
    bad("an inner envelope cut off", f"{ENVELOPE} 0009 0005 0c 00 000000", "relay_too_short"),
    bad(
        "a relay-reply inside a relay-forward",
        f"{ENVELOPE} 0009 0031 0d {ENVELOPE.removeprefix('0c')} {CARRIED}",
        "message_type_wrong_way",
    ),
    bad("a reply inside a relay-forward", f"{ENVELOPE} 0009 0004 07 0000bd", "message_type_wrong_way"),
    bad(
        "a remote id without all of its enterprise",
        f"{ENVELOPE} 0025 0003 00*3 {CARRIED}",
        "option_length",
        37,
    ),
    bad("a hardware address without its type", f"{ENVELOPE} 004f 0001 00 {CARRIED}", "option_length", 79),
    bad("a source port of no octets", f"{ENVELOPE} 0087 0000 {CARRIED}", "option_length", 135),
    bad("a source port of four octets", f"{ENVELOPE} 0087 0004 00*4 {CARRIED}", "option_length", 135),
    bad("a virtual network without its type", f"{ENVELOPE} 0044 0000 {CARRIED}", "option_length", 68),
    bad("a supplied option cut off", f"{ENVELOPE} 0042 0005 0017 0010 20 {CARRIED}", "option_overrun", 66),
]

# Nothing of these is refused: the option counts as absent, or stands where it means nothing.
ALONE = [(1, "000301")]
FORGIVEN = [
    good("user class that overruns itself", f"{START} 000f 0004 0005 'ab'", ALONE),
    good("user class of one octet", f"{START} 000f 0001 00", ALONE),
    good("vendor class without all of its enterprise", f"{START} 0010 0003 00*3", ALONE),
    good("vendor class that overruns itself", f"{START} 0010 0008 00000137 0009 'ab'", ALONE),
    good("vendor options that overrun themselves", f"{START} 0011 0006 0000118b 0001", ALONE),
    good("a name whose label overruns it", f"{START} 0027 0005 00 09 'abc'", ALONE),
    good("a name that is compressed", f"{START} 0027 0003 00 c000", ALONE),
    good("a name option without flags", f"{START} 0027 0000", ALONE),
    good("two names where one belongs", f"{START} 0027 0007 00 0161 00 0162 00", ALONE),
    good("an architecture of three octets", f"{START} 003d 0003 000700", ALONE),
    good("a network interface of two octets", f"{START} 003e 0002 0103", ALONE),
    good(
        "an address outside of any association is none",
        f"{START} 0005 0018 {ADDRESS}",
        [*ALONE, (5, ADDRESS)],
        (),
    ),
    good(
        "a prefix in an association for addresses is none",
        f"{START} 0003 0029 00*12 001a 0019 00*25",
        [*ALONE, (3, "00*12 001a 0019 00*25")],
        ("na 0",),
    ),
    good(
        "an address in an association for prefixes is none",
        f"{START} 0019 0028 00*12 0005 0018 {ADDRESS}",
        [*ALONE, (25, f"00*12 0005 0018 {ADDRESS}")],
        ("pd 0",),
    ),
    good(
        "a malformed address where none belongs is not looked at",
        f"{START} 0019 0011 00*12 0005 0001 00",
        [*ALONE, (25, "00*12 0005 0001 00")],
        ("pd 0",),
    ),
    good("no wishes", f"{START} 0006 0000", [*ALONE, (6, "")], requested=[]),
    good("a name without octets behind the flags", f"{START} 0027 0001 00", [*ALONE, (39, "00")]),
    good("an identifier that is a type and one octet", f"{START}", ALONE, client_id=bytes([0, 3, 1])),
]

MALFORMED = [*HEADERS, *OVERRUNS, *LENGTHS, *TWICE, *DISCARDED, *REGISTRATIONS, *RELAYS]
