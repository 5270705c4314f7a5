"""GlobalSummaryWriter in several processes, and writers that are passed to them."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.recorded_run import run_in, scalars_of

SCRIPT = """
import multiprocessing, sys
from toposcope.recorder.tensorboard.replacing.global_writer import GlobalSummaryWriter

def record(writer, number):
    for count in range(20):
        writer.add_scalar("x", 100.0 * number + count)

if __name__ == "__main__":
    writer = GlobalSummaryWriter("run")
    record(writer, 0)
    context = multiprocessing.get_context(sys.argv[1])
    processes = [context.Process(target=record, args=(writer, number)) for number in (1, 2, 3)]
    for process in processes: process.start()
    for process in processes: process.join()
    print([process.exitcode for process in processes])
    record(writer, 4)
    writer.close()
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_every_value_of_every_process_is_in_one_run(tmp_path: Path, method: str) -> None:
    """Each process writes its own file; the steps are counted over all of them, and the run has every value once."""
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "script.py", method]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert (ended.stdout, ended.returncode) == ("[0, 0, 0]\n", 0), ended.stderr
    recorded = scalars_of(tmp_path / "run", "x")
    assert list(recorded) == list(range(100))
    assert sorted(recorded.values()) == [100.0 * number + count for number in range(5) for count in range(20)]
    assert len(list((tmp_path / "run").iterdir())) == 4
    assert run_in(tmp_path / "run").state.state == "finished"
