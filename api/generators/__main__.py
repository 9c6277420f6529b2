"""Writes all of it where it stands."""

from pathlib import Path

import msgspec

from api.generators import ansible_modules, client_attributes
from api.openapi.document import describe
from api.routes import HANDLERS

ROOT = Path(__file__).parents[1]


def files() -> dict[Path, str]:
    """Return what is written, by where it stands."""
    document = msgspec.json.decode(describe(HANDLERS))
    modules = {ROOT / "ansible" / path: text for path, text in ansible_modules.written(document).items()}
    return {ROOT / "client/attributes.py": client_attributes.written()} | modules


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text)
