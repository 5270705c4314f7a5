"""What compiles the scan of event files: a C compiler and the headers of Python, and what to install without them.

The Makefile runs this file before it installs anything: python -I server/process/compiler.py
"""

import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

_HEADERS = sysconfig.get_path("include")


def compiler_advice() -> str:
    """Return what to install so that the scan can be compiled for this Python."""
    packages = ["gcc", "libc6-dev"]
    if not Path(_HEADERS, "Python.h").exists():
        packages.append(f"python{sys.version_info.major}.{sys.version_info.minor}-dev")
    return (
        "install a C compiler and the headers of Python "
        f"(Debian and Ubuntu, as root: apt-get install {' '.join(packages)})"
    )


def can_compile() -> bool:
    """Return whether the C compiler, that of CC or else Python's own, finds the headers of Python."""
    compiler = shlex.split(os.environ.get("CC") or str(sysconfig.get_config_var("CC") or "cc"))
    command = [*compiler, f"-I{_HEADERS}", "-fsyntax-only", "-x", "c", "-"]
    try:
        return subprocess.run(command, input=b"#include <Python.h>\n", capture_output=True).returncode == 0
    except OSError:
        return False


if __name__ == "__main__" and not can_compile():
    sys.exit(
        f"Event files will be read about 50 times slower. To avoid that, {compiler_advice()}, then run make again."
    )
