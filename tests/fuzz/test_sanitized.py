"""The same tests once more over extensions built with the address and undefined-behaviour sanitizers.

Invariant: no read or write outside of its memory, none of memory given back, no undefined arithmetic, in codec, engine,
allocator, wire protocol and cache, for the whole corpus and through to the database. A finding ends the child process
at once, with its report on stderr.

The sources are copied to build/sanitize/<hash of them> and built there, so that nothing of the checkout changes and an
unchanged tree is not built again. Python's own allocator is switched off: it would hide the edges of bytes objects.
"""

import fcntl
import hashlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("wire", "alloc", "engine", "io")
CACHE = ROOT / "build" / "sanitize"
KEPT = 2

TARGETS = (
    "tests/wire/test_against_oracle.py",
    "tests/fuzz/test_rows.py",
    "tests/fuzz/test_bind.py",
    "tests/fuzz/test_allocators.py",
    "tests/fuzz/test_findings.py",
    "tests/fuzz/test_server.py",
)
SHARE = 10  # of --fuzz-count; the sanitizers make everything several times slower

# LD_PRELOAD is for this process alone: its children (PostgreSQL, for one) run as they are.
RUN = """
import os, sys
del os.environ["LD_PRELOAD"]
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""


@pytest.fixture(scope="session")
def libasan() -> str:
    found = subprocess.run(
        ["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=False
    )
    path = found.stdout.strip()
    if not Path(path).is_absolute():
        pytest.skip("missing peer: libasan (Debian: build-essential)")
    return path


@pytest.fixture(scope="session")
def sanitized(libasan: str) -> Path:
    """A folder that holds dhcp_fast, built with the sanitizers."""
    folder = CACHE / fingerprint()
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "built").exists():
            build(folder)
        (folder / "built").touch()
        forget_others(folder)
    return folder


def sources() -> list[Path]:
    extensions = [path for room in ROOMS for path in (ROOT / "dhcp_fast" / room).glob("*.p*")]
    modules = [*(ROOT / "dhcp_fast").glob("*.py"), *(ROOT / "dhcp_fast" / "load").glob("*.py")]
    return sorted([ROOT / "setup.py", *extensions, *modules])


def fingerprint() -> str:
    digest = hashlib.sha256(sys.version.encode())
    for path in sources():
        digest.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def build(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for path in sources():
        copy = folder / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace", "--parallel", "2"]
    environment = os.environ | {"IPAM_SANITIZE": "1"}
    built = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[-4000:]
    shutil.rmtree(folder / "build")


def forget_others(folder: Path) -> None:
    """Keep the newest builds only."""
    others = sorted(filter(Path.is_dir, CACHE.iterdir()), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in others[KEPT:]:
        if path != folder:
            shutil.rmtree(path)


def under_sanitizers(
    folder: Path, libasan: str, reports: Path, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Reports go to files, because pytest keeps what a test writes to stderr until it ends."""
    environment = os.environ | {
        "LD_PRELOAD": libasan,
        "ASAN_OPTIONS": f"detect_leaks=0:abort_on_error=1:detect_stack_use_after_return=1:log_path={reports}/asan",
        "UBSAN_OPTIONS": f"halt_on_error=1:print_stacktrace=1:log_path={reports}/ubsan",
        "PYTHONMALLOC": "malloc",
    }
    command = [
        sys.executable,
        "-P",
        "-c",
        RUN,
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:faulthandler",
        "-p",
        "no:xdist",
    ]
    command += ["-o", f"pythonpath={folder} tests .", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def test_clean_under_the_sanitizers(sanitized: Path, libasan: str, fuzz_count: int, tmp_path: Path) -> None:
    done = under_sanitizers(sanitized, libasan, tmp_path, "--fuzz-count", str(fuzz_count // SHARE), *TARGETS)
    findings = "\n".join(path.read_text()[:6000] for path in tmp_path.iterdir())
    assert done.returncode == 0, f"{findings}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    assert findings == ""
    assert "passed" in done.stdout
    assert "skipped" not in done.stdout


IT = """
import ctypes
from dhcp_fast.wire import packet4

def test_it():
    assert packet4.__file__.startswith({folder!r})
    assert b"__asan_init" in open(packet4.__file__, "rb").read()

def test_a_read_of_memory_given_back():
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    place = libc.malloc(300)
    libc.free(ctypes.c_void_p(place))
    packet4.inspect4((ctypes.c_ubyte * 300).from_address(place))
"""


def test_the_sanitizers_are_at_work(sanitized: Path, libasan: str, tmp_path: Path) -> None:
    """The extensions come from the built folder, and the codec over memory given back ends the process."""
    (tmp_path / "test_it.py").write_text(IT.format(folder=str(sanitized)))
    done = under_sanitizers(
        sanitized, libasan, tmp_path, "--rootdir", str(ROOT), str(tmp_path / "test_it.py")
    )
    (report,) = tmp_path.glob("asan.*")
    assert done.stdout.startswith("."), done.stdout
    assert done.returncode == -signal.SIGABRT
    assert "heap-use-after-free" in report.read_text()
    assert "parse4" in report.read_text()
