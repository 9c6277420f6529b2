"""Connection of the commands that speak HTTP: server and token, waiting, and the remedy of an error."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from pathlib import Path
from threading import Timer
from types import TracebackType
from typing import IO, Any, TypeVar

import click

from api.cli.faults import advice
from api.client import ApiError, Client
from api.client.exchange import Ask, Pause, Steps, Stopwatch
from ipam_core import client_settings
from ipam_core.printing import say

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

SILENT_SECONDS = 2.0
"""Time after which a person is told that the server has not answered."""


class Session(Client):
    """A client whose refusals say what to do about an address or a token that is wrong, and that reports on a terminal
    what it waits for."""

    silent = False
    """Whether somebody was told that the server does not answer."""

    def take(self, step: Ask | Pause, steps: Steps[T], watch: Stopwatch) -> Callable[[], Ask | Pause]:
        with self.silence_reported() if isinstance(step, Ask) else nullcontext():
            return super().take(step, steps, watch)

    @contextmanager
    def silence_reported(self) -> Iterator[None]:
        """Report once on a terminal that the server has not answered for a while."""
        if self.silent or not sys.stderr.isatty():
            yield
            return
        timer = Timer(SILENT_SECONDS, self.report_silence)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def report_silence(self) -> None:
        if not self.silent:
            self.silent = True
            say(f"ipam: waiting for {self.url} to answer", err=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, ApiError) and not error.advice:
            error.advice = advice(error, self.url, "authorization" in self.http.headers)
        super().__exit__(kind, error, trace)


TOKEN_FILE = "ipam.token_file"  # noqa: S105 - where a command keeps what --token-file gave


def take_token(context: click.Context, _parameter: click.Parameter, file: IO[str] | None) -> None:
    """Keep the token that a file holds. Raises BadParameter for a file without one."""
    if file is None:
        return
    context.meta[TOKEN_FILE] = file.read().strip()
    if not context.meta[TOKEN_FILE]:
        raise click.BadParameter(f"{file.name} is empty: it must contain an API token")


def url_and_token(command: F) -> F:
    command = click.option(
        "--token-file",
        type=click.File(),
        callback=take_token,
        expose_value=False,
        help="File with the API token; - reads standard input. Default: IPAM_API_TOKEN, then IPAM_TOKEN_FILE.",
    )(command)
    command = click.option(
        "--token",
        help="API token. Prefer --token-file: other accounts can see arguments in the process list.",
    )(command)
    return click.option("--url", help="Address of the API, with /api/v1. Default: IPAM_API_URL.")(command)


def connected(command: F) -> F:
    """Return options --url, --token, --token-file and --json of a command, which takes `url`, `token` and `as_json`."""
    as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, as the API returns it.")
    return url_and_token(as_json(command))


def speaking(command: Callable[..., None]) -> Callable[..., None]:
    """Return options --url, --token and --token-file; the command takes the `client` that speaks to that server."""

    @wraps(command)
    def run(*arguments: Any, url: str | None, token: str | None, **options: Any) -> None:
        refuse_blanks(click.get_current_context())
        with connect(url, token) as client:
            command(*arguments, client=client, **options)

    return url_and_token(run)


def refuse_blanks(context: click.Context) -> None:
    """Raise click's usage error for an argument or option without text, such as that of an unset shell variable: it
    would name the object that has no name, or narrow nothing. Fields may be empty: FIELD= clears one."""
    for parameter in context.command.params:
        label = label_of(parameter)
        value = context.params.get(parameter.name or "")
        if "=" not in label and any(
            is_blank(each) for each in (value if isinstance(value, tuple) else [value])
        ):
            raise click.UsageError(f"{label} is empty", context)


def label_of(parameter: click.Parameter) -> str:
    """Return how help calls a parameter: NAME, --subnet."""
    if isinstance(parameter, click.Option):
        return parameter.opts[0]
    return (parameter.metavar or parameter.name or "").upper().strip("[].")


def is_blank(value: Any) -> bool:
    return isinstance(value, str) and not value.strip()


def connect(url: str | None, token: str | None) -> Client:
    """Return a client of the server: by the options, else the environment, else the settings file of --config."""
    context = click.get_current_context(silent=True)
    chosen = client_settings.client(context.find_object(Path) if context and not url else None)
    given = token or (context and context.meta.get(TOKEN_FILE))
    return Session(url or chosen.api_url, given or chosen.token, sleep=wait, ca=chosen.api_ca)


def wait(seconds: float) -> None:
    """Wait; a pause that the server requests is explained, while our own between two tries are shorter."""
    if seconds >= 1:
        say(f"ipam: waiting {seconds:.0f} s, as the server asks (rate limit, or busy)", err=True)
    time.sleep(seconds)
