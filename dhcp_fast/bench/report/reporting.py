"""Figures for people: times in words, latencies in milliseconds."""

from dhcp_fast.bench.generator.histogram import Histogram


def milliseconds(nanoseconds: int) -> str:
    return f"{nanoseconds / 1e6:.2f} ms"


def latencies(histogram: Histogram) -> dict[str, float]:
    """Return percentiles in milliseconds."""
    found = {f"p{percent}": histogram.percentile(percent) for percent in (50, 90, 99)}
    return {name: round(value / 1e6, 3) for name, value in (found | {"max": histogram.maximum}).items()}
