"""The version of a build. pyproject.toml has its number; git adds which commit it is of.

After a release, the number is that of the next one with `.dev0`. Builds of it add time and hash of their commit as the
local version of PEP 440, such as 0.2.0.dev0+202611272030.g1a2b3c4d, so that newer builds are newer to pip and to apt.
Where files that git knows differ from the commit, .dirty follows, for a release too. setup.py passes this tag to
setuptools; an sdist keeps it in the setup.cfg that setuptools writes into it.

python .ci/version.py full              number and tag
python .ci/version.py tag               the tag alone; empty for a release, and where nothing names the commit
python .ci/version.py debian [VERSION]  the same (or another version) as Debian writes and sorts it
python .ci/version.py time              time of the commit in seconds since 1970 (SOURCE_DATE_EPOCH)

A folder without git has no commit: the tag is the one that the sdist keeps, and there is no time (exit status 1).
"""

import re
import subprocess
import sys
import time
import tomllib
from configparser import ConfigParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HASH_LENGTH = 8
BEFORE_RELEASE = re.compile(r"\.?(dev|rc|a|b)(\d+)")


class NoCommit(Exception):
    """Reason for which the commit is unknown."""


def main(verb: str, *arguments: str) -> int:
    """Print one of the four. Return the exit status."""
    answers = {"full": full, "tag": tag, "debian": debian, "time": lambda: str(commit()[0])}
    try:
        print(answers[verb](*arguments))
    except NoCommit as error:
        print(f"version {verb}: {error}", file=sys.stderr)
        return 1
    return 0


def full() -> str:
    """Return the version of what is built from this folder."""
    return number() + tag()


def number() -> str:
    """Return the number in pyproject.toml."""
    found: str = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    return found


def tag() -> str:
    """Return the part of the version that names the commit, with its plus sign. Raises NoCommit."""
    if is_checkout():
        is_dirty = has_changes()
        if ".dev" not in number() and not is_dirty:
            return ""
        seconds, name = commit()
        stamp = time.strftime("%Y%m%d%H%M", time.gmtime(seconds))
        return f"+{stamp}.g{name[:HASH_LENGTH]}" + (".dirty" if is_dirty else "")
    kept = ConfigParser()
    kept.read(ROOT / "setup.cfg", "utf-8")
    return kept.get("egg_info", "tag_build", fallback="")


def is_checkout() -> bool:
    """Return whether this folder itself is a checkout: an unpacked sdist may lie inside of another project's."""
    return (ROOT / ".git").exists()


def commit() -> tuple[int, str]:
    """Return time and hash of the commit that is checked out; a shallow clone has both too. Raises NoCommit."""
    if not is_checkout():
        raise NoCommit(
            f"{ROOT} is not a git checkout. Set SOURCE_DATE_EPOCH to the time of its sources in seconds since 1970"
        )
    seconds, name = git("show", "-s", "--format=%ct %H").split()
    return int(seconds), name


def has_changes() -> bool:
    """Return whether files that git knows differ from the commit; packages contain no others. Raises NoCommit."""
    return bool(git("--no-optional-locks", "status", "--porcelain", "--untracked-files=no"))


def git(*words: str) -> str:
    """Return the output of git in this folder. Raises NoCommit."""
    command = ["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), *words]
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except FileNotFoundError:
        raise NoCommit(f"{ROOT} is a git checkout, and git is missing. Install git") from None
    except subprocess.CalledProcessError as error:
        raise NoCommit(f"git cannot read {ROOT}: {error.stderr.strip()}") from None


def debian(version: str = "") -> str:
    """Return a version so that Debian sorts it as PEP 440 does: dev, alpha, beta, candidate, release."""
    public, plus, local = (version or full()).partition("+")
    return BEFORE_RELEASE.sub(before_release, public) + plus + local


def before_release(found: re.Match[str]) -> str:
    """Return a part such as .dev0 or rc2 with the tilde that Debian sorts before everything; of two, before one."""
    tildes = "~~" if found[1] == "dev" else "~"
    return tildes + found[1] + ("" if found[2] == "0" else found[2])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
