"""A typed client of the management API: `Client(url, token)`, the families, and the errors of the envelope."""

from api.client.client import Client
from api.client.errors import ApiError, ConnectionFailed
from ipam_core.model.families import FAMILIES, Family

__all__ = ["FAMILIES", "ApiError", "Client", "ConnectionFailed", "Family"]
