"""Figures for people: times in words, latencies in milliseconds."""

from dhcp_fast.load.histogram import Histogram

UNITS = (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))
FOREVER = 0xFFFFFFFF


def duration(seconds: int | None) -> str:
    """`5400` is "1 hour 30 minutes"; the largest number means no end (RFC 2131 section 3.3)."""
    if seconds is None:
        return ""
    if seconds == FOREVER:
        return "for ever"
    parts = []
    rest = seconds
    for name, size in UNITS:
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count} {name}{'s' if count > 1 else ''}")
    return " ".join(parts) or "0 seconds"


def milliseconds(nanoseconds: int) -> str:
    return f"{nanoseconds / 1e6:.2f} ms"


def latencies(histogram: Histogram) -> dict[str, float]:
    """Percentiles in milliseconds."""
    found = {f"p{percent}": histogram.percentile(percent) for percent in (50, 90, 99)}
    return {name: round(value / 1e6, 3) for name, value in (found | {"max": histogram.maximum}).items()}
