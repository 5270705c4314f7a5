"""install() in processes with the real writers of PyTorch and tensorboardX."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.recorded_run import run_in, scalars_of


def run_script(script: str, directory: Path) -> list[str]:
    """Run a script and return the lines that it printed."""
    command = [sys.executable, "-c", f"D = {str(directory)!r}\n{script}"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


TORCH = "from torch.utils.tensorboard import SummaryWriter\n"
TENSORBOARDX = "from tensorboardX import SummaryWriter\n"
INSTALL = "from toposcope.recorder import install, uninstall\ninstall()\n"
RECORD = """
writer = SummaryWriter(D)
writer.add_scalar("x", 0.1, 1)
assert isinstance(writer, SummaryWriter)
writer.close()
print(SummaryWriter.__mro__[1].__module__)
"""


@pytest.mark.parametrize("package", [TORCH, TENSORBOARDX])
@pytest.mark.parametrize("is_first", [True, False])
def test_the_writer_is_ours(tmp_path: Path, package: str, is_first: bool) -> None:
    """A writer records exact doubles, whether its package was imported first or not."""
    script = (package + INSTALL if is_first else INSTALL + package) + RECORD
    assert run_script(script, tmp_path)[0].startswith("toposcope.recorder.tensorboard")
    assert scalars_of(tmp_path, "x") == {1: 0.1}


def test_the_global_writer_of_tensorboardx(tmp_path: Path) -> None:
    """GlobalSummaryWriter counts the steps, and records through our writer."""
    script = (
        "import tensorboardX\n"
        + INSTALL
        + """
if __name__ == "__main__":
    writer = tensorboardX.GlobalSummaryWriter(D)
    for value in (0.1, 0.2):
        writer.add_scalar("x", value)
    writer.add_text("note", "text")
    writer.close()
"""
    )
    run_script(script, tmp_path)
    assert scalars_of(tmp_path, "x") == {0: 0.1, 1: 0.2}
    assert run_in(tmp_path).state.state == "finished"


def test_the_global_writer_in_forked_processes(tmp_path: Path) -> None:
    """Every value of every process is in the run once, at steps counted over all of them."""
    script = (
        "import multiprocessing, tensorboardX\n"
        + INSTALL
        + """
writer = tensorboardX.GlobalSummaryWriter(D)
def record():
    for value in range(20):
        writer.add_scalar("x", float(value))
processes = [multiprocessing.get_context("fork").Process(target=record) for _ in range(3)]
for process in processes: process.start()
for process in processes: process.join()
record()
writer.close()
"""
    )
    run_script(script, tmp_path)
    recorded = scalars_of(tmp_path, "x")
    assert list(recorded) == list(range(80))
    assert sorted(recorded.values()) == sorted([float(value) for value in range(20)] * 4)


def test_uninstall_puts_the_classes_back(tmp_path: Path) -> None:
    """Afterwards the writers are those of their packages."""
    script = """
import torch.utils.tensorboard, tensorboardX, torch.utils.tensorboard.writer as writer
theirs = [tensorboardX.SummaryWriter, torch.utils.tensorboard.SummaryWriter, writer.FileWriter]
from toposcope.recorder import install, uninstall
install()
print(tensorboardX.SummaryWriter in theirs, issubclass(tensorboardX.SummaryWriter, theirs[0]))
uninstall()
print(theirs == [tensorboardX.SummaryWriter, torch.utils.tensorboard.SummaryWriter, writer.FileWriter])
"""
    assert run_script(script, tmp_path) == ["False True", "True"]
