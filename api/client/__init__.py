"""A typed client of the management API, waiting and async: `Client(url, token).subnets`; docs/reference/client.md shows
it.

client.py async_client.py              requests, bulk, the stream of events
collections.py async_collections.py    what each family has; attributes.py names them, and is generated
exchange.py calls.py following.py      what is asked and how answers are read, without I/O: both take these steps
errors.py                              those of the envelope, and a connection that fails
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
