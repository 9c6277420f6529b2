"""Which virtual network a requester names (RFC 6607): options 221 of DHCPv4 and 68 of DHCPv6 hold the same."""

BY_NAME, GLOBAL = 0, 255  # RFC 6607 section 3.5


def named_network(value: bytes | None) -> str | None:
    """A tenant's name, empty for the global network; None where none is named, by us or at all: any may be meant."""
    if not value or value[0] not in (BY_NAME, GLOBAL):
        return None
    return "" if value[0] == GLOBAL else value[1:].decode("utf-8", "replace").replace("\0", "")
