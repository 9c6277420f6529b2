"""The page /docs: the OpenAPI document for people, complete in itself, so it needs neither token nor
internet.
"""

import html
from typing import Any

import msgspec

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
code, pre { font: 13px/1.45 ui-monospace, monospace; background: #f4f4f2; border-radius: 4px }
pre { padding: .7rem; overflow-x: auto }
summary { cursor: pointer; padding: .25rem 0 }
summary b { display: inline-block; width: 4.5rem }
"""

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>IPAM API</title><style>{style}</style>
<h1>IPAM API</h1>
<p>Every request below bears <code>Authorization: Bearer &lt;token&gt;</code>. Errors are
<code>{{"error": {{"code", "message", "details", "request_id"}}}}</code>.</p>
{operations}
<h2>Schemas</h2>
{schemas}
<script type="application/json" id="openapi">{document}</script>
</html>
"""


def page(document: bytes) -> bytes:
    """The page of a document."""
    described = msgspec.json.decode(document)
    operations = "".join(
        operation(path, method, entry)
        for path, methods in described["paths"].items()
        for method, entry in methods.items()
    )
    schemas = "".join(
        f'<details id="{html.escape(name)}"><summary>{html.escape(name)}</summary>{pretty(schema)}</details>'
        for name, schema in described["components"]["schemas"].items()
    )
    # In a script element only "</" could end it early.
    embedded = document.decode().replace("</", "<\\/")
    return PAGE.format(style=STYLE, operations=operations, schemas=schemas, document=embedded).encode()


def operation(path: str, method: str, entry: dict[str, Any]) -> str:
    told = {name: entry[name] for name in ("parameters", "requestBody", "responses") if name in entry}
    return (
        f"<details><summary><b>{html.escape(method.upper())}</b><code>{html.escape(path)}</code> "
        f"{html.escape(entry.get('summary', ''))}</summary>{pretty(told)}</details>"
    )


def pretty(value: Any) -> str:
    return f"<pre>{html.escape(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())}</pre>"
