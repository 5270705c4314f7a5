"""Trainings of mindspore.Model that are resumed: the bridge counts the steps that MindSpore begins again."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
import pytest
from mindspore import nn
from mindspore.train import Model
from support import written_events

from toposcope.proto.summary_pb2 import Event
from toposcope.recorder.callbacks.summary_collector import SummaryCollector
from toposcope.recorder.frameworks.mindspore import bridge

SLOW_SECONDS = 300
PROGRAM = """
import sys
from pathlib import Path
import mindspore as ms
import numpy as np
from mindspore import nn
from mindspore.train import Callback, Model
from toposcope.recorder.callbacks.summary_collector import SummaryCollector
from toposcope.recorder.frameworks.mindspore import bridge

directory = Path(sys.argv[1])
checkpoint = str(directory / "saved.ckpt")
is_first = not Path(checkpoint).exists()
network = nn.Dense(3, 2)
optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)
columns = {"x": np.ones((40, 3), np.float32), "y": np.ones((40, 2), np.float32)}
batches = ms.dataset.NumpySlicesDataset(columns, shuffle=False).batch(4)

class AtSteps(Callback):
    def on_train_step_end(self, run_context):
        step = run_context.original_args().cur_step_num
        if is_first and step == 40:
            ms.save_checkpoint(optimizer, checkpoint)
        if is_first and step == 55:
            collector._recorder.flush()
            print("at step 55", flush=True)
            sys.stdin.read()

if not is_first:
    ms.load_param_into_net(optimizer, ms.load_checkpoint(checkpoint))
settings = {"collect_metric": True}
collector = SummaryCollector(directory / "run", 1, settings, keep_default_action=False)
epochs = 11 if is_first else 7
Model(network, nn.MSELoss(), optimizer).train(epochs, batches, callbacks=[bridge(collector), AtSteps()])
"""


def recordings(directory: Path) -> list[tuple[Event, list[int]]]:
    """Return the version event and the steps of the loss of each file, oldest first."""
    files = []
    for path in sorted(directory.glob("*_MS")):
        head, *events = written_events.read_events(path)
        files.append((head, [event.step for event in events if any(v.tag == "loss/auto" for v in event.summary.value)]))
    return files


def batches() -> Any:
    """Return ten batches."""
    columns = {"x": np.ones((40, 3), np.float32), "y": np.ones((40, 2), np.float32)}
    return ms.dataset.NumpySlicesDataset(columns, shuffle=False).batch(4)


def model() -> Model:
    """Return an untrained model."""
    network = nn.Dense(3, 2)
    return Model(network, nn.MSELoss(), nn.Momentum(network.trainable_params(), 0.1, 0.9), metrics={"loss"})


def collector(directory: Path) -> SummaryCollector:
    """Return a collector of the loss at every step, and of evaluations."""
    settings = {"collect_metric": True, "collect_eval_metrics": True}
    return SummaryCollector(directory, 1, settings, keep_default_action=False)


def test_training_killed_and_resumed_goes_on_at_the_step_of_its_optimizer(tmp_path: Path) -> None:
    """The optimizer is saved at 40, the process killed at 55; the second one records 41 to 110."""
    program = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
    with subprocess.Popen(program, text=True, **pipes) as process:
        try:
            assert process.stdout is not None
            assert "at step 55\n" in iter(process.stdout.readline, "")
        finally:
            process.kill()
    subprocess.run(program, check=True, timeout=SLOW_SECONDS)

    (_, first), (head, second) = recordings(tmp_path / "run")
    assert first == [*range(1, 56)]
    assert second == [*range(41, 111)]
    assert head.resume_step == 41


@pytest.mark.parametrize("method", ["train", "fit"])
def test_initial_epoch_determines_the_first_step(tmp_path: Path, method: str) -> None:
    """An untrained optimizer does not know the step: it is that of the first epoch."""
    arguments = (3, batches(), batches()) if method == "fit" else (3, batches())
    getattr(model(), method)(*arguments, callbacks=bridge(collector(tmp_path)), initial_epoch=2)

    ((head, steps),) = recordings(tmp_path)
    assert steps == [*range(21, 31)]
    assert not head.HasField("resume_step")
    (path,) = tmp_path.glob("*_MS")
    evaluations = [
        e.step for e in written_events.read_events(path) if any(v.tag == "eval/loss" for v in e.summary.value)
    ]
    assert evaluations == ([30] if method == "fit" else [])


def test_second_training_of_a_model_goes_on(tmp_path: Path) -> None:
    """MindSpore counts its steps from 1; the recording has each step once."""
    trained = model()
    for _ in range(2):
        trained.train(1, batches(), callbacks=bridge(collector(tmp_path)))

    assert [steps for _, steps in recordings(tmp_path)] == [[*range(1, 11)], [*range(11, 21)]]
