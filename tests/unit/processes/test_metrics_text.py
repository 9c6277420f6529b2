"""One valid page of metrics from several processes'."""

from prometheus_client.parser import text_string_to_metric_families

from ipam_core.processes.metrics_text import join

API = """\
# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{method="GET",path="/a b{c}"} 3.0
# HELP seconds How long.
# TYPE seconds histogram
seconds_bucket{le="+Inf"} 2.0
seconds_sum 0.5
seconds_count 2.0
"""
DHCP = """\
# HELP requests_total Requests.
# TYPE requests_total counter
requests_total 4.0
lonely 1
lonely{role="other"} 1
"""


def test_families_are_joined_and_roles_told_apart() -> None:
    families = list(text_string_to_metric_families(join({"api": API, "dhcp": DHCP})))
    requests, seconds = (
        next(one for one in families if one.name == name) for name in ("requests", "seconds")
    )
    assert requests.documentation == "Requests."
    assert {(s.labels["role"], s.value) for s in requests.samples} == {("api", 3.0), ("dhcp", 4.0)}
    assert requests.samples[0].labels["path"] == "/a b{c}"
    assert (seconds.type, len(seconds.samples)) == ("histogram", 3)
    lonely = [s for one in families if one.name == "lonely" for s in one.samples]
    assert [s.labels["role"] for s in lonely] == ["dhcp", "other"]


def test_each_family_stands_together_under_one_heading() -> None:
    lines = join({"api": API, "dhcp": DHCP}).splitlines()
    assert lines.count("# TYPE requests_total counter") == 1
    at = [number for number, line in enumerate(lines) if line.startswith("requests_total")]
    assert at == list(range(at[0], at[0] + 2))


def test_nothing_to_join() -> None:
    assert join({}) == join({"api": ""}) == ""
