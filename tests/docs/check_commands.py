"""The commands of the documentation are run as they are printed, page by page: make docs-check.

Each page has a folder with small runs, in which its commands run in order. A command that serves is stopped when it has
printed its URL.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.certificates import write_certificate
from support.documented_commands import ROOT, commands_to_run, pages_with_commands
from support.event_files import GOLDEN

from toposcope.recorder import SummaryRecord

SECONDS = 300
TRAINING = """
import sys
from toposcope.recorder import SummaryRecord
with SummaryRecord("runs/trained") as recorder:
    recorder.add_value("scalar", "loss", 0.5)
    recorder.record(1)
"""


def prepare(folder: Path) -> None:
    """Write what the commands need: runs, an old event file, a certificate, a spool, a training to run."""
    for run in ("runs/first", "runs/second", "wandb/digits/first", "SUMMARY_BASE_DIR/run"):
        with SummaryRecord(folder / run) as recorder:
            recorder.add_value("scalar", "loss", 0.5)
            recorder.add_value("scalar", "accuracy", 0.9)
            recorder.record(1)
    (folder / "runs/old").mkdir()
    (file,) = (GOLDEN / "tensorboard/torch").glob("events.out.tfevents.*.0")
    shutil.copy(file, folder / "runs/old" / "events.out.tfevents.1795230800.vm")
    write_certificate(folder)
    (folder / ".cache/toposcope/spool").mkdir(parents=True)
    (folder / "package").mkdir()
    for path in ("train.py", "package/train.py"):
        (folder / path).write_text(TRAINING)


def serves(command: str) -> bool:
    """Return whether a command runs until it is stopped."""
    return re.match(r"summary-server\b", command) is not None and re.search(r"--logdir|--bind-all", command) is not None


def run(command: str, folder: Path) -> None:
    """Run a command; assert that it ends well, or that it serves and then ends well."""
    variables = {**os.environ, "HOME": str(folder), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "TOPOSCOPE_TOKEN"):
        variables.pop(name, None)
    shell = f"exec {command}" if serves(command) else command
    with subprocess.Popen(
        shell, shell=True, cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        if serves(command):
            printed = ""
            while "://" not in printed:
                line = process.stdout.readline()
                assert line, printed
                printed += line
            process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=SECONDS)[0]
        ended = {0, 128 + signal.SIGINT} if serves(command) else {0}
        assert process.returncode in ended, f"{command}\n{output}"


@pytest.mark.parametrize("page", pages_with_commands())
def test_commands_of_a_page_run_in_order(page: str, tmp_path: Path) -> None:
    """Those of CONTRIBUTING.md run in the repository, the others in a folder with small runs."""
    if page != "CONTRIBUTING.md":
        prepare(tmp_path)
    for command in commands_to_run(ROOT / page):
        run(command, ROOT if page == "CONTRIBUTING.md" else tmp_path)
