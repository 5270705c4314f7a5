"""System calls fail, below the compiled code too: nothing that was read disappears, now or after a restart."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.c_libraries import compile_library

FOLDER = Path(__file__).parent
EVERY = 8
"""Only every so many-th call fails, with one of the errors; `make faults` makes every call fail with every error."""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="LD_PRELOAD and the calls are those of Linux")
def test_no_failing_call_loses_anything(tmp_path: Path) -> None:
    """Calls of discovery, reading, index and notes fail once, at many of their occurrences."""
    library = tmp_path / "faulty_calls.so"
    compile_library(FOLDER / "faulty_calls.c", library)
    command = [sys.executable, str(FOLDER / "inject.py"), str(library), str(EVERY)]
    path = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(FOLDER.parent)])
    variables = {**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": path}

    tried = subprocess.run(command, env=variables, capture_output=True, text=True)

    assert tried.returncode == 0, tried.stdout + tried.stderr
    assert " 0 lost something" in tried.stdout
