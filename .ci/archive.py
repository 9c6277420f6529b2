"""Archives of the same octets for the same files, whoever packs them and when: SOURCE_DATE_EPOCH is their time."""

import gzip
import io
import os
import tarfile
from collections.abc import Iterable
from pathlib import Path

import version

READABLE, PROGRAM = 0o644, 0o755


def moment() -> int:
    """Return the time of all files: that of the environment, else of the commit, else 1970."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given) if given else (version.commit()[0] if version.is_checkout() else 0)


def normalize(archive: Path) -> None:
    """Pack a .tar.gz again: by name, of one time, without owners."""
    with tarfile.open(archive) as packed:
        members = [(item, packed.extractfile(item)) for item in packed if item.isfile()]
        files = [(item.name, found.read(), bool(item.mode & 0o100)) for item, found in members if found]
    write(archive, files)


def write(archive: Path, files: Iterable[tuple[str, bytes, bool]]) -> None:
    """Write a .tar.gz of files: name, content, and whether it can be run."""
    seconds = moment()
    with (
        archive.open("wb") as raw,
        gzip.GzipFile("", "wb", mtime=seconds, fileobj=raw) as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as packed,
    ):
        for name, content, runs in sorted(files):
            item = tarfile.TarInfo(name)
            item.size, item.mtime, item.mode = len(content), seconds, PROGRAM if runs else READABLE
            packed.addfile(item, io.BytesIO(content))
