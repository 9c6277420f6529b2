"""The version of a build. pyproject.toml has its number; git adds which commit it is of.

After a release, the number is that of the next one with `.dev0`. Builds of it add time and hash of their commit as the
local version of PEP 440, such as 0.2.0.dev0+202611272030.g1a2b3c4d, so that newer builds are newer to pip and to apt.
setup.py passes this tag to setuptools; an sdist keeps it in the setup.cfg that setuptools writes into it.

python .ci/version.py full              number and tag
python .ci/version.py tag               the tag alone; empty for a release, and where nothing names the commit
python .ci/version.py debian [VERSION]  the same (or another version) as Debian writes and sorts it
python .ci/version.py time              time of the commit in seconds since 1970 (SOURCE_DATE_EPOCH)
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


def main(verb: str, *arguments: str) -> None:
    """Print one of the four."""
    answers = {"full": full, "tag": tag, "debian": debian, "time": lambda: str(commit()[0])}
    print(answers[verb](*arguments))


def full() -> str:
    """Return the version of what is built from this folder."""
    return number() + tag()


def number() -> str:
    """Return the number in pyproject.toml."""
    found: str = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    return found


def tag() -> str:
    """Return the part of the version that names the commit, with its plus sign."""
    if ".dev" not in number():
        return ""
    if is_checkout():
        seconds, name = commit()
        return f"+{time.strftime('%Y%m%d%H%M', time.gmtime(seconds))}.g{name[:HASH_LENGTH]}"
    kept = ConfigParser()
    kept.read(ROOT / "setup.cfg", "utf-8")
    return kept.get("egg_info", "tag_build", fallback="")


def is_checkout() -> bool:
    """Return whether this folder itself is a checkout: an unpacked sdist may lie inside of another project's."""
    return (ROOT / ".git").exists()


def commit() -> tuple[int, str]:
    """Return time and hash of the commit that is checked out; a shallow clone has both too."""
    git = ["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT)]
    told = subprocess.run([*git, "show", "-s", "--format=%ct %H"], check=True, capture_output=True, text=True)
    seconds, name = told.stdout.split()
    return int(seconds), name


def debian(version: str = "") -> str:
    """Return a version so that Debian sorts it before its release, as PEP 440 does."""
    public, plus, local = (version or full()).partition("+")
    return BEFORE_RELEASE.sub(before_release, public) + plus + local


def before_release(found: re.Match[str]) -> str:
    """Return a part such as .dev0 or rc2 with the tilde that Debian sorts before everything."""
    return f"~{found[1]}" + ("" if found[2] == "0" else found[2])


if __name__ == "__main__":
    main(*sys.argv[1:])
