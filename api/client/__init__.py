"""A typed client of the management API: `Client(url, token)`, the families, and the errors of the envelope.

client.py  requests, retries, pages; errors.py: refusals; event_stream.py: events as they happen
"""

from api.client.client import Client
from api.client.errors import ApiError, ConnectionFailed
from ipam_core.model.families import FAMILIES, Family

__all__ = ["FAMILIES", "ApiError", "Client", "ConnectionFailed", "Family"]
