"""Labels of host names as RFC 1123 section 2.1 allows them: letters, digits and hyphens, none of these at an end.

DNS servers refuse others (BIND's check-names), so that a client with such a name would have no records at all.
"""

import re

LONGEST_LABEL = 63
BLOCKED_NAMES = ("wpad", "isatap", "localhost")
"""CERT VU#598349: clients look up the first two by themselves, and trust what answers there."""

NOT_ALLOWED = re.compile(r"[^A-Za-z0-9]")


def host_label(text: str) -> str:
    """Return the label in lower case, with a hyphen for each character that a host name cannot have; empty if nothing
    is left or DNS could not hold it."""
    mapped = NOT_ALLOWED.sub("-", text).strip("-").lower()
    return mapped if len(mapped) <= LONGEST_LABEL else ""
