"""setuptools' backend (PEP 517): it puts the built console and guides and generated modules into sdist and wheel.

An sdist has all of them, so installing one needs neither Node nor Zensical nor the packages that the tables of DHCP
import, and the backend requires none of these.
"""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import archive
import console_build
import docs_build
from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403 - a backend is what stands in this module

from api.generators import client_attributes

ROOT = Path(__file__).resolve().parents[1]
CLIENT = ROOT / "api/client/attributes.py"
TABLES = (
    "dnspython>=2.7",
    "msgspec>=0.19",
)  # imported by ipam_core/dhcp, from which setup.py writes the constants


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return [*build_meta.get_requires_for_build_wheel(config_settings), *needed()]


def get_requires_for_build_sdist(config_settings: Any = None) -> list[str]:
    return [*build_meta.get_requires_for_build_sdist(config_settings), *needed()]


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    build_parts()
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    build_parts()
    name: str = build_meta.build_sdist(sdist_directory, config_settings)
    archive.normalize(Path(sdist_directory, name))
    return name


def needed() -> list[str]:
    wanted = {console_build.NODE: console_build.is_built(), docs_build.ZENSICAL: docs_build.is_built()}
    missing = [package for package, built in wanted.items() if not built]
    return missing if (ROOT / "PKG-INFO").exists() else [*missing, *TABLES]  # an sdist has PKG-INFO


def build_parts() -> None:
    """Build the console and the guides if they are not of these sources, and write the client's module."""
    console_build.build()
    docs_build.build()
    CLIENT.write_text(client_attributes.written())


if __name__ == "__main__":  # `make sdist`: into this folder
    Path(sys.argv[1]).mkdir(exist_ok=True)
    print(Path(sys.argv[1]) / build_sdist(sys.argv[1]))
