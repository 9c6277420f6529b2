"""Faults as lines for people: the server's whole text, all faults of a request, and the remedy."""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from api.cli.cells import text
from api.cli.names import LABELS
from api.cli.shapes import called
from api.client.errors import ApiError
from ipam_core.errors import IpamError
from ipam_core.model.families import in_words
from ipam_core.settings import BASE_PATH

# Details that the message already contains.
SAID = {"field", "reason", "faults"}


def lines(error: IpamError) -> list[str]:
    if not isinstance(error, ApiError):
        return str(error).splitlines()
    return [*first_lines(error), *(f"  {line}" for line in rest(error))]


FLAGS = {"force=true": "--force", "cascade=true": "--cascade", "move_records=true": "--move-records"}
"""Parameters of the API, with the options that set them."""
FIELD = re.compile(r"\b[a-z_]+_id\b")


def translated(message: str) -> str:
    """Return a message of the API with the names that fields and options have on the command line."""
    for parameter, option in FLAGS.items():
        message = message.replace(parameter, option)
    return FIELD.sub(lambda found: called(found[0]), message)


def first_lines(error: ApiError) -> list[str]:
    error.faults = [translated(fault) for fault in error.faults]
    error.message = translated(error.message)
    if len(error.faults) < 2:
        error.message = error.faults[0] if error.faults else error.message
        return [str(error)]
    told = f"{len(error.faults)} faults ({error.status} {error.error_code}, request {error.request_id})"
    return [told, *(f"  {fault}" for fault in error.faults)]


def rest(error: ApiError) -> Iterator[str]:
    """Yield what stands in the details and not in the message, and the advice."""
    for name, value in (error.details or {}).items():
        if name not in SAID:
            yield f"{in_words(name)}: {facts(value)}"
    if error.details and "children" in error.details:
        yield "--cascade also deletes the objects below it"
    if "move_records" in error.message:
        yield "--move-records moves them"
    if error.advice:
        yield error.advice


def facts(value: Any) -> str:
    """Return the name of an object and the rest of it: prefix 10.0.0.0/16, id ..."""
    if isinstance(value, Mapping) and "type" in value:
        called = next((name for name in LABELS if value.get(name)), "id")
        rest = {name: each for name, each in value.items() if name not in ("type", called)}
        more = facts(rest)
        return f"{in_words(value['type'])} {text(value.get(called))}" + (f" ({more})" if more else "")
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {text(each)}" for name, each in value.items() if each is not None)
    return text(value)


def advice(error: ApiError, url: str, has_token: bool) -> str:
    """Return the advice for a wrong address or token."""
    if BASE_PATH not in urlsplit(url).path and error.status in (401, 404, 405):
        return f"the address {url} lacks {BASE_PATH}: set IPAM_API_URL={url.rstrip('/')}{BASE_PATH}"
    if error.status == 401 and not has_token:
        return "no token was sent: set IPAM_API_TOKEN or IPAM_TOKEN_FILE, or give --token-file"
    if error.status == 401:
        return "this server does not know the token from IPAM_API_TOKEN, IPAM_TOKEN_FILE or the command line"
    return ""
