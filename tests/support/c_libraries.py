"""Shared libraries in C that take the place of the system's in tests."""

import shutil
import subprocess
from pathlib import Path

import pytest


def compile_library(source: Path, library: Path) -> None:
    """Compile a shared library; without a C compiler the test is skipped."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
