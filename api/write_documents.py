"""Writes the OpenAPI documents and the JSON Schema of site files: `python -m api.write_documents docs/`, after a change
of routes or models."""

import sys
from pathlib import Path

import msgspec

from api.cli.site.schema import schema
from api.openapi.document import describe, fragment
from api.routes import HANDLERS


def written(whole: bytes) -> dict[str, bytes]:
    """All by file name, indented, as they are kept under docs/."""
    site = msgspec.json.encode(schema())
    documents = {"openapi.json": whole, "openapi-ipam.json": fragment(whole), "site.schema.json": site}
    return {name: msgspec.json.format(data, indent=1) + b"\n" for name, data in documents.items()}


def main() -> None:
    for name, data in written(describe(HANDLERS)).items():
        (Path(sys.argv[1]) / name).write_bytes(data)


if __name__ == "__main__":
    main()
