"""The Makefile installs again where that changes something, and says what is missing before it installs."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.imports import ROOT

from toposcope.server.process.compiler import can_compile

COMPILER = Path(".venv/.compiler")
MAKE = shutil.which("make") or "make"
INSTALLED = Path(".venv/.installed")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a folder with what the Makefile looks at, whose installation is up to date."""
    folder = tmp_path / "ein Pfad é 路"
    for name in ("Makefile", "pyproject.toml", "setup.py", "server/process/compiler.py", "web/package-lock.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    (folder / "server/reading/scan").mkdir(parents=True)
    (folder / ".venv/bin").mkdir(parents=True)
    (folder / ".venv/bin/python").symlink_to(sys.executable)
    for stamp in (COMPILER, INSTALLED):
        (folder / stamp).touch()
    return folder


def look_for_compiler(clone: Path, search_path: str) -> tuple[bool, str]:
    """Return whether the next make would install again, and what is printed."""
    done = subprocess.run(
        [MAKE, "--silent", str(COMPILER)],
        cwd=clone,
        env={**os.environ, "PATH": search_path},
        capture_output=True,
        text=True,
    )
    return (clone / COMPILER).stat().st_mtime_ns > (clone / INSTALLED).stat().st_mtime_ns, done.stderr


def folder_without_compiler(folder: Path) -> str:
    """Return a folder with the few commands that the Makefile calls."""
    folder.mkdir()
    for name in ("ls", "sh", "test", "touch", "uname"):
        (folder / name).symlink_to(shutil.which(name) or name)
    return str(folder)


def test_a_missing_compiler_is_reported_with_the_command_that_installs_it(clone: Path, tmp_path: Path) -> None:
    """One line; nothing is installed again."""
    installs, message = look_for_compiler(clone, folder_without_compiler(tmp_path / "bin"))

    assert not installs
    assert message.count("\n") == 1
    assert "apt-get install gcc libc6-dev" in message


@pytest.mark.skipif(not can_compile(), reason="there is no C compiler, or the headers of Python are missing")
def test_an_uncompiled_scan_is_installed_again_once_there_is_a_compiler(clone: Path) -> None:
    """A compiled one is not."""
    assert look_for_compiler(clone, os.environ["PATH"]) == (True, "")

    (clone / INSTALLED).touch()
    (clone / "server/reading/scan/compiled.abi3.so").touch()
    assert look_for_compiler(clone, os.environ["PATH"]) == (False, "")
