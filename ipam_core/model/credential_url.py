"""Fields that are credentials: who has the address of a chat's webhook can post there, and whoever knows a topic reads
and writes it.

Events and files contain URLs by scheme, host and port only, and no topics (decisions: Redaction).
"""

from urllib.parse import urlsplit

OF = {"webhook": ("url",), "notification": ("url", "topic")}
"""Fields of a family, by the name of one object."""
NOT_SHOWN = "(not shown)"


def concealed(field: str, value: str | None) -> str | None:
    """Return what outputs show of such a field."""
    return value and (host_alone(value) if field == "url" else NOT_SHOWN)


def host_alone(whole: str) -> str:
    """Return scheme, host and port of a URL."""
    try:
        parts = urlsplit(whole)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}/" if parts.netloc else f"{parts.scheme}:"
