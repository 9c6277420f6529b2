"""A message for each way of being refused, and for the neighbors that are the easiest to get wrong.

Malformed options that are ignored instead have their messages in ignored.py.
"""

from __future__ import annotations

from oracle.vectors.vector import bad

HEADER = "01 01 06 00 0000ba0d 0000 0000 00*16 0200000000bd 00*10 00*64 00*128"
START = f"{HEADER} 63825363"
TYPED = f"{START} 350101"


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

CUT = [
    bad("the message type cut off", f"{START} 35 01", "option_overrun", 53),
    bad("a message type's code as the last octet", f"{START} 0c 01 'a' 35", "option_overrun", 53),
    bad("an option cut off before the message type", f"{START} 0c ff 350101", "option_overrun", 53),
    bad(
        "an option cut off in file, and no message type",
        START.replace("00*64 00*128", "00*64 00*120 3d 07 01*6", 1) + "340101 ff",
        "option_overrun",
        53,
    ),
]

MESSAGE_TYPES = [
    bad("no options (bootp with cookie, RFC 1497)", f"{START} ff 00*59", "message_type_missing", 53),
    bad("hp jetdirect over bootp", f"{START} 0c 03 'prn' 90 00 ff 00*52", "message_type_missing", 53),
    bad(
        "message type in a field that a malformed option 52 does not open",
        START.replace("00*64 00*128", "00*64 350101 ff 00*124", 1) + "340104 ff",
        "message_type_missing",
        53,
    ),
    bad("message type only behind END", f"{START} ff 350101", "message_type_missing", 53),
    bad("message type without octets", f"{START} 3500 ff", "option_length", 53),
    bad("message type of two octets", f"{START} 35020101 ff", "option_length", 53),
    bad("two message types that differ, joined", f"{TYPED} 350103 ff", "option_length", 53),
    bad("three message types, two of them equal", f"{TYPED} 350101 350103 ff", "option_length", 53),
    bad("two empty message types", f"{START} 3500 3500 ff", "option_length", 53),
    bad("a message type of two octets, twice", f"{START} 35020101 35020101 ff", "option_length", 53),
    bad("message type 0", f"{START} 350100 ff", "message_type_unknown", 53),
    bad("message type 9 (FORCERENEW)", f"{START} 350109 ff", "message_type_unknown", 53),
    bad("message type 255", f"{START} 3501ff ff", "message_type_unknown", 53),
    bad("an OFFER to a server", f"{START} 350102 ff", "message_type_wrong_way", 53),
    bad("an ACK to a server", f"{START} 350105 ff", "message_type_wrong_way", 53),
    bad("a NAK to a server", f"{START} 350106 ff", "message_type_wrong_way", 53),
]

MALFORMED = [*HEADERS, *CUT, *MESSAGE_TYPES]
