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
ROOMS = (
    "structures",
    "wire",
    "leases",
    "net",
    "pg",
    "plan",
    "state",
    "clients",
    "sharing",
    "dhcp4",
    "dhcp6",
    "engine",
    "dns",
)
# What none of the tests below loads.
IDLE = ("explain", "explain6", "rehearse", "reuseport")
CACHE = ROOT / "build" / "sanitize"
KEPT = 2

# Two processes of the run take a part each.
CODECS = (
    "tests/wire/test_against_oracle.py",
    "tests/wire/test_against_oracle6.py",
    "tests/wire/test_packet6.py",
    "tests/wire/test_relay6.py",
    "tests/wire/test_reply6.py",
    "tests/fuzz/test_lease_rows.py",
    "tests/fuzz/test_bind.py",
    "tests/fuzz/test_allocators.py",
    "tests/fuzz/test_findings.py",
    "tests/fuzz/test_dns.py",
)
SERVERS = (
    "tests/answers/test_answers.py",
    "tests/answers/test_protection.py",
    "tests/fuzz/test_server.py",
    "tests/fuzz/test_server6.py",
)
SHARE = 8  # of --fuzz-count; the sanitizers make everything several times slower
CAMPAIGN = 2_000
TIMEOUT_SECONDS = 900
SLOWEST = 200  # packets a second of a campaign

pytestmark = pytest.mark.long

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
        refuse = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        refuse("missing peer: libasan (Debian: build-essential)")
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
    rooms = [path for room in ROOMS for path in (ROOT / "dhcp_fast" / room).glob("*.p*")]
    extensions = [path for path in rooms if path.suffix != ".pyx" or path.stem not in IDLE]
    extensions += (ROOT / "tests" / "extensions").glob("inspect*.pyx")
    modules = (ROOT / "dhcp_fast").rglob("*.py")
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
        if (translated := path.with_suffix(".c")).exists():  # Cython makes it anew when it is older
            shutil.copy2(translated, copy.with_suffix(".c"))
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace", "--parallel", "2"]
    environment = os.environ | {
        "IPAM_SANITIZE": "1",
        "IPAM_PROBES": "1",
        "PYTHONPATH": str(ROOT / ".ci"),
    }  # setup.py's version.py
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
    folder: Path, libasan: str, *arguments: str, timeout: int = TIMEOUT_SECONDS
) -> subprocess.CompletedProcess[str]:
    """Nothing is captured in the child (-s) and no other handler installed, so that its reports reach our stderr."""
    environment = os.environ | {
        "LD_PRELOAD": libasan,
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:detect_stack_use_after_return=1",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
    }
    command = [
        sys.executable,
        "-P",
        "-c",
        RUN,
        "-q",
        "-x",
        "-s",
        "-o",
        f"pythonpath={folder} {folder}/tests tests .",
    ]
    for plugin in ("cacheprovider", "faulthandler", "xdist"):
        command += ["-p", f"no:{plugin}"]
    return subprocess.run(
        [*command, *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def report(said: str) -> str:
    """From the sanitizer's first word on."""
    starts = [said.find(word) for word in ("runtime error", "ERROR: AddressSanitizer") if word in said]
    return said[max(0, min(starts) - 200) :][:6000] if starts else ""


@pytest.mark.parametrize("targets", [SERVERS, CODECS], ids=["servers", "codecs"])
def test_clean_under_the_sanitizers(
    sanitized: Path, libasan: str, run_folder: Path, fuzz_count: int, targets: tuple[str, ...]
) -> None:
    told = ("--run-folder", str(run_folder), "--fuzz-count", str(fuzz_count // SHARE))
    assert_clean(under_sanitizers(sanitized, libasan, *told, *targets))


@pytest.mark.parametrize("file", ["test_campaign.py", "test_campaign6.py"])
def test_campaign_under_the_sanitizers(
    sanitized: Path, libasan: str, run_folder: Path, request: pytest.FixtureRequest, file: str
) -> None:
    """As many as `--campaign` says, by rounds, from one server to one database."""
    total = request.config.getoption("--campaign") or CAMPAIGN
    seed = request.config.getoption("--campaign-seed")
    told = ("--run-folder", str(run_folder), "--campaign", str(total), "--campaign-seed", str(seed))
    file = f"tests/fuzz/{file}"
    assert_clean(
        under_sanitizers(sanitized, libasan, *told, file, timeout=TIMEOUT_SECONDS + total // SLOWEST)
    )


def assert_clean(done: subprocess.CompletedProcess[str]) -> None:
    assert report(done.stderr) == ""
    assert done.returncode == 0, f"{done.stdout[-5000:]}\n{done.stderr[-3000:]}"
    assert " passed" in done.stdout
    assert " skipped" not in done.stdout


IT = """
import ctypes
from pathlib import Path
from dhcp_fast.wire import packet4
from extensions import inspect4

def test_place():
    assert packet4.__file__.startswith({folder!r})
    undefined = b"__ubsan_handle" in Path(packet4.__file__).read_bytes()
    print("at work:", undefined)

def test_read_of_memory_given_back():
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    place = libc.malloc(300)
    libc.free(ctypes.c_void_p(place))
    inspect4.inspect4((ctypes.c_ubyte * 300).from_address(place))
"""


def test_the_sanitizers_are_at_work(sanitized: Path, libasan: str, tmp_path: Path) -> None:
    """The extensions come from the built folder, and the codec over memory given back ends the process."""
    (tmp_path / "test_it.py").write_text(IT.format(folder=str(sanitized)))
    done = under_sanitizers(sanitized, libasan, "--rootdir", str(ROOT), str(tmp_path / "test_it.py"))
    assert "at work: True" in done.stdout
    assert done.returncode == -signal.SIGABRT
    found = report(done.stderr)
    assert "heap-use-after-free" in found
    assert "parse4" in found
