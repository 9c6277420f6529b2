"""URLs that are credentials: who has the address of a chat's webhook can post there.

Events and files contain them by scheme, host and port only (decisions: Redaction).
"""

from urllib.parse import urlsplit

OF = ("webhook", "notification")
"""Families whose `url` is one, by the name of one object."""


def host_alone(whole: str) -> str:
    """Return scheme, host and port of a URL."""
    try:
        parts = urlsplit(whole)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}/" if parts.netloc else f"{parts.scheme}:"
