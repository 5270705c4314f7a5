"""The checkpoints that a training leaves for its loss landscape."""

import json
import os
import stat
import sys
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.line_network import Line, line_batches
from support.pytorch import torch
from support.small_files import small_files

from toposcope.recorder.callbacks.summary_collector import SummaryCollector
from toposcope.recorder.checkpoints import load_checkpoint
from toposcope.recorder.landscapes.weights import incremental_gram
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet
from toposcope.recorder.landscapes.weights.incremental_gram import saved_gram
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import RunContext
from toposcope.recorder.training.model import Model


@pytest.fixture(autouse=True)
def _stop_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inner products are abandoned when they take too long, which depends on the machine."""
    monkeypatch.setattr(incremental_gram, "perf_counter", lambda: 0.0)


class Weights(Callback):
    """Stores the weight after each step."""

    def __init__(self) -> None:
        self.by_step: dict[int, float] = {}

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Store the weight."""
        params = run_context.original_args()
        self.by_step[params.cur_step_num] = float(params.network.parameters()["weight"][0])


def train(directory: Path, landscape: Any, batches: Any, epochs: int = 1, **options: Any) -> Weights:
    """Train a line with landscape checkpoints; return the weights of each step."""
    collector = SummaryCollector(directory, 10, {"collect_landscape": landscape}, keep_default_action=False)
    weights = Weights()
    Model(Line()).train(epochs, batches, callbacks=[weights, collector], **options)
    return weights


def metadata(directory: Path) -> dict[str, Any]:
    """Return train_metadata.json."""
    content: dict[str, Any] = json.loads((directory / "ckpt_dir" / "train_metadata.json").read_text())
    return content


def test_default_is_twenty_checkpoints_spread_over_the_training(tmp_path: Path) -> None:
    """They range from the first step to the last, and contain the weights of their steps."""
    weights = train(tmp_path, {}, line_batches(30), 10)

    content = metadata(tmp_path)
    points = content["epoch_group"]["0"]
    assert len(points) == 20
    assert (points[0], points[-1]) == (1, 300)
    assert {after - before for before, after in pairwise(points)} <= {15, 16}
    for point in points:
        name = content["model_params_file_map"][str(point)]
        assert name == f"Line_{point}_step.safetensors"
        network = load_checkpoint(tmp_path / "ckpt_dir" / name).network
        assert np.array_equal(np.asarray(network["weight"]), [weights.by_step[point]])


def test_metadata_has_mindspores_keys(tmp_path: Path) -> None:
    """They include the settings and the number of steps per epoch."""
    settings = {
        "landscape_size": 4,
        "unit": "epoch",
        "num_samples": 512,
        "create_landscape": {"train": True, "result": False},
        "intervals": [[1, 2, 3], [3, 4, 5]],
    }
    train(tmp_path, settings, line_batches(7), 5)

    content = metadata(tmp_path)
    assert content.pop("model_params_file_map").keys() == {"1", "2", "3", "4", "5"}
    assert content == {
        "epoch_group": {"0": [1, 2, 3], "1": [3, 4, 5]},
        "step_per_epoch": 7,
        "unit": "epoch",
        "num_samples": 512,
        "landscape_size": 4,
        "create_landscape": {"train": True, "result": False},
    }
    assert len(list((tmp_path / "ckpt_dir").glob("Line_*_epoch.safetensors"))) == 5


def test_metadata_list_only_points_that_were_reached(tmp_path: Path) -> None:
    """The training ends before the intervals do."""
    train(tmp_path, {"intervals": [[1, 3, 5], [7, 9, 11], [50, 60, 70]]}, line_batches(10))

    assert metadata(tmp_path)["epoch_group"] == {"0": [1, 3, 5], "1": [7, 9]}


def test_no_checkpoints_are_saved_by_default(tmp_path: Path) -> None:
    """MindSpore's collector saves nineteen."""
    Model(Line()).train(1, line_batches(30), callbacks=SummaryCollector(tmp_path))

    assert not (tmp_path / "ckpt_dir").exists()


def test_earlier_checkpoints_of_a_directory_are_replaced(tmp_path: Path) -> None:
    """Stale weights and metadata are removed; other files are kept."""
    train(tmp_path, {}, line_batches(100))
    (tmp_path / "ckpt_dir" / "mine.ckpt").write_bytes(b"mine")
    for folder, name in (("converted", "Line_1_step.ckpt.1.2.safetensors"), ("landscapes", "job.json")):
        (tmp_path / "ckpt_dir" / folder).mkdir()
        (tmp_path / "ckpt_dir" / folder / name).write_bytes(b"of the earlier training")
    weights = train(tmp_path, {"intervals": [[1, 2, 3]]}, line_batches(4))

    assert metadata(tmp_path)["epoch_group"] == {"0": [1, 2, 3]}
    assert {path.name for path in (tmp_path / "ckpt_dir").iterdir()} == {
        *("Line_1_step.safetensors", "Line_2_step.safetensors", "Line_3_step.safetensors", "gram.npz", "mine.ckpt"),
        *("train_metadata.json", "converted"),
    }
    assert not list((tmp_path / "ckpt_dir" / "converted").iterdir())
    newest = load_checkpoint(tmp_path / "ckpt_dir" / "Line_3_step.safetensors").network["weight"]
    assert np.array_equal(np.asarray(newest), [weights.by_step[3]])


def test_hostile_metadata_cannot_remove_files_outside_the_directory(tmp_path: Path) -> None:
    """Paths in existing metadata are reduced to names in this folder."""
    outside = tmp_path / "outside.ckpt"
    outside.write_bytes(b"precious")
    (tmp_path / "run" / "ckpt_dir").mkdir(parents=True)
    hostile = {"model_params_file_map": {"1": str(outside), "2": "../../outside.ckpt"}}
    (tmp_path / "run" / "ckpt_dir" / "train_metadata.json").write_text(json.dumps(hostile))
    train(tmp_path / "run", {}, line_batches(3))

    assert outside.read_bytes() == b"precious"
    assert metadata(tmp_path / "run")["epoch_group"] == {"0": [1, 2, 3]}


@pytest.mark.parametrize(("steps", "points"), [(1, [1]), (2, [1, 2]), (19, list(range(1, 20)))])
def test_short_trainings_have_a_checkpoint_per_step(tmp_path: Path, steps: int, points: list[int]) -> None:
    """A training is short if it has fewer than twenty steps."""
    train(tmp_path, {}, line_batches(steps))

    assert metadata(tmp_path)["epoch_group"] == {"0": points}


def test_training_of_unknown_length_keeps_fewer_than_twenty_and_the_last(tmp_path: Path) -> None:
    """Every second one is dropped whenever there would be twenty."""

    class Lengthless:
        def __iter__(self) -> Any:
            return iter(line_batches(1003))

    train(tmp_path, {}, Lengthless())

    points = metadata(tmp_path)["epoch_group"]["0"]
    assert points == [*range(64, 1003, 64), 1003]
    assert len(list((tmp_path / "ckpt_dir").glob("*.safetensors"))) == len(points)


def test_last_weights_of_a_stopped_training_are_saved(tmp_path: Path) -> None:
    """The landscape of the result is computed around the last weights."""

    class Stop(Callback):
        def on_train_step_end(self, run_context: RunContext) -> None:
            if run_context.original_args().cur_step_num == 50:
                run_context.request_stop()

    collector = SummaryCollector(tmp_path, 10, {"collect_landscape": {}}, keep_default_action=False)
    Model(Line()).train(1, line_batches(100), callbacks=[collector, Stop()])

    assert metadata(tmp_path)["epoch_group"]["0"] == [1, 6, 11, 17, 22, 27, 32, 37, 43, 48, 50]


def test_in_sink_mode_checkpoints_are_saved_at_the_hooks(tmp_path: Path) -> None:
    """A point is saved at the end of the sink that passes it."""
    train(tmp_path, {}, line_batches(50), 10, dataset_sink_mode=True)

    assert metadata(tmp_path)["epoch_group"]["0"] == list(range(50, 501, 50))


def test_other_ranks_save_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The weights are the same on every rank."""
    monkeypatch.setenv("RANK", "1")
    train(tmp_path, {}, line_batches(5))

    assert not (tmp_path / "ckpt_dir").exists()


def test_inner_products_are_updated_with_each_checkpoint(tmp_path: Path) -> None:
    """They equal those computed from the files; dropped checkpoints are removed from them."""

    class Lengthless:
        def __iter__(self) -> Any:
            return iter(line_batches(50))

    train(tmp_path, {}, Lengthless())

    points = metadata(tmp_path)["epoch_group"]["0"]
    saved = saved_gram(str(tmp_path / "ckpt_dir" / "gram.npz"))
    assert saved is not None
    assert [*saved.files] == points
    checkpoints = CheckpointSet.open(tmp_path / "ckpt_dir", points)
    weights = np.array(checkpoints.rows[:], np.float64)
    displacements = weights - weights[-1]
    squares = np.diag(saved.products) + saved.products[-1, -1] - 2 * saved.products[-1]
    assert np.allclose(squares, (displacements**2).sum(axis=1), rtol=1e-5, atol=1e-6)


def test_checkpoints_can_be_read_during_the_training(tmp_path: Path) -> None:
    """Metadata are written with each checkpoint, so that those of an interrupted training are usable."""
    last_points: list[int] = []

    class Reader(Callback):
        def on_train_step_end(self, run_context: RunContext) -> None:
            step = run_context.original_args().cur_step_num
            checkpoints = CheckpointSet.open(tmp_path / "ckpt_dir", metadata(tmp_path)["epoch_group"]["0"])
            network = run_context.original_args().network.parameters()
            weights = np.concatenate([network[tensor.name] for tensor in checkpoints.layout.tensors])
            assert np.array_equal(checkpoints.rows[-1], weights.astype(np.float32))
            last_points.append(checkpoints.points[-1])
            assert checkpoints.points[-1] == step

    collector = SummaryCollector(tmp_path, 10, {"collect_landscape": {}}, keep_default_action=False)
    Model(Line()).train(1, line_batches(4), callbacks=[collector, Reader()])

    assert last_points == [1, 2, 3, 4]


def test_torch_networks_are_saved_with_their_buffers(tmp_path: Path) -> None:
    """The inner products are those of the parameters, without the statistics of BatchNorm."""
    network = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1))
    network[0].weight.requires_grad_(False)
    batches = [(torch.randn(8, 3), torch.randn(8, 1)) for _ in range(3)]
    collector = SummaryCollector(tmp_path, 10, {"collect_landscape": {}}, keep_default_action=False)
    optimizer = torch.optim.SGD(network.parameters(), 0.1)
    Model(network, torch.nn.MSELoss(), optimizer).train(1, batches, callbacks=collector)

    saved = saved_gram(str(tmp_path / "ckpt_dir" / "gram.npz"))
    assert saved is not None
    assert set(saved.tensors) == {name for name, _ in network.named_parameters()}
    checkpoints = CheckpointSet.open(tmp_path / "ckpt_dir", [1, 2, 3])
    assert checkpoints.layout.size - checkpoints.layout.parameter_count == 8
    assert np.array_equal(np.ravel(network.get_buffer("1.running_var").numpy()), checkpoints.rows[-1][-4:])


def test_without_safetensors_checkpoints_are_ckpt_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package safetensors is optional."""
    monkeypatch.setitem(sys.modules, "safetensors", None)
    train(tmp_path, {"intervals": [[1, 2, 3]]}, line_batches(3))

    assert metadata(tmp_path)["model_params_file_map"]["3"] == "Line_3_step.ckpt"
    assert not (tmp_path / "ckpt_dir" / "gram.npz").exists()
    assert len(CheckpointSet.open(tmp_path / "ckpt_dir", [1, 2, 3]).rows) == 3


def test_states_that_safetensors_cannot_store_are_saved_as_ckpt_files(tmp_path: Path) -> None:
    """The module has an extra state with a slice."""

    class Odd(torch.nn.Linear):
        def get_extra_state(self) -> Any:
            return {"shape": slice(1, 2)}

        def set_extra_state(self, state: Any) -> None:
            pass

    collector = SummaryCollector(tmp_path, 10, {"collect_landscape": {}}, keep_default_action=False)
    network = Odd(2, 1)
    batches = [(torch.randn(8, 2), torch.randn(8, 1)) for _ in range(3)]
    Model(network, torch.nn.MSELoss(), torch.optim.SGD(network.parameters(), 0.1)).train(
        1, batches, callbacks=collector
    )

    assert metadata(tmp_path)["model_params_file_map"]["3"] == "Odd_3_step.ckpt"


def test_permissions_of_files_follow_the_umask(tmp_path: Path) -> None:
    """Read-only files left by MindSpore are replaced."""
    folder = tmp_path / "ckpt_dir"
    folder.mkdir()
    stale = {"model_params_file_map": {"1": str(folder / "Line_1_step.ckpt")}}
    (folder / "train_metadata.json").write_text(json.dumps(stale))
    (folder / "Line_1_step.ckpt").write_bytes(b"stale")
    for file in folder.iterdir():
        file.chmod(0o400)
    before = os.umask(0o077)
    try:
        train(tmp_path, {"intervals": [[1, 2, 3]]}, line_batches(3))
    finally:
        os.umask(before)

    names = {f"Line_{point}_step.safetensors" for point in (1, 2, 3)} | {"gram.npz", "train_metadata.json"}
    assert {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == dict.fromkeys(names, 0o600)


def test_failing_checkpoints_are_logged_once_and_the_training_continues(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A file has the name of the folder."""
    (tmp_path / "ckpt_dir").write_bytes(b"")
    weights = train(tmp_path, {}, line_batches(30))

    assert len(weights.by_step) == 30
    assert len([record for record in caplog.records if "landscape checkpoint" in record.getMessage()]) == 1


class Filling(Callback):
    """Simulates a full disk from the beginning of one step to the end of another."""

    def __init__(self, first: int, last: int) -> None:
        self._first, self._last, self._full = first, last, ExitStack()

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Fill the disk."""
        if run_context.original_args().cur_step_num == self._first:
            self._full.enter_context(small_files(64))

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Free the disk."""
        if run_context.original_args().cur_step_num == self._last:
            self._full.close()


@pytest.mark.parametrize("ending", ["safetensors", "ckpt"])
def test_full_disk_loses_only_the_checkpoints_of_that_time(
    tmp_path: Path, ending: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is logged once; earlier and later checkpoints exist, and the metadata are correct at every step."""
    if ending == "ckpt":
        monkeypatch.setitem(sys.modules, "safetensors", None)
    network = torch.nn.Linear(200, 10)
    batches = [(torch.randn(4, 200), torch.randn(4, 10)) for _ in range(12)]
    counts = []

    class Counting(Callback):
        def on_train_step_end(self, run_context: RunContext) -> None:
            files = metadata(tmp_path)["model_params_file_map"]
            assert set(files.values()) <= set(os.listdir(tmp_path / "ckpt_dir"))
            counts.append(len(files))

    collector = SummaryCollector(tmp_path, 100, {"collect_landscape": {}}, keep_default_action=False)
    model = Model(network, torch.nn.MSELoss(), torch.optim.SGD(network.parameters(), 0.1))
    model.train(1, batches, callbacks=[Filling(4, 6), collector, Counting()])

    assert counts == [1, 2, 3, 3, 3, 4, 5, 6, 7, 8, 9, 10]
    points = metadata(tmp_path)["epoch_group"]["0"]
    assert points == [1, 2, 3, 6, 7, 8, 9, 10, 11, 12]
    assert len(CheckpointSet.open(tmp_path / "ckpt_dir", points).rows) == 10
    lines = [record.getMessage() for record in caplog.records if "landscape checkpoint" in record.getMessage()]
    assert len(lines) == 1
    assert "step 4 " in lines[0]
    assert not [name for name in os.listdir(tmp_path / "ckpt_dir") if name.endswith(".part")]


def test_training_of_unknown_length_retries_less_and_less_often(tmp_path: Path) -> None:
    """A full disk is not tried at each step; the last weights are saved when there is space again."""
    attempts: list[int] = []

    class Lengthless:
        def __iter__(self) -> Any:
            return iter(line_batches(200))

    class Counting(Line):
        def parameters(self) -> Any:
            attempts.append(1)
            return super().parameters()

    (tmp_path / "ckpt_dir").write_bytes(b"")
    collector = SummaryCollector(tmp_path, 1000, {"collect_landscape": {}}, keep_default_action=False)

    class Emptying(Callback):
        def on_train_step_end(self, run_context: RunContext) -> None:
            if run_context.original_args().cur_step_num == 199:
                (tmp_path / "ckpt_dir").unlink()

    Model(Counting()).train(1, Lengthless(), callbacks=[collector, Emptying()])

    assert len(attempts) < 100
    assert metadata(tmp_path)["epoch_group"]["0"] == [200]
