"""The Cython extensions and their three switches; everything else is in pyproject.toml.

IPAM_DEBUG=1     line tracing and asserts in the compiled code
IPAM_SANITIZE=1  address and undefined-behaviour sanitizers (run Python with libasan preloaded)
IPAM_WERROR=1    a warning of the C compiler ends the build

All cores translate and compile. An editable install and the questions of installers about the package compile nothing:
setuptools would build into a folder that it removes, and `build_ext --inplace`, which puts the extensions where an
editable install looks for them, would compile them a second time.
"""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

CORES = len(os.sched_getaffinity(0))
WITHOUT_EXTENSIONS = {"editable_wheel", "egg_info", "dist_info"}
DEBUG = os.environ.get("IPAM_DEBUG") == "1"
SANITIZE = os.environ.get("IPAM_SANITIZE") == "1"
WERROR = os.environ.get("IPAM_WERROR") == "1"

compile_args = ["-O1", "-g"] if DEBUG or SANITIZE else ["-O3", "-g1"]
compile_args += ["-Wno-unused-function", "-fno-strict-aliasing"]
if WERROR and not SANITIZE:  # whose own code is warned of
    compile_args += ["-Werror"]
link_args: list[str] = []
if SANITIZE:
    flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"]
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

extensions = [
    Extension(
        ".".join(path.with_suffix("").parts),
        [str(path)],
        extra_compile_args=compile_args,
        extra_link_args=link_args,
        define_macros=[("CYTHON_TRACE", "1"), ("CYTHON_TRACE_NOGIL", "1")] if DEBUG else [("NDEBUG", "1")],
    )
    for path in sorted(Path("dhcp_fast").rglob("*.pyx"))
]

if WITHOUT_EXTENSIONS & set(sys.argv):
    setup()
else:
    setup(
        ext_modules=cythonize(extensions, compiler_directives=directives, nthreads=CORES),
        options={"build_ext": {"parallel": CORES}},
    )
