"""The one-time code by which a browser on this machine makes the first token (decisions: Bootstrap).

`ipam up` on a terminal issues it and prints it within a link. A file in the data folder contains its SHA-256, its
expiry and the number of wrong attempts, so that every API process treats it alike, also after a restart. It is of no
use once a token exists, because the bootstrap has ended then.
"""

import contextlib
import fcntl
import hashlib
import hmac
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec

NAME = "bootstrap-code"
OCTETS = 16
SECONDS = 3600
MOST_WRONG = 5
LONGEST = 64
"""Characters of a code that are looked at."""


class Issued(msgspec.Struct):
    sha256: str
    expires: float
    wrong: int = 0

    def holds(self, now: float) -> bool:
        """Return whether the code is still valid. A clock that was put back does not prolong it."""
        return self.wrong < MOST_WRONG and 0 < self.expires - now <= SECONDS


def issue(folder: Path) -> str:
    """Return a new code, which replaces an earlier one. Raises OSError."""
    code = secrets.token_urlsafe(OCTETS)
    fresh = folder / f"{NAME}.new"
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(msgspec.json.encode(Issued(digest(code), time.time() + SECONDS)))
    fresh.rename(folder / NAME)
    return code


def accepts(folder: Path, code: str) -> bool:
    """Return whether this is the code that holds now. A wrong one is counted before the answer is known to anybody."""
    with opened(folder) as file:
        issued = read(file) if file is not None else None
        if file is None or issued is None or not issued.holds(time.time()):
            return False
        if hmac.compare_digest(digest(code[:LONGEST]), issued.sha256):
            return True
        issued.wrong += 1
        file.seek(0)
        file.write(msgspec.json.encode(issued))
        file.truncate()
    return False


def withdraw(folder: Path) -> None:
    """Withdraw the code, because the first token exists."""
    with contextlib.suppress(OSError):
        (folder / NAME).unlink()


@contextlib.contextmanager
def opened(folder: Path) -> Iterator[IO[bytes] | None]:
    """Open the file for this process alone; None: there is none."""
    try:
        file = os.fdopen(os.open(folder / NAME, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC), "r+b")
    except OSError:
        yield None
        return
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


def read(file: IO[bytes]) -> Issued | None:
    try:
        return msgspec.json.decode(file.read(), type=Issued)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()
