"""Secrets never stand in a site file: it says where they are found."""

from pathlib import Path
from typing import Any

from ipam_core import settings
from ipam_core.errors import ValidationError

FORMS = "must be {env: NAME} or {file: PATH}"


def find(field: str, value: Any) -> str:
    """Return the secret that {env: NAME} or {file: PATH} leads to. Raises ValidationError, whose message holds no
    secret."""
    if not isinstance(value, dict) or len(value) != 1:
        raise ValidationError(field, f"{FORMS}: a site file must not contain secrets")
    ((way, name),) = value.items()
    if way == "env" and isinstance(name, str):
        found = settings.variable(name)
        if not found:
            raise ValidationError(field, f"the environment variable {name} is not set")
        return found
    if way == "file" and isinstance(name, str):
        return read(field, Path(name))
    raise ValidationError(field, FORMS)


def read(field: str, path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ValidationError(field, f"{path} cannot be read: {reason}") from None
