"""Settings that the commands that speak HTTP read from the environment: the server and the token."""

import os
from pathlib import Path

import msgspec

from ipam_core import settings
from ipam_core.errors import SettingsError
from ipam_core.setting_values import Endpoint, path
from ipam_core.settings import BASE_PATH, Settings


class ClientSettings(msgspec.Struct, frozen=True):
    """Settings of the command line's server."""

    api_url: str = f"http://127.0.0.1:8080{BASE_PATH}"
    api_token: str | None = None
    token_file: Path | None = None
    """Holds the token, where no `api_token` is set."""
    api_ca: Path | None = None
    """Certificates (PEM) that the server's is checked against, instead of the system's."""

    @property
    def token(self) -> str | None:
        """The token to send. Raises SettingsError for a file that cannot be read or is empty."""
        if self.api_token or self.token_file is None:
            return self.api_token
        try:
            found = self.token_file.read_text().strip()
        except (OSError, ValueError) as error:
            raise SettingsError("IPAM_TOKEN_FILE", f"{self.token_file} cannot be read: {error}") from None
        if not found:
            raise SettingsError(
                "IPAM_TOKEN_FILE", f"{self.token_file} is empty: it must contain an API token"
            )
        return found


EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, not bound
LOOPBACK = {"127.0.0.1", "::1"}


def client(config: Path | None = None) -> ClientSettings:
    """Return the settings of the environment, with the API's address from a server's settings file."""
    url = os.environ.get("IPAM_API_URL")
    if not url:
        url = address_of(settings.load(config)) if config else ClientSettings().api_url
    ca, file = os.environ.get("IPAM_API_CA"), os.environ.get("IPAM_TOKEN_FILE")
    token = os.environ.get("IPAM_API_TOKEN") or None
    return ClientSettings(url, token, path(file) if file else None, path(ca) if ca else None)


def address_of(chosen: Settings) -> str:
    """Return the URL at which this host reaches the API. Certificates have the name localhost, not its addresses."""
    host = EVERY_ADDRESS.get(chosen.api_listen.host, chosen.api_listen.host)
    if chosen.api_tls_certificate:
        name = "localhost" if host in LOOPBACK else host
        return f"https://{Endpoint(name, chosen.api_listen.port)}{BASE_PATH}"
    return f"http://{Endpoint(host, chosen.api_listen.port)}{BASE_PATH}"
