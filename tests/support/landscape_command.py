"""The command summary-landscape, which computes the landscapes of a bowl on the workers of a cluster."""

import os
import subprocess
import sys
from pathlib import Path

from support.clusters import IMPORTS

_MODULE = "from support.bowl_network import bowl_callback\ncallback_fn = bowl_callback()\n"


def measure_by_command(folder: Path, place: Path | str, *options: str, **variables: str) -> None:
    """Compute the landscapes of a place by the command, in a folder where it finds the bowl."""
    (folder / "bowl_callbacks.py").write_text(_MODULE)
    command = [sys.executable, "-m", "toposcope.recorder.landscapes.command", str(place)]
    command += ["--model", "bowl_callbacks:callback_fn", *options]
    subprocess.run(command, check=True, cwd=folder, env={**os.environ, **IMPORTS, **variables})
