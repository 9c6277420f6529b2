"""Boot server of a client: next_server and server_name of a subnet or a client class.

An address goes into the header's siaddr and is the text of option 66. A host name goes into option 66 and into the
header's sname, for clients that resolve names; siaddr stays empty then, and a client that looks there alone finds
nothing. A server_name beside it goes into option 66 and sname in its place, so that a client has both the address and
the name (RFC 2132 section 9.4). Of a class it goes with the class's next_server, else with the address that is next.

The header's sname has room for a name of 63 octets, and its file for a boot_file of 127. A longer one is sent as option
66 or 67 alone, whether or not the client asks for it.
"""

from ipaddress import ip_address
from typing import Annotated

from msgspec import Meta

from ipam_core.errors import ValidationError
from ipam_core.model.values import parse_hostname

# An address or a host name (RFC 1123 section 2.1).
NextServer = Annotated[str, Meta(max_length=253)]
# Most octets of one option.
LONGEST = 255
ServerName = Annotated[str, Meta(min_length=1, max_length=LONGEST, pattern="^[!-~]+$")]
BootFile = Annotated[str, Meta(max_length=LONGEST)]


def check_boot(next_server: str | None, boot_file: str | None) -> None:
    """Raise ValidationError unless these are the address or host name of a server, and a name that fits in an option
    (clients that join the pieces of an option 67, by RFC 3396, are few)."""
    if next_server and not is_next_server(next_server):
        raise ValidationError("next_server", "must be the address or the hostname of the boot server")
    octets = len(boot_file.encode()) if boot_file else 0
    if octets > LONGEST:
        raise ValidationError(
            "boot_file", f"must be at most {LONGEST} octets in UTF-8; this value has {octets}"
        )


def is_next_server(text: str) -> bool:
    """Return whether it is an address or a host name; neither is 10.0.0.300, nor a URL."""
    if is_address(text):
        return True
    try:
        return not parse_hostname(text).rpartition(".")[2].isdecimal()
    except ValueError:
        return False


def is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
