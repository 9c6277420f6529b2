"""The console at /console/: the files that `make console` made, and the page that loads them.

The files bear a hash in their names, so browsers keep them for good; each lies there compressed already. The page is
sent with a nonce of its own, by which the browser takes the style sheets that the page's components add and no others.
Every place within the console is the same page: what is shown there is the page's affair.
"""

import re
import secrets
from collections.abc import Mapping
from pathlib import Path

from api.http.encodings import preferred
from api.http.errors import Answer
from ipam_core.errors import NotFound

PATH = "/console"
BUILT = Path(__file__).parents[1] / "console" / "built"
KINDS = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}
FILE = re.compile(rf"{PATH}/assets/([\w-]+(?:\.[\w-]+)*\.({'|'.join(KINDS)}))")
ENCODINGS = {"br": ".br", "gzip": ".gz"}
"""What may be asked for, the smallest first, and how it lies beside the file."""

NONCE = "NONCE-OF-THE-ANSWER"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
FOR_GOOD = "public, max-age=31536000, immutable"

NOT_BUILT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="3"><title>IPAM</title></head>
<body><h1>The console is not built yet</h1>
<p><code>make run</code> builds it beside the server. Otherwise run <code>make console</code> in the checkout from which
this server runs. This page reloads every three seconds and opens the console when it is built.</p>
<p>The API works without the console: <a href="/docs">API reference</a>.</p></body></html>
"""


def find(path: str, headers: Mapping[str, str], built: Path = BUILT) -> Answer | None:
    """Return the answer to a read of `path`, without a closing slash; None where the path is not the console's. Raises
    NotFound for a file that is not there."""
    if path != PATH and not path.startswith(f"{PATH}/"):
        return None
    if not path.startswith(f"{PATH}/assets/"):
        return page(built)
    named = FILE.fullmatch(path)
    if named is None or not (built / "assets" / named[1]).is_file():
        raise NotFound("file", path)
    return file(built / "assets" / named[1], named[2], headers.get("accept-encoding", ""))


def way_there() -> Answer:
    """Redirect a browser that opened `/`."""
    return Answer(302, b"", {"location": f"{PATH}/", "cache-control": "no-store", "vary": "accept"})


def page(built: Path) -> Answer:
    nonce = secrets.token_urlsafe(16)
    headers = {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": POLICY.format(nonce=nonce),
        "referrer-policy": "no-referrer",
    }
    try:
        text = (built / "index.html").read_text()
    except FileNotFoundError:
        return Answer(404, NOT_BUILT.encode(), headers)
    return Answer(200, text.replace(NONCE, nonce).encode(), headers)


def file(path: Path, kind: str, accepted: str) -> Answer:
    headers = {"content-type": KINDS[kind], "cache-control": FOR_GOOD, "vary": "accept-encoding"}
    encoding = preferred(accepted, ENCODINGS)
    if encoding not in ENCODINGS:
        return Answer(200, path.read_bytes(), headers)
    compressed = path.with_name(path.name + ENCODINGS[encoding])
    return Answer(200, compressed.read_bytes(), headers | {"content-encoding": encoding})
