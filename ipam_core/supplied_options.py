"""DHCPv6 options that relays may supply for clients (RFC 6422 section 6), as far as a setting can let them."""

MOST = 64
OWNED = frozenset(
    {*range(1, 21), 25, 26, 37, 38, 39, *range(44, 49), 61, 62, 66, 67, 68, 79, 135, 138, 139, 148}
)  # the protocol's, those of leases (RFC 8947 too) and of lease queries, and what relays say for themselves


def refusal(code: int) -> str:
    """Return why no relay may supply the option; empty when one may."""
    if not 1 <= code <= 0xFFFF:
        return f"{code} is not a code from 1 to 65535"
    return f"option {code} is set by the server itself: remove it from the list" if code in OWNED else ""
