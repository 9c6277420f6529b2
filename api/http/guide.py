"""The guides at /docs/guide/: the site that `make docs` built, for readers without a token.

Names of pages stay the same between versions, so browsers ask again each time and get 304 for a page that has not
changed. Texts lie there in gzip too. The scripts inside a page run by the hashes in its policy; nothing is loaded from
another host.
"""

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path

from api.http.encodings import GZIP, preferred
from api.http.errors import Answer
from ipam_core.errors import NotFound

PATH = "/docs/guide"
BUILT = Path(__file__).parents[1] / "guide" / "built"
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".xml": "application/xml",
}
"""Content types by suffix; configuration files, which have many suffixes, are plain text."""

FILE = re.compile(r"(?:[\w-]+/)*[\w-]+(?:\.[\w-]+)*")
SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
# The theme hides and shows parts by style attributes and has its icons within the style sheets.
POLICY = (
    "default-src 'none'; script-src 'self'{scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
NOT_BUILT = b"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>IPAM guides</title></head>
<body><h1>The guides are not built</h1>
<p>Run <code>make docs</code> in the checkout that this server runs from, then load this page again. The same pages are
files in the folder <code>docs</code>.</p>
<p>The API is described <a href="/docs">here</a>.</p></body></html>
"""


def find(path: str, has_slash: bool, headers: Mapping[str, str], built: Path = BUILT) -> Answer | None:
    """Return the answer to a read of `path`, which is given without its closing slash; None for paths of others.

    Raises NotFound for a file that does not exist.
    """
    if path != PATH and not path.startswith(f"{PATH}/"):
        return None
    if not (built / "index.html").is_file():
        return Answer(404, NOT_BUILT, page_headers(NOT_BUILT))
    if path == PATH and not has_slash:  # the page's links are relative to the folder
        return Answer(308, b"", {"location": f"{PATH}/", "content-type": KINDS[".html"]})
    return file(built, path.removeprefix(PATH).removeprefix("/") or "index.html", headers)


def file(built: Path, name: str, headers: Mapping[str, str]) -> Answer:
    """Return a file of the site. Raises NotFound."""
    path = built / name
    if not FILE.fullmatch(name) or path.suffix == ".gz" or not path.is_file():
        raise NotFound("file", f"{PATH}/{name}")
    status = path.stat()
    found = headers_of(path, status.st_mtime_ns, status.st_size)
    if found["etag"] in headers.get("if-none-match", ""):
        return Answer(HTTPStatus.NOT_MODIFIED, b"", found)
    zipped = path.with_name(f"{path.name}.gz")
    if zipped.is_file() and preferred(headers.get("accept-encoding", ""), [GZIP]) == GZIP:
        return Answer(200, zipped.read_bytes(), found | {"content-encoding": GZIP})
    return Answer(200, path.read_bytes(), found)


@lru_cache(maxsize=512)
def headers_of(path: Path, changed_ns: int, size: int) -> dict[str, str]:  # noqa: ARG001 - both are of the key
    """Return the headers of a file, worked out once for each state of it."""
    body = path.read_bytes()
    kind = KINDS.get(path.suffix, "text/plain; charset=utf-8")
    # Weak: the same page in gzip has the same tag (RFC 9110 section 8.8.3.3).
    tag = f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'
    found = {"content-type": kind, "cache-control": "no-cache", "vary": "accept-encoding", "etag": tag}
    return found | (page_headers(body) if path.suffix == ".html" else {})


def page_headers(body: bytes) -> dict[str, str]:
    """Return the headers of a page, with a policy that runs the page's own scripts only."""
    digests = {base64.b64encode(hashlib.sha256(script).digest()).decode() for script in SCRIPT.findall(body)}
    scripts = "".join(f" 'sha256-{digest}'" for digest in sorted(digests))
    return {
        "content-type": KINDS[".html"],
        "content-security-policy": POLICY.format(scripts=scripts),
        "referrer-policy": "no-referrer",
    }
