"""setuptools' backend (PEP 517), which sees to it that sdist and wheel hold the built console.

An sdist holds it already, so that whoever installs one needs no Node: then nothing more is asked for.
"""

import sys
from pathlib import Path
from typing import Any

import console_build
from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403 - a backend is what stands in this module


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return [*build_meta.get_requires_for_build_wheel(config_settings), *needed()]


def get_requires_for_build_sdist(config_settings: Any = None) -> list[str]:
    return [*build_meta.get_requires_for_build_sdist(config_settings), *needed()]


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    console_build.build()
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    console_build.build()
    return build_meta.build_sdist(sdist_directory, config_settings)


def needed() -> list[str]:
    return [] if console_build.is_built() else [console_build.NODE]


if __name__ == "__main__":  # `make sdist`: into this folder
    Path(sys.argv[1]).mkdir(exist_ok=True)
    print(Path(sys.argv[1]) / build_sdist(sys.argv[1]))
