"""An editable installation builds the page, or fails."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from support.imports import ROOT

BUILD_EDITABLE = "import sys; sys.path.insert(0, 'packaging'); import backend; backend.build_editable(sys.argv[1])"
SOURCES = (
    "packaging",
    "proto",
    "recorder",
    "server",
    "package",
    "web",
    "setup.py",
    "pyproject.toml",
    "README.md",
    "LICENSE",
)


def test_a_page_that_cannot_be_built_fails_the_installation(tmp_path: Path) -> None:
    """For example because a registry cannot be reached."""
    clone = tmp_path / "clone"
    ignored = shutil.ignore_patterns("node_modules", "built", "*.so", "__pycache__")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, clone / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, clone / name)
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text("#!/bin/sh\nexit 3\n")
    npm.chmod(0o755)
    variables = {**os.environ, "PATH": f"{npm.parent}:{os.environ['PATH']}", "CC": "false"}  # Nothing is compiled.

    command = [sys.executable, "-c", BUILD_EDITABLE, str(tmp_path)]
    done = subprocess.run(command, cwd=clone, env=variables, capture_output=True, text=True)

    assert done.returncode != 0
    assert "npm', 'ci'" in done.stderr
    assert "returned non-zero exit status 3" in done.stderr
