"""Version of a process, for its page of metrics."""

from importlib.metadata import version

from prometheus_client.core import GaugeMetricFamily


def family() -> GaugeMetricFamily:
    """Return a gauge that is always 1, to join its label with other metrics or to see that not all are upgraded."""
    info = GaugeMetricFamily("ipam_build_info", "Always 1; the label is the version.", labels=["version"])
    info.add_metric([version("ipam")], 1)
    return info
