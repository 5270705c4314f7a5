"""Loops with Accelerate: what its trackers receive, and watch() with the objects that prepare() returns."""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import accelerate
import numpy as np
import pytest
import torch
from accelerate import Accelerator
from PIL import Image
from support.recorded_run import run_in, scalars_of, tags_of

from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.frameworks.accelerate import ToposcopeTracker

pytestmark = pytest.mark.filterwarnings("ignore")
IS_REGISTERED = hasattr(accelerate.tracking, "register_tracker_class")
TESTS = Path(__file__).parent.parent
SECONDS = 180
SCRIPT = """
import sys
import torch
from accelerate import Accelerator
from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.frameworks.accelerate import ToposcopeTracker

directory, kind = sys.argv[1], sys.argv[2]
accelerator = Accelerator(
    cpu=True, gradient_accumulation_steps=2, log_with=ToposcopeTracker("tracked", directory), project_dir=directory
)
accelerator.init_trackers("tracked", config={"lr": 0.1})
torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
data = torch.utils.data.TensorDataset(torch.randn(32, 3), torch.randn(32, 1))
loader = torch.utils.data.DataLoader(data, 4)
model, optimizer, loader = accelerator.prepare(model, torch.optim.SGD(model.parameters(), 0.1), loader)
with SummaryCollector(f"{directory}/watched").watch(model, optimizer, loader) as run:
    for i, (inputs, labels) in enumerate(loader):
        with accelerator.accumulate(model):
            loss = ((model(inputs) - labels) ** 2).mean()
            accelerator.backward(loss)
            optimizer.step()
            run.step(loss)
            optimizer.zero_grad()
        mean = accelerator.gather(loss.detach()).mean().item()
        accelerator.log({"mean": mean}, step=i + 1)
        if kind == "fails" and i == 1:
            raise OSError("the disk is full")
accelerator.end_training()
"""


def run_script(directory: Path, kind: str, *launcher: str) -> int:
    """Run SCRIPT; return its exit status."""
    path = directory / "training.py"
    path.write_text(SCRIPT)
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, *launcher, str(path), str(directory / "runs"), kind]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS)
    assert process.returncode == 0 or kind == "fails", process.stderr
    return process.returncode


def accelerator_of(directory: Path, **settings: Any) -> Accelerator:
    """Return an accelerator that records into a directory."""
    tracker = ToposcopeTracker("run", directory, collect_specified_data={"collect_machine": False})
    return Accelerator(cpu=True, log_with=tracker, project_dir=directory, **settings)


@pytest.mark.skipif(not IS_REGISTERED, reason="register_tracker_class() is newer")
def test_tracker_is_registered(tmp_path: Path) -> None:
    """log_with="toposcope" creates it, with the options of init_kwargs."""
    accelerator = Accelerator(cpu=True, log_with="toposcope", project_dir=tmp_path)
    data = {"collect_environment": False}
    accelerator.init_trackers("nested/run", init_kwargs={"toposcope": {"collect_specified_data": data}})
    accelerator.log({"loss": 0.5}, step=3)
    accelerator.end_training()

    assert scalars_of(tmp_path / "nested/run", "loss") == {3: 0.5}
    assert "environment" not in run_in(tmp_path / "nested/run").plugins


def test_values_are_recorded(tmp_path: Path) -> None:
    """Numbers and tensors are scalars, str is text; without a step, it is the next one."""
    accelerator = accelerator_of(tmp_path)
    accelerator.init_trackers("run")
    accelerator.log({"loss": torch.tensor(0.1, dtype=torch.float64), "parts": {"first": 1, "second": 2}})
    accelerator.log({"loss": 0.2, "note": "**text**"})
    accelerator.log({"loss": 0.3}, step=10)
    accelerator.log({"loss": 0.4})
    accelerator.end_training()

    directory = tmp_path / "run"
    assert scalars_of(directory, "loss") == {0: 0.1, 1: 0.2, 10: 0.3, 11: 0.4}
    assert scalars_of(directory, "parts/second") == {0: 2}
    assert run_in(directory).text("note")[0].texts == ["**text**"]
    assert run_in(directory).state.state == "finished"
    assert tags_of(directory, "scalar") == ["loss", "parts/first", "parts/second"]


def test_images_are_recorded(tmp_path: Path) -> None:
    """Arrays, and images of Pillow in a list."""
    accelerator = accelerator_of(tmp_path)
    accelerator.init_trackers("run")
    tracker = accelerator.get_tracker("toposcope")
    pixels = np.arange(2 * 4 * 5 * 3, dtype=np.uint8).reshape(2, 4, 5, 3)
    tracker.log_images({"array": pixels, "pillow": [Image.fromarray(each) for each in pixels]}, step=1)
    tracker.log_images({"rows": [pixels[0].transpose(2, 0, 1)]}, step=2, dataformats="CHW")
    accelerator.end_training()

    run = run_in(tmp_path / "run")
    assert run.images("array")[0] == run.images("pillow")[0]
    assert run.images("rows").step.tolist() == [2]


def test_values_that_cannot_be_recorded_are_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Once; the other values of the call are recorded, and the loop continues."""
    accelerator = accelerator_of(tmp_path)
    accelerator.init_trackers("run")
    for step in range(2):
        accelerator.log({"loss": 0.5, "object": object()}, step=step, log_kwargs={"toposcope": {"commit": False}})
    accelerator.get_tracker("toposcope").log_images({"odd": [np.zeros((2, 2, 3)), np.zeros((3, 2, 3))]}, step=2)
    accelerator.end_training()
    accelerator.log({"loss": 0.5})

    assert scalars_of(tmp_path / "run", "loss") == {0: 0.5, 1: 0.5}
    messages = [record.getMessage().lower() for record in caplog.records]
    named = [message.split("not recorded: ")[1] for message in messages if "not recorded" in message]
    assert [message.split(":")[0] for message in named] == [
        "log_kwargs",
        "the value of 'object' cannot be recorded",
        "odd",
        "the run",
    ]


def test_config_is_lineage(tmp_path: Path) -> None:
    """Without secrets, and not as metrics."""
    accelerator = accelerator_of(tmp_path)
    accelerator.init_trackers("run", config={"lr": 0.1, "nested": {"flag": True, "none": None}, "hub_token": "hf_abc"})
    accelerator.end_training()

    lineage = run_in(tmp_path / "run").lineage()
    assert {name: each for name, each in lineage.custom.items() if not name.startswith("environment/")} == {
        "lr": 0.1,
        "nested/flag": True,
    }
    assert not lineage.metrics
    assert not tags_of(tmp_path / "run", "scalar")


def test_resumed_training_continues_the_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The step of the first log() is where the new process begins."""
    for steps in (range(1, 6), range(4, 8)):
        accelerator = accelerator_of(tmp_path)
        accelerator.init_trackers("run", config={"first": steps.start})
        for step in steps:
            accelerator.log({"loss": step / steps.start}, step=step)
        accelerator.end_training()

    run = run_in(tmp_path / "run")
    assert scalars_of(tmp_path / "run", "loss") == {1: 1, 2: 2, 3: 3, 4: 1, 5: 1.25, 6: 1.5, 7: 1.75}
    assert run.attempts == 2
    assert run.lineage().custom["first"] == 4
    assert not [record for record in caplog.records if record.name.startswith("toposcope")]


def test_pickling(tmp_path: Path) -> None:
    """A copy of a tracker that is in use is one that has not started."""
    accelerator = accelerator_of(tmp_path)
    accelerator.init_trackers("run")
    copy = pickle.loads(pickle.dumps(accelerator.get_tracker("toposcope")))
    accelerator.end_training()

    assert copy.tracker is None
    copy.start()
    copy.log({"loss": 1.0}, step=1)
    copy.finish()
    assert scalars_of(tmp_path / "run", "loss") == {1: 1.0}


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    """With the name of what is wrong."""
    with pytest.raises(TypeError, match="unknown"):
        ToposcopeTracker("run", tmp_path, unknown=1)
    with pytest.raises(TypeError, match="run_name"):
        ToposcopeTracker(3, tmp_path)  # type: ignore[arg-type]


def test_accumulated_steps_are_watched(tmp_path: Path) -> None:
    """watch() counts the steps of an optimizer that prepare() returned."""
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    model = torch.nn.Linear(3, 1)
    loader: Any = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(8, 3)), 2)
    model, optimizer, loader = accelerator.prepare(model, torch.optim.SGD(model.parameters(), 0.1), loader)
    losses = []
    with SummaryCollector(tmp_path).watch(model, optimizer, loader) as run:
        for (inputs,) in loader:
            with accelerator.accumulate(model):
                loss = (model(inputs) ** 2).mean()
                accelerator.backward(loss)
                optimizer.step()
                run.step(loss)
                optimizer.zero_grad()
            losses.append(float(loss))

    assert scalars_of(tmp_path, "loss/auto") == pytest.approx({1: sum(losses[:2]) / 2, 2: sum(losses[2:]) / 2})


def test_two_processes(tmp_path: Path) -> None:
    """The main process records what is tracked; each process records the loop that it watches."""
    run_script(tmp_path, "trains", "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2")

    tracked, watched = run_in(tmp_path / "runs/tracked"), run_in(tmp_path / "runs/watched")
    assert tracked.ranks == [0]
    assert watched.ranks == [0, 1]
    losses = [watched.scalars("loss/auto", rank=rank) for rank in range(2)]
    assert [series.step.tolist() for series in losses] == [[1, 2], [1, 2]]
    means = tracked.scalars("mean").value
    mean = (losses[0].value + losses[1].value) / 2
    assert mean.tolist() == pytest.approx([(means[0] + means[1]) / 2, (means[2] + means[3]) / 2])


def test_error_that_ends_the_program_is_reported(tmp_path: Path) -> None:
    """The run has failed; what was recorded before is there."""
    assert run_script(tmp_path, "fails") != 0

    for name in ("tracked", "watched"):
        state = run_in(tmp_path / "runs" / name).state
        assert state.state == "failed"
        assert state.error is not None
        assert (state.error.type, state.error.text) == ("OSError", "the disk is full")
    assert list(scalars_of(tmp_path / "runs/tracked", "mean")) == [1, 2]
