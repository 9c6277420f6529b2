"""The container file: what it copies is enough to build, and what it runs is not root and says whether it is well."""

import re
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINES = (ROOT / "deploy/Containerfile").read_text().replace("\\\n", " ").splitlines()
STAGES = "\n".join(LINES).split("\nFROM ")


def test_the_last_stage_runs_as_an_account_with_a_number() -> None:
    (user,) = re.findall(r"^USER (\S+)$", STAGES[-1], re.MULTILINE)
    assert int(user.split(":")[0]) > 0
    assert f"--uid {user.split(':')[0]} " in STAGES[-1]
    assert "build-essential" not in STAGES[-1]


def test_it_says_whether_it_is_ready_and_starts_everything() -> None:
    assert re.search(r"^HEALTHCHECK .*/readyz", STAGES[-1], re.MULTILINE)
    assert LINES[-2:] == ['ENTRYPOINT ["ipam"]', 'CMD ["up"]']


def test_what_is_let_through_is_enough_to_build(tmp_path: Path) -> None:
    """.dockerignore names what is; the package's own listing finds every module, licence and document there.
    The Ansible collection is published apart."""
    patterns = (ROOT / ".dockerignore").read_text().split()
    allowed = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    refused = [pattern.removeprefix("**/") for pattern in patterns if pattern.startswith("**/")]
    for name in allowed:
        source, target = ROOT / name, tmp_path / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns(*refused))
        else:
            target.parent.mkdir(exist_ok=True)
            shutil.copy(source, target)
    listing = [sys.executable, "setup.py", "--quiet", "egg_info", "--egg-base", str(tmp_path)]
    done = subprocess.run(listing, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = set((tmp_path / "ipam.egg-info/SOURCES.txt").read_text().splitlines())
    modules = {
        str(path.relative_to(ROOT)) for name in ("api", "ipam_core") for path in (ROOT / name).rglob("*.py")
    }
    assert {name for name in modules - found if not name.startswith("api/ansible/")} == set()
    assert "LICENSE" in found
    for expression in ("console.digest(console.sources())", "docs.digest()"):
        assert digest_of(tmp_path, expression) == digest_of(ROOT, expression)
    assert not [name for name in found if any(fnmatch(name, pattern) for pattern in refused)]


def digest_of(folder: Path, expression: str) -> str:
    """Return a digest of all that the console, or the site of the guides, is built of there."""
    script = f"import console_build as console, docs_build as docs; print({expression})"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder / ".ci", capture_output=True, text=True, check=True
    )
    return done.stdout
