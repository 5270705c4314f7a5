"""Children of multiprocessing that close nothing: what lies above the recorder is complete when they end, too."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.recorded_run import run_in, scalars_of
from support.run_events import environments_in

_PROGRAM = """
import multiprocessing, os, sys
from concurrent.futures import ProcessPoolExecutor

os.environ["WANDB_SILENT"] = "true"


def record_wandb(directory):
    global run
    from toposcope.recorder import wandb

    run = wandb.init(dir=directory, id="child", config={"rate": 0.1})
    wandb.define_metric("loss", summary="min")
    for loss in (0.5, 0.25, 0.75):
        wandb.log({"loss": loss})
    wandb.log({"uncommitted": 1.0}, commit=False)
    run.summary["best"] = 7


def record_collector(directory):
    global run
    from toposcope.recorder.callbacks import SummaryCollector

    run = SummaryCollector(directory, collect_freq=1).watch(epochs=1, steps_per_epoch=2)
    run.__enter__()
    run.step(0.5)
    run.step(0.25)


def record_logged_run(directory):
    global run
    from toposcope.recorder.frameworks.loggers.logged_run import LoggedRun

    run = LoggedRun(directory)
    run.begin()
    run.log({"loss": 0.5}, 1)


if __name__ == "__main__":
    method, start, kind, directory = sys.argv[1:]
    record = {"wandb": record_wandb, "collector": record_collector, "logged run": record_logged_run}[kind]
    context = multiprocessing.get_context(method)
    if start == "process":
        child = context.Process(target=record, args=(directory,))
        child.start()
        child.join()
        sys.exit(child.exitcode)
    if start == "pool":
        pool = context.Pool(1)
        pool.map(record, [directory])
        pool.close()
        pool.join()
    else:
        with ProcessPoolExecutor(1, mp_context=context) as executor:
            executor.submit(record, directory).result()
"""
_STARTS = [("fork", "process"), ("spawn", "process"), ("forkserver", "process"), ("fork", "pool"), ("fork", "executor")]


def run_child(directory: Path, method: str, start: str, kind: str) -> None:
    """Run a child that records and closes nothing."""
    program = directory / "program.py"
    program.write_text(_PROGRAM)
    arguments = [sys.executable, str(program), method, start, kind, str(directory / "runs")]
    subprocess.run(arguments, check=True, timeout=120)


@pytest.mark.parametrize(("method", "start"), _STARTS)
def test_a_run_without_finish_is_complete(tmp_path: Path, method: str, start: str) -> None:
    """The summary, the results of defined metrics and the step that is not committed are there."""
    run_child(tmp_path, method, start, "wandb")
    (directory,) = (tmp_path / "runs").glob("wandb/*/*child*")
    lineage, state = run_in(directory).lineage(), run_in(directory).state
    assert (state.state, lineage.metrics["loss.min"], lineage.metrics["best"]) == ("finished", 0.25, 7)
    assert scalars_of(directory, "uncommitted") == {3: 1.0}


@pytest.mark.parametrize(("method", "start"), _STARTS)
def test_a_collector_without_close_is_complete(tmp_path: Path, method: str, start: str) -> None:
    """The lineage and the environment are there."""
    run_child(tmp_path, method, start, "collector")
    run = run_in(tmp_path / "runs")
    assert run.state.state == "finished"
    assert run.lineage().model["loss"] == 0.25
    assert len(environments_in(tmp_path / "runs")) == 1


def test_a_run_of_another_library_is_complete(tmp_path: Path) -> None:
    """What the adapters of loggers record without close()."""
    run_child(tmp_path, "spawn", "process", "logged run")
    assert run_in(tmp_path / "runs").state.state == "finished"
    assert scalars_of(tmp_path / "runs", "loss") == {1: 0.5}
    assert len(environments_in(tmp_path / "runs")) == 1


def test_a_child_begins_a_run_of_its_own_while_its_parent_has_one(tmp_path: Path) -> None:
    """A forked process inherits the active run, in which it cannot record."""
    program = """
import multiprocessing, os, sys
from toposcope.recorder import wandb

def record(name):
    run = wandb.init(dir=sys.argv[1], id=name)
    wandb.log({"loss": len(name)})

record("parent")
child = multiprocessing.get_context("fork").Process(target=record, args=("child",))
child.start()
child.join()
"""
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True, timeout=120)
    for name in ("parent", "child"):
        (directory,) = tmp_path.glob(f"wandb/*/*{name}*")
        assert scalars_of(directory, "loss") == {0: len(name)}
