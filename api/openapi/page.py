"""The page /docs: the OpenAPI document as Swagger UI shows it, to read and to try, complete in itself.

The page contains the document, which needs a token elsewhere, and loads only files that this process serves. The build
of the console copies Swagger UI from npm; the policy below forbids the browser to load from other hosts.
"Authorize" takes a token, which stays in the page.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from api.http.errors import Answer
from ipam_core.errors import NotFound

PATH = "/docs"
BUILT = Path(__file__).parents[1] / "console" / "built" / "reference"
KINDS = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".png": "image/png"}
FILES = ("swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png")
# Swagger UI sets style attributes, and has its pictures within the style sheet.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

START = b"""SwaggerUIBundle({
  spec: JSON.parse(document.getElementById("openapi").textContent),
  dom_id: "#page",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
"""
"""A file of its own, because the policy runs no script within the page."""

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>IPAM API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head><body>
<noscript>This page needs JavaScript. With a token the document is at <code>/api/v1/openapi.json</code>.</noscript>
<div id="page"></div>
<script type="application/json" id="openapi">{document}</script>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body></html>
"""

NOT_BUILT = b"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>IPAM API</title></head>
<body><h1>The API page is not built</h1>
<p><code>make run</code> builds it with the console, beside the server. Otherwise run <code>make console</code> in the
checkout from which this server runs, then load this page again. Both fetch packages from the npm registry.</p>
<p>The document itself needs no build: with a token it is at <code>/api/v1/openapi.json</code>, and the checkout has it
as <code>docs/openapi.json</code>.</p></body></html>
"""


def is_built() -> bool:
    return (BUILT / FILES[0]).is_file()


def not_built() -> Answer:
    """Return the answer where the console was not built, which is tried again at each request."""
    return html(404, NOT_BUILT)


def page(document: bytes) -> Answer:
    """Return the page of a document."""
    # In a script element only "</" and "<!--" could end it early or hide its end.
    embedded = document.decode().replace("<", "\\u003c")
    return html(200, PAGE.format(document=embedded).encode())


def html(status: int, body: bytes) -> Answer:
    headers = {"content-type": "text/html; charset=utf-8", "content-security-policy": POLICY}
    return Answer(status, body, headers)


def assets() -> Iterator[tuple[str, partial[Answer]]]:
    """Yield what the page loads, by path; read when it is asked for, so that nobody keeps it in memory."""
    for name in FILES:
        yield f"{PATH}/{name}", partial(asset, name)
    yield f"{PATH}/start.js", partial(cacheable, START, KINDS[".js"])


def asset(name: str) -> Answer:
    """Return a file of Swagger UI. Raises NotFound where the console was not built."""
    path = BUILT / name
    if not path.is_file():
        raise NotFound("file", f"{PATH}/{name}")
    return cacheable(path.read_bytes(), KINDS[path.suffix])


def cacheable(body: bytes, kind: str) -> Answer:
    return Answer(200, body, {"content-type": kind, "cache-control": "max-age=3600"})
