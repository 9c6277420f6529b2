"""A message for each way of being malformed, and for the neighbours that are the easiest to get wrong."""

from __future__ import annotations

from oracle.vectors.vector import Vector, bad, good

HEADER = "01 01 06 00 0000ba0d 0000 0000 00*16 0200000000bd 00*10 00*64 00*128"
START = f"{HEADER} 63825363"
TYPED = f"{START} 350101"


def option(code: int, written: str, *, wrong: str) -> Vector:
    return bad(f"option {code}: {wrong}", f"{TYPED} {written} ff", "option_length", code)


HEADERS = [
    bad("nothing at all", "", "too_short"),
    bad("one octet", "01", "too_short"),
    bad("header cut before its last octet", HEADER.removesuffix("00*128") + "00*127", "too_short"),
    bad("header without a cookie", HEADER, "too_short"),
    bad("three octets of the cookie", f"{HEADER} 638253", "too_short"),
    bad("a reply where a request belongs", START.replace("01 01", "02 01", 1) + "350101 ff", "wrong_op"),
    bad("op 0", START.replace("01 01", "00 01", 1) + "350101 ff", "wrong_op"),
    bad(
        "hardware address of 17 octets",
        START.replace("01 01 06", "01 01 11", 1) + "350101 ff",
        "hlen_too_long",
    ),
    bad(
        "hardware address of 255 octets",
        START.replace("01 01 06", "01 01 ff", 1) + "350101 ff",
        "hlen_too_long",
    ),
    bad("bootp without a cookie (RFC 951)", f"{HEADER} 00*64", "no_cookie"),
    bad("cookie with its last bit wrong", f"{HEADER} 63825362 350101 ff", "bad_cookie"),
    bad("cookie of another vendor format", f"{HEADER} 'CMU' 01 00*60", "bad_cookie"),
]

OVERRUNS = [
    bad("an option code as the last octet", f"{TYPED} 0c", "option_overrun"),
    bad("an option longer than the message", f"{TYPED} 0c 05 'host'", "option_overrun"),
    bad("the message type itself cut off", f"{START} 35 01", "option_overrun"),
    bad("no pad octets to borrow from", f"{TYPED} 2b ff 00*254", "option_overrun"),
    bad(
        "option in file runs into the cookie",
        START.replace("00*64 00*128", "00*64 00*120 0c 07 'spills'", 1) + "350101 340101 ff",
        "option_overrun",
    ),
    bad(
        "option in sname runs into file",
        START.replace("00*64 00*128", "00*62 0c 01 ff 00*127", 1) + "350101 340102 ff",
        "option_overrun",
    ),
]

MESSAGE_TYPES = [
    bad("no options (bootp with cookie, RFC 1497)", f"{START} ff 00*59", "message_type_missing", 53),
    bad("hp jetdirect over bootp", f"{START} 0c 03 'prn' 90 00 ff 00*52", "message_type_missing", 53),
    bad("message type only behind END", f"{START} ff 350101", "message_type_missing", 53),
    bad("message type without octets", f"{START} 3500 ff", "option_length", 53),
    bad("message type of two octets", f"{START} 35020101 ff", "option_length", 53),
    bad("two message types, joined", f"{TYPED} 350103 ff", "option_length", 53),
    bad("message type 0", f"{START} 350100 ff", "message_type_unknown", 53),
    bad("message type 9 (FORCERENEW)", f"{START} 350109 ff", "message_type_unknown", 53),
    bad("message type 255", f"{START} 3501ff ff", "message_type_unknown", 53),
    bad("an OFFER to a server", f"{START} 350102 ff", "message_type_wrong_way", 53),
    bad("an ACK to a server", f"{START} 350105 ff", "message_type_wrong_way", 53),
    bad("a NAK to a server", f"{START} 350106 ff", "message_type_wrong_way", 53),
]

OVERLOADS = [
    bad("overload 0", f"{TYPED} 340100 ff", "overload_value", 52),
    bad("overload 4", f"{TYPED} 340104 ff", "overload_value", 52),
    bad("overload without octets", f"{TYPED} 3400 ff", "option_length", 52),
    bad("overload twice, joined", f"{TYPED} 340101 340101 ff", "option_length", 52),
]

LENGTHS = [
    option(50, "3203 c00002", wrong="three octets"),
    option(50, "3205 c000020101", wrong="five octets"),
    option(50, "3204 c0000201 3204 c0000201", wrong="twice, joined"),
    option(51, "3302 0e10", wrong="two octets"),
    option(54, "3600", wrong="empty"),
    option(54, "3608 c0000201c0000202", wrong="two addresses"),
    option(55, "3700", wrong="empty"),
    option(57, "3901 ff", wrong="one octet"),
    option(61, "3d01 01", wrong="a type and nothing else"),
    option(61, "3d00", wrong="empty"),
    option(80, "5001 01", wrong="with a value"),
    option(82, "5200", wrong="empty"),
    option(82, "5201 01", wrong="one octet"),
    option(116, "7400", wrong="empty"),
    option(118, "7606 0a0000000000", wrong="six octets"),
]

RELAYS = [
    bad("sub-option longer than option 82", f"{TYPED} 5204 01 03 'ab' ff", "relay_suboption_overrun", 82),
    bad("a lone sub-option code at the end", f"{TYPED} 5205 01 02 'ab' 02 ff", "relay_suboption_overrun", 82),
    bad("a pad octet inside option 82", f"{TYPED} 5205 01 02 'ab' 00 ff", "relay_suboption_overrun", 82),
    bad("an END octet inside option 82", f"{TYPED} 5205 01 02 'ab' ff ff", "relay_suboption_overrun", 82),
    bad("link selection of three octets", f"{TYPED} 5205 05 03 0a0000 ff", "relay_suboption_length", 5),
    bad("server override of five octets", f"{TYPED} 5207 0b 05 0a00000001 ff", "relay_suboption_length", 11),
    bad("relay flags without octets", f"{TYPED} 5202 0a 00 ff", "relay_suboption_length", 10),
    bad("relay port with a number", f"{TYPED} 5204 13 02 1f90 ff", "relay_suboption_length", 19),
]

TYPE_ALONE = {53: "01"}
FORGIVEN = [
    good("option 93, which is ignored: empty", f"{TYPED} 5d00 ff", {}, TYPE_ALONE),
    good("option 93, which is ignored: odd", f"{TYPED} 5d03 000700 ff", {}, TYPE_ALONE),
    good("option 94, which is ignored: two octets", f"{TYPED} 5e02 0102 ff", {}, TYPE_ALONE),
    good("option 97, which is ignored: no type octet", f"{TYPED} 6110 00*16 ff", {}, TYPE_ALONE),
    good("option 97, which is ignored: type 1", f"{TYPED} 6111 01 aa*16 ff", {}, TYPE_ALONE),
    good(
        "options 93 and 97 ignored, and 94 read",
        f"{TYPED} 5d01 07 5e03 010310 6100 ff",
        {},
        {53: "01", 94: "010310"},
    ),
]

MALFORMED = [*HEADERS, *OVERRUNS, *MESSAGE_TYPES, *OVERLOADS, *LENGTHS, *RELAYS]
