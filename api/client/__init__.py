"""A typed client of the management API, waiting and async: `Client(url, token).subnets` (docs/reference/client.md).

client.py             requests, bulk and the stream of events
async_client.py       the same with asyncio
collections.py        calls of each family
async_collections.py  the same with asyncio
attributes.py         names of the families, generated
exchange.py           requests and reading of answers, without I/O
calls.py              calls of a family as such steps
following.py          the stream of events as such steps
errors.py             errors of the API, and a connection that fails
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from api.client.calls import Tagged
from api.client.client import Client
from api.client.errors import ApiError, ConnectionFailed
from ipam_core.model.families import FAMILIES, Family

if TYPE_CHECKING:
    from api.client.async_client import AsyncClient

__all__ = ["FAMILIES", "ApiError", "AsyncClient", "Client", "ConnectionFailed", "Family", "Tagged"]


def __getattr__(name: str) -> Any:
    """Return the async client when it is asked for: commands do without asyncio, which takes 20 ms to load."""
    if name == "AsyncClient":
        return import_module("api.client.async_client").AsyncClient
    raise AttributeError(name)
