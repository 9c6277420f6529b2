"""The site of the guides: what Zensical makes of docs/, mkdocs.yml and the files that they link to.

python .ci/docs_build.py build    api/guide/built, if it is not of these sources yet; the API serves it at /docs/guide/
python .ci/docs_build.py check    the same into a folder that is removed, which finds dead links and anchors
python .ci/docs_build.py list     README.md, the documents and all files that they link to, by path

The pages are copied first: docs/README.md becomes the index, other documents below docs/ lose that folder, and a
linked file outside of docs/ is copied to its path in the repository. Links between them are rewritten to match. A link
that leads to no file, a page that mkdocs.yml leaves out and a warning of Zensical end the build.
"""

import fcntl
import gzip
import hashlib
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILT = ROOT / "api" / "guide" / "built"
CONFIG = ROOT / "mkdocs.yml"
ZENSICAL = "zensical>=0.0.73"
INDEX = "docs/README.md"
TEXTS = (".html", ".css", ".js", ".json", ".svg")
SMALLEST = 1024  # octets; less is hardly smaller in gzip
LINK = re.compile(r"(?<=\]\()(?P<path>[^)\s#:]+)(?P<anchor>#[^)\s]*)?(?=\))")
COLOR = re.compile(r"\x1b\[[0-9;]*m")
CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]+`", re.MULTILINE | re.DOTALL)


class SiteError(Exception):
    """A fault of the documents, with the file that has it."""


def main(verb: str) -> int:
    try:
        if verb == "check":
            with tempfile.TemporaryDirectory() as folder:
                make(Path(folder))
        elif verb == "list":
            print(*sorted(sources(["README.md"])), sep="\n")
        else:
            build()
    except (SiteError, ModuleNotFoundError, subprocess.CalledProcessError) as error:
        print(f"docs {verb} failed: {error}", file=sys.stderr)
        return 1
    return 0


def build() -> None:
    """Make `built` anew if it is not of these sources."""
    with CONFIG.open() as lock, tempfile.TemporaryDirectory() as folder:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_built():
            return
        site = make(Path(folder))
        compress(site)
        (site / "sources").write_text(digest())
        shutil.rmtree(BUILT, ignore_errors=True)
        shutil.copytree(site, BUILT)


def compress(site: Path) -> None:
    """Write each text in gzip too, beside it, so that the API compresses nothing while it serves."""
    for path in [*site.rglob("*")]:
        if path.suffix in TEXTS and path.stat().st_size > SMALLEST:
            path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))


def is_built() -> bool:
    written = BUILT / "sources"
    return written.exists() and written.read_text() == digest()


def make(work: Path) -> Path:
    """Build the site in this empty folder, of copies; return the site's own folder below it."""
    found = sources()
    for name, text in found.items():
        target = work / "pages" / place(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
    config = CONFIG.read_text()
    if missing := [name for name in map(place, found) if name.endswith(".md") and f" {name}\n" not in config]:
        raise SiteError(f"mkdocs.yml has no line in `nav` for {', '.join(missing)}")
    (work / CONFIG.name).write_text(config)
    run_zensical(work)
    (work / "site" / "404.html").unlink()  # the API answers so itself
    return work / "site"


def run_zensical(work: Path) -> None:
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", CONFIG.name]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    if done.returncode:
        shown = COLOR.sub("", done.stdout + done.stderr).partition("Traceback")[0]
        raise SiteError(shown.strip() or done.stderr.strip())


def sources(others: Iterable[str] = ()) -> dict[str, bytes]:
    """Return the pages of docs/, these others, and each file that they link to, by path in the repository; links are
    rewritten."""
    waiting = [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")] + [*others]
    found: dict[str, bytes] = {}
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        if not name.endswith(".md"):
            found[name] = (ROOT / name).read_bytes()
            continue
        page = Page(name)
        found[name] = page.rewritten().encode()
        waiting += page.links
    return found


class Page:
    """A document and the files that it links to."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.links: list[str] = []

    def rewritten(self) -> str:
        return outside_code((ROOT / self.name).read_text("utf-8"), lambda text: LINK.sub(self.rewrite, text))

    def rewrite(self, link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(self.name), link["path"]))
        if not (ROOT / target).is_file() or target.startswith(".."):
            raise SiteError(f"{self.name}: the link {link['path']} leads to no file")
        self.links.append(target)
        return posixpath.relpath(place(target), posixpath.dirname(place(self.name)) or ".") + (
            link["anchor"] or ""
        )


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Return the text with everything but its code changed."""
    parts: list[str] = []
    at = 0
    for code in CODE.finditer(text):
        parts += [change(text[at : code.start()]), code[0]]
        at = code.end()
    return "".join([*parts, change(text[at:])])


def place(name: str) -> str:
    """Return where a file of the repository stands in the site."""
    return "index.md" if name == INDEX else name.removeprefix("docs/")


def digest() -> str:
    """Return a hash of all that the site is built of."""
    total = hashlib.sha256()
    for name, text in inputs():
        total.update(name.encode() + b"\0" + hashlib.sha256(text).digest())
    return total.hexdigest()


def inputs() -> Iterator[tuple[str, bytes]]:
    yield CONFIG.name, CONFIG.read_bytes()
    yield "docs_build.py", Path(__file__).read_bytes()
    yield from sorted(sources().items())


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
