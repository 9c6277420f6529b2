"""Write the OpenAPI documents, the JSON Schema of site files and the references of commands and events:
`python -m api.write_documents docs/`, after a change of routes, models or commands."""

import sys
from pathlib import Path

import msgspec

from api.cli import reference
from api.cli.site.schema import schema
from api.openapi.document import describe, fragment
from api.routes import HANDLERS
from ipam_core import event_reference


def written(whole: bytes) -> dict[str, bytes]:
    """Return the JSON documents by file name, indented, as they are kept under docs/."""
    site = msgspec.json.encode(schema())
    documents = {"openapi.json": whole, "openapi-ipam.json": fragment(whole), "site.schema.json": site}
    return {name: msgspec.json.format(data, indent=1) + b"\n" for name, data in documents.items()}


def references() -> dict[str, bytes]:
    """Return the pages that are generated from the code, by file name below docs/."""
    pages = {reference.NAME: reference.text(), event_reference.NAME: event_reference.text()}
    return {name: page.encode() for name, page in pages.items()}


def main() -> None:
    for name, data in (written(describe(HANDLERS)) | references()).items():
        (Path(sys.argv[1]) / name).write_bytes(data)


if __name__ == "__main__":
    main()
