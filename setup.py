"""The Cython extensions and their four switches; everything else is in pyproject.toml.

IPAM_DEBUG=1     line tracing and asserts in the compiled code
IPAM_SANITIZE=1  address and undefined-behaviour sanitizers (run Python with libasan preloaded)
IPAM_WERROR=1    a warning of the C compiler ends the build
IPAM_PROBES=1    beside the engine, what shows it to its tests (tests/extensions); never part of a package

All cores translate and compile. An editable install and the questions of installers about the package compile nothing:
setuptools would build into a folder that it removes, and `build_ext --inplace`, which puts the extensions where an
editable install looks for them, would compile them a second time.

Cython reads the declarations (.pxd) that a module needs anew for each module, two thirds of its time here. Where many
modules are to be translated they are read once, and each module is translated in a fork of the process that has them.
"""

import gc
import os
import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / ".ci"))
sys.path.insert(0, str(Path(__file__).parent))

import version
from Cython.Build import cythonize
from Cython.Build.Dependencies import create_dependency_tree
from Cython.Compiler import Errors, Options
from Cython.Compiler.Main import CompilationOptions, Context
from setuptools import Extension, setup

CORES = len(os.sched_getaffinity(0))
WITHOUT_EXTENSIONS = {"editable_wheel", "egg_info", "dist_info"}
DEBUG = os.environ.get("IPAM_DEBUG") == "1"
SANITIZE = os.environ.get("IPAM_SANITIZE") == "1"
WERROR = os.environ.get("IPAM_WERROR") == "1"
PROBES = os.environ.get("IPAM_PROBES") == "1"
PROBES_FOLDER = Path("tests/extensions")

# Off the packet path: what changes the plan, explains and traces. They are large; gcc takes half of its time for them.
COLD = {
    *("dhcp_fast/plan/compile.pyx", "dhcp_fast/plan/compile6.pyx"),
    *("dhcp_fast/plan/described.pyx", "dhcp_fast/plan/tenant_view.pyx", "dhcp_fast/plan/reservation_set.pyx"),
    *("dhcp_fast/engine/configure.pyx", "dhcp_fast/engine/recount.pyx", "dhcp_fast/engine/pool_usage.pyx"),
    *("dhcp_fast/engine/explain.pyx", "dhcp_fast/engine/explain6.pyx", "dhcp_fast/engine/rehearse.pyx"),
    *(
        "dhcp_fast/engine/notices.pyx",
        "dhcp_fast/engine/trace_reader.pyx",
        "dhcp_fast/engine/reconfigure.pyx",
    ),
    "dhcp_fast/engine/ping_replies.pyx",
}
FEW = 8  # modules, for which reading all declarations first does not pay

compile_args = ["-Og", "-g" if DEBUG else "-g1"] if DEBUG or SANITIZE else ["-O3"]
# Lines of C for debuggers are a tenth of gcc's time. Profiles name functions without them, and lines with CFLAGS=-g1.
if not (DEBUG or SANITIZE or "-g" in os.environ.get("CFLAGS", "")):
    compile_args += ["-g0"]
compile_args += ["-Wno-unused-function", "-fno-strict-aliasing"]
if WERROR and not SANITIZE:  # whose own code is warned of
    compile_args += ["-Werror"]
cold_args = ["-O0"] if DEBUG or SANITIZE else ["-O1"]
link_args: list[str] = []
if SANITIZE:
    flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"]
    # What the address sanitizer finds too, by each access itself; they are a fifth of gcc's time.
    flags += ["-fno-sanitize=null,object-size"]
    compile_args += flags
    link_args += flags

directives = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": DEBUG,
    "linetrace": DEBUG,
    "freethreading_compatible": False,
}


def module_name(path: Path) -> str:
    return ".".join(path.with_suffix("").parts)


def extension_of(name: str, path: Path) -> Extension:
    return Extension(
        name,
        [str(path)],
        extra_compile_args=[*compile_args, *(cold_args if str(path) in COLD else [])],
        extra_link_args=link_args,
        define_macros=[("CYTHON_TRACE", "1"), ("CYTHON_TRACE_NOGIL", "1")] if DEBUG else [("NDEBUG", "1")],
    )


extensions = [extension_of(module_name(path), path) for path in sorted(Path("dhcp_fast").rglob("*.pyx"))]
if PROBES:
    extensions += [
        extension_of(f"extensions.{path.stem}", path) for path in sorted(PROBES_FOLDER.glob("*.pyx"))
    ]


def write_constants() -> None:
    """Write the constants that follow from the tables of ipam_core/dhcp. An sdist contains them, so a build of it needs
    none of the packages that the tables import; likewise a copy of the engine alone."""
    if Path("PKG-INFO").exists() or not Path("ipam_core").exists():
        return
    from ipam_core.dhcp import generate_codes

    generate_codes.write(Path("dhcp_fast"))


def translate(stale: list[Extension]) -> None:
    """Makes the .c files of these, on all cores, each in a process that has read the declarations."""
    context = with_declarations()
    gc.freeze()
    todo, running = sorted(stale, key=lambda extension: -Path(extension.sources[0]).stat().st_size), 0
    while todo or running:
        if todo and running < CORES:
            extension = todo.pop(0)
            if os.fork() == 0:
                translate_one(extension, context)
            running += 1
        else:
            running -= 1
            if os.wait()[1]:
                sys.exit("a module was not translated; see above")


def with_declarations() -> Context:
    options = CompilationOptions(
        Options.default_options, compiler_directives=dict(directives), include_path=["."], language_level=3
    )
    context = Context.from_options(options)
    Errors.init_thread()
    Errors.open_listing_file(None)
    for path in sorted(Path("dhcp_fast").rglob("*.pxd")):
        context.find_module(module_name(path))
    return context


def translate_one(extension: Extension, context: Context) -> None:
    """Ends the process. What only other modules include is taken out of the context, which would write it here too."""
    status = 1
    try:
        needed = {module_name(path) for path in declarations(extension)}
        context.pxds = {
            name: tree
            for name, tree in context.pxds.items()
            if name in needed or not name.startswith("dhcp_fast")
        }
        Context.from_options = lambda options: adopt(context, options)
        cythonize([extension], compiler_directives=directives, quiet=True)
        status = 0
    except BaseException as error:  # noqa: BLE001 - whatever it is, this process must end here
        print(f"{extension.name}: {error}", file=sys.stderr)
    finally:
        sys.stderr.flush()
        os._exit(status)


def adopt(context: Context, options: CompilationOptions) -> Context:
    context.options = options
    context.include_directories = options.include_path
    context.compiler_directives = options.compiler_directives
    return context


def declarations(extension: Extension) -> Iterable[Path]:
    files = create_dependency_tree().all_dependencies(extension.sources[0])
    return (Path(file) for file in files if file.endswith(".pxd"))


def is_stale(extension: Extension) -> bool:
    written = Path(extension.sources[0]).with_suffix(".c")
    newest, _ = create_dependency_tree().newest_dependency(extension.sources[0])
    return not written.exists() or written.stat().st_mtime < newest


# The part of the version that names the commit.
options = {"egg_info": {"tag_build": version.tag()}}

if WITHOUT_EXTENSIONS & set(sys.argv):
    setup(options=options)
elif "sdist" in sys.argv:  # MANIFEST.in names the sources
    write_constants()
    setup(options=options)
else:
    write_constants()
    stale = [extension for extension in extensions if is_stale(extension)]
    if len(stale) > FEW:
        translate(stale)
    setup(
        ext_modules=cythonize(extensions, compiler_directives=directives, nthreads=CORES),
        package_dir={"extensions": str(PROBES_FOLDER)},
        options=options | {"build_ext": {"parallel": CORES}},
    )
