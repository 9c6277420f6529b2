"""What is written behind --server."""

import click
import pytest

from dhcp_fast.arguments import endpoint_of


@pytest.mark.parametrize(
    ("written", "usual_port", "meant"),
    [
        ("10.0.0.5:6767", 67, ("10.0.0.5", 6767)),
        ("10.0.0.5", 67, ("10.0.0.5", 67)),
        ("dhcp.example.net", 67, ("dhcp.example.net", 67)),
        ("[2001:db8::1]", 547, ("2001:db8::1", 547)),
        ("[2001:db8::1]:5547", None, ("2001:db8::1", 5547)),
    ],
)
def test_a_host_has_its_port_or_the_usual(
    written: str, usual_port: int | None, meant: tuple[str, int]
) -> None:
    assert endpoint_of(written, usual_port) == meant


@pytest.mark.parametrize(
    ("written", "usual_port", "wrong"),
    [
        ("10.0.0.5", None, "HOST:PORT"),
        ("10.0.0.5:", 67, "HOST:PORT"),
        ("10.0.0.5:70000", 67, "HOST:PORT"),
        ("", 67, "HOST:PORT"),
        ("2001:db8::1", 547, "brackets"),
    ],
)
def test_what_is_no_server_is_refused(written: str, usual_port: int | None, wrong: str) -> None:
    with pytest.raises(click.BadParameter, match=wrong):
        endpoint_of(written, usual_port)
