"""The demo: a server, a training, and a clean end."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from support.imports import ROOT
from support.servers import ENVIRONMENT, SLOW_SECONDS, wait_until


def test_ctrl_c_ends_the_demo_and_nothing_is_printed_after_its_last_line(tmp_path: Path) -> None:
    """The training is ended first, whose progress bar prints a last line."""
    command = [sys.executable, str(ROOT / "examples" / "demo.py")]
    with (tmp_path / "output").open("wb") as output:
        demo = subprocess.Popen(
            command, cwd=tmp_path, env=ENVIRONMENT, stdout=output, stderr=output, start_new_session=True
        )
    wait_until(lambda: b"the best run is" in (tmp_path / "output").read_bytes(), 2 * SLOW_SECONDS)
    os.killpg(demo.pid, signal.SIGINT)

    assert demo.wait(SLOW_SECONDS) == 0
    last = (tmp_path / "output").read_text(encoding="utf-8").splitlines()[-1]
    assert last == "The demo has ended. Its runs are in runs/."
    assert {directory.name for directory in (tmp_path / "runs").iterdir()} == {
        "digits-1",
        "simulated-tuning_lr2e-5_bs64",
    }
