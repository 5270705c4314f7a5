"""model.fit() of Keras in two processes that train together: PyTorch's DDP and keras.distribution with JAX."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import keras
import pytest
from support.recorded_run import run_in

from toposcope.proto.file_name import parse_file_name

BACKEND, SECONDS = keras.backend.backend(), 240
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(BACKEND == "tensorflow", reason="fit() of Keras 3 fails under MultiWorkerMirroredStrategy"),
]

TORCH = """
import torch
from torch.nn.parallel import DistributedDataParallel
torch.distributed.init_process_group("gloo", init_method=f"tcp://localhost:{port}", rank=rank, world_size=2)

class Parallel(keras.Sequential):
    def train_step(self, data):
        x, y, _ = keras.utils.unpack_x_y_sample_weight(data)
        self.zero_grad()
        outputs = parallel(x)
        loss = self.compute_loss(x=x, y=y, y_pred=outputs)
        self._loss_tracker.update_state(loss)
        loss.backward()
        with torch.no_grad():
            self.optimizer.apply([each.value.grad for each in self.trainable_weights], self.trainable_weights)
        return self.compute_metrics(x, y, outputs)

model = regression(Parallel)
parallel = DistributedDataParallel(model)
"""
JAX = """
keras.distribution.initialize(f"localhost:{port}", 2, rank)
keras.distribution.set_distribution(keras.distribution.DataParallel(auto_shard_dataset=False))
model = regression(keras.Sequential)
"""
SCRIPT = """
import json, sys
from pathlib import Path
import keras, numpy as np
from toposcope.recorder.frameworks.keras import ToposcopeCallback

directory, rank, port = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
random = np.random.default_rng(0)
x = random.normal(size=(24, 4)).astype(np.float32)
y = x[:, :3] * 2
own = slice(rank * 12, rank * 12 + 12)

def regression(kind):
    keras.utils.set_random_seed(0)
    model = kind([keras.layers.Input((4,)), keras.layers.Dense(3, name="out")])
    model.compile(keras.optimizers.SGD(0.05), "mse", metrics=["mae"])
    return model

START
losses = []

class Losses(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        losses.append(float(logs["loss"]))

data = {"collect_graph": False, "collect_machine": False}
saving = keras.callbacks.ModelCheckpoint(str(directory / f"model-{rank}-{{epoch}}.keras"))
callbacks = [Losses(), ToposcopeCallback(directory / "run", collect_specified_data=data), saving]
history = DATA
weights = [weight.tolist() for weight in model.get_weights()]
Path(directory, f"{rank}.json").write_text(json.dumps({"history": history, "weights": weights, "losses": losses}))
"""
START = {"torch": TORCH, "jax": JAX}.get(BACKEND, "")
FIT = (
    "model.fit(x[own], y[own], batch_size=4, epochs=2, shuffle=False, verbose=0, callbacks=callbacks, "
    "validation_data=(x[own], y[own])).history"
)


def train(directory: Path) -> list[dict[str, Any]]:
    """Train in two processes, which no launcher has started; return what each of them wrote."""
    path = directory / "training.py"
    path.write_text(SCRIPT.replace("START", START).replace("DATA", FIT))
    launchers = ("PYTEST", "RANK", "WORLD_SIZE", "SLURM")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(launchers)}
    with socket.create_server(("localhost", 0)) as server:
        port = server.getsockname()[1]
    processes = []
    for rank in range(2):
        environment = kept | {"OMP_NUM_THREADS": "1"}
        command = [sys.executable, str(path), str(directory), str(rank), str(port)]
        processes.append(subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True))
    try:
        errors = [process.communicate(timeout=SECONDS)[1] for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert [process.returncode for process in processes] == [0, 0], errors
    return [json.loads((directory / f"{rank}.json").read_text()) for rank in range(2)]


def test_two_processes_record_one_run(tmp_path: Path) -> None:
    """Each process records its losses; evaluations, settings and checkpoints are those of the first."""
    results = train(tmp_path)

    assert results[0]["weights"] == results[1]["weights"]
    run = run_in(tmp_path / "run")
    assert run.ranks == [0, 1]
    assert [each.state for each in run.state.recordings] == ["finished"] * 2
    for rank, result in enumerate(results):
        losses = run.scalars("loss/auto", rank=rank)
        assert losses.step.tolist() == [1, 2, 3, 4, 5, 6]
        means = [losses.value[first : last + 1].mean() for first in (0, 3) for last in range(first, first + 3)]
        assert means == pytest.approx(result["losses"], rel=1e-5)
        assert run.scalars("train/loss", rank=rank).value.tolist() == pytest.approx(result["history"]["loss"])
    assert run.scalars("eval/loss", rank=0).value.tolist() == pytest.approx(results[0]["history"]["val_loss"])
    assert not len(run.scalars("eval/loss", rank=1).step)
    assert [text.texts[0] for text in run.text("checkpoint", rank=0)] == ["model-0-1.keras", "model-0-2.keras"]
    assert not len(run.text("checkpoint", rank=1))
    names = [parse_file_name(path.name) for path in (tmp_path / "run").iterdir()]
    assert {name.rank for name in names if name is not None and name.is_lineage} == {0}
