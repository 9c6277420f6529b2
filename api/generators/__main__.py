"""Writes all of it where it stands."""

from pathlib import Path

from api.generators import client_attributes

ROOT = Path(__file__).parents[1]


def files() -> dict[Path, str]:
    return {ROOT / "client/attributes.py": client_attributes.written()}


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text)
