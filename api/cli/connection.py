"""What the commands that speak HTTP share: server and token, waiting, and where the mend of an error lies."""

import time
from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Any, TypeVar

import click

from api.cli.faults import advice
from api.client import ApiError, Client
from ipam_core import settings

F = TypeVar("F", bound=Callable[..., Any])


class Session(Client):
    """A client whose refusals say what to do about an address or a token that is wrong."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, ApiError) and not error.advice:
            error.advice = advice(error, self.url, "authorization" in self.http.headers)
        super().__exit__(kind, error, trace)


def url_and_token(command: F) -> F:
    command = click.option("--token", help="API token; else IPAM_API_TOKEN.")(command)
    return click.option("--url", help="The API's address with /api/v1; else IPAM_API_URL.")(command)


def connected(command: F) -> F:
    """Options --url, --token and --json of a command, which takes `url`, `token` and `as_json`."""
    as_json = click.option("--json", "as_json", is_flag=True, help="JSON, as the API has it.")
    return url_and_token(as_json(command))


def speaking(command: Callable[..., None]) -> Callable[..., None]:
    """Options --url and --token; the command takes the `client` that speaks to that server."""

    @wraps(command)
    def run(*arguments: Any, url: str | None, token: str | None, **options: Any) -> None:
        with connect(url, token) as client:
            command(*arguments, client=client, **options)

    return url_and_token(run)


def connect(url: str | None, token: str | None) -> Client:
    chosen = settings.client()
    return Session(url or chosen.api_url, token or chosen.api_token, sleep=wait, ca=chosen.api_ca)


def wait(seconds: float) -> None:
    """A pause that the server asks for is explained; our own between two tries are shorter."""
    if seconds >= 1:
        click.echo(f"ipam: the server asks to wait {seconds:.0f} s (limit of requests, or busy)", err=True)
    time.sleep(seconds)
