"""What the commands that speak HTTP read from the environment: which server, and by which token."""

import os
from pathlib import Path

import msgspec

from ipam_core.errors import SettingsError
from ipam_core.setting_values import path
from ipam_core.settings import BASE_PATH


class ClientSettings(msgspec.Struct, frozen=True):
    """Which server the command line speaks to."""

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


def client() -> ClientSettings:
    """From the environment alone: a server's settings file is no business of its clients."""
    url = os.environ.get("IPAM_API_URL") or ClientSettings().api_url
    ca, file = os.environ.get("IPAM_API_CA"), os.environ.get("IPAM_TOKEN_FILE")
    token = os.environ.get("IPAM_API_TOKEN") or None
    return ClientSettings(url, token, path(file) if file else None, path(ca) if ca else None)
