"""setuptools' backend (PEP 517), which puts the built console and the built guides into sdist and wheel.

An sdist has both already, so installing one needs neither Node nor Zensical, and the backend asks for neither.
"""

import sys
from pathlib import Path
from typing import Any

import archive
import console_build
import docs_build
from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403 - a backend is what stands in this module


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return [*build_meta.get_requires_for_build_wheel(config_settings), *needed()]


def get_requires_for_build_sdist(config_settings: Any = None) -> list[str]:
    return [*build_meta.get_requires_for_build_sdist(config_settings), *needed()]


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    build_sites()
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    build_sites()
    name: str = build_meta.build_sdist(sdist_directory, config_settings)
    archive.normalize(Path(sdist_directory, name))
    return name


def needed() -> list[str]:
    wanted = {console_build.NODE: console_build.is_built(), docs_build.ZENSICAL: docs_build.is_built()}
    return [package for package, built in wanted.items() if not built]


def build_sites() -> None:
    """Build the console and the guides where they are not of these sources."""
    console_build.build()
    docs_build.build()


if __name__ == "__main__":  # `make sdist`: into this folder
    Path(sys.argv[1]).mkdir(exist_ok=True)
    print(Path(sys.argv[1]) / build_sdist(sys.argv[1]))
