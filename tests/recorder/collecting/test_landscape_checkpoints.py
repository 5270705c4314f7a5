"""The checkpoints that a training leaves for its loss landscape."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from line_network import Line, line_batches

from toposcope.recorder.callbacks.summary_collector import SummaryCollector
from toposcope.recorder.checkpoints import load_checkpoint
from toposcope.recorder.training.callback import Callback
from toposcope.recorder.training.model import Model
from toposcope.recorder.training.run_context import RunContext


class Weights(Callback):
    """Notes the weight after each step and each epoch."""

    def __init__(self) -> None:
        self.by_step: dict[int, float] = {}

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Note it."""
        params = run_context.original_args()
        self.by_step[params.cur_step_num] = float(params.network.parameters()["weight"][0])


def train(directory: Path, landscape: Any, batches: Any, epochs: int = 1, **options: Any) -> Weights:
    """Train a line and leave checkpoints."""
    collector = SummaryCollector(directory, 10, {"collect_landscape": landscape}, keep_default_action=False)
    weights = Weights()
    Model(Line()).train(epochs, batches, callbacks=[weights, collector], **options)
    return weights


def metadata(directory: Path) -> dict[str, Any]:
    """Return train_metadata.json."""
    content: dict[str, Any] = json.loads((directory / "ckpt_dir" / "train_metadata.json").read_text())
    return content


def test_default_is_twenty_checkpoints_spread_over_the_training(tmp_path: Path) -> None:
    """From the first step to the last; the files hold the weights of their steps."""
    weights = train(tmp_path, {}, line_batches(30), 10)

    told = metadata(tmp_path)
    points = told["epoch_group"]["0"]
    assert len(points) == 20
    assert (points[0], points[-1]) == (1, 300)
    assert {after - before for before, after in pairwise(points)} <= {15, 16}
    for point in points:
        path = told["model_params_file_map"][str(point)]
        assert path == str(tmp_path / "ckpt_dir" / f"Line_{point}_step.ckpt")
        assert np.array_equal(np.asarray(load_checkpoint(path).network["weight"]), [weights.by_step[point]])


def test_metadata_has_mindspores_keys(tmp_path: Path) -> None:
    """With the settings, and the number of steps in an epoch."""
    settings = {
        "landscape_size": 4,
        "unit": "epoch",
        "num_samples": 512,
        "create_landscape": {"train": True, "result": False},
        "intervals": [[1, 2, 3], [3, 4, 5]],
    }
    train(tmp_path, settings, line_batches(7), 5)

    told = metadata(tmp_path)
    assert told.pop("model_params_file_map").keys() == {"1", "2", "3", "4", "5"}
    assert told == {
        "epoch_group": {"0": [1, 2, 3], "1": [3, 4, 5]},
        "step_per_epoch": 7,
        "unit": "epoch",
        "num_samples": 512,
        "landscape_size": 4,
        "create_landscape": {"train": True, "result": False},
    }
    assert len(list((tmp_path / "ckpt_dir").glob("Line_*_epoch.ckpt"))) == 5


def test_only_points_that_were_reached_are_told(tmp_path: Path) -> None:
    """A training that ends earlier than the intervals do."""
    train(tmp_path, {"intervals": [[1, 3, 5], [7, 9, 11], [50, 60, 70]]}, line_batches(10))

    assert metadata(tmp_path)["epoch_group"] == {"0": [1, 3, 5], "1": [7, 9]}


def test_nothing_is_saved_unless_asked_for(tmp_path: Path) -> None:
    """MindSpore's collector writes nineteen checkpoints by default."""
    Model(Line()).train(1, line_batches(30), callbacks=SummaryCollector(tmp_path))

    assert not (tmp_path / "ckpt_dir").exists()


def test_earlier_checkpoints_of_a_directory_are_replaced(tmp_path: Path) -> None:
    """No stale weights, no stale metadata; files of others stay."""
    train(tmp_path, {}, line_batches(100))
    (tmp_path / "ckpt_dir" / "mine.ckpt").write_bytes(b"mine")
    weights = train(tmp_path, {"intervals": [[1, 2, 3]]}, line_batches(4))

    told = metadata(tmp_path)
    assert told["epoch_group"] == {"0": [1, 2, 3]}
    assert {path.name for path in (tmp_path / "ckpt_dir").iterdir()} == {
        *("Line_1_step.ckpt", "Line_2_step.ckpt", "Line_3_step.ckpt", "mine.ckpt", "train_metadata.json"),
    }
    newest = load_checkpoint(told["model_params_file_map"]["3"]).network["weight"]
    assert np.array_equal(np.asarray(newest), [weights.by_step[3]])


def test_hostile_metadata_of_a_directory_removes_nothing_elsewhere(tmp_path: Path) -> None:
    """Names in an earlier file are taken as names in this folder."""
    outside = tmp_path / "outside.ckpt"
    outside.write_bytes(b"precious")
    (tmp_path / "run" / "ckpt_dir").mkdir(parents=True)
    named = {"model_params_file_map": {"1": str(outside), "2": "../../outside.ckpt"}}
    (tmp_path / "run" / "ckpt_dir" / "train_metadata.json").write_text(json.dumps(named))
    train(tmp_path / "run", {}, line_batches(3))

    assert outside.read_bytes() == b"precious"
    assert metadata(tmp_path / "run")["epoch_group"] == {"0": [1, 2, 3]}


@pytest.mark.parametrize(("steps", "points"), [(1, [1]), (2, [1, 2]), (19, list(range(1, 20)))])
def test_short_trainings_have_a_checkpoint_a_step(tmp_path: Path, steps: int, points: list[int]) -> None:
    """Fewer than twenty steps."""
    train(tmp_path, {}, line_batches(steps))

    assert metadata(tmp_path)["epoch_group"] == {"0": points}


def test_training_of_unknown_length_keeps_fewer_than_twenty_and_the_last(tmp_path: Path) -> None:
    """Every second is dropped whenever there would be twenty."""

    class Lengthless:
        def __iter__(self) -> Any:
            return iter(line_batches(1003))

    train(tmp_path, {}, Lengthless())

    points = metadata(tmp_path)["epoch_group"]["0"]
    assert points == [*range(64, 1003, 64), 1003]
    assert len(list((tmp_path / "ckpt_dir").glob("*.ckpt"))) == len(points)


def test_early_end_is_saved(tmp_path: Path) -> None:
    """The landscape of the result is that of the last weights."""

    class Stop(Callback):
        def on_train_step_end(self, run_context: RunContext) -> None:
            if run_context.original_args().cur_step_num == 50:
                run_context.request_stop()

    collector = SummaryCollector(tmp_path, 10, {"collect_landscape": {}}, keep_default_action=False)
    Model(Line()).train(1, line_batches(100), callbacks=[collector, Stop()])

    assert metadata(tmp_path)["epoch_group"]["0"] == [1, 6, 11, 17, 22, 27, 32, 37, 43, 48, 50]


def test_sunk_data_gives_checkpoints_where_hooks_are(tmp_path: Path) -> None:
    """Points in steps are taken at the sink that passes them."""
    train(tmp_path, {}, line_batches(50), 10, dataset_sink_mode=True)

    assert metadata(tmp_path)["epoch_group"]["0"] == list(range(50, 501, 50))


def test_other_ranks_save_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights are the same on every rank."""
    monkeypatch.setenv("RANK", "1")
    train(tmp_path, {}, line_batches(5))

    assert not (tmp_path / "ckpt_dir").exists()


def test_failing_checkpoint_is_told_once_and_training_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A file stands where the folder should be."""
    (tmp_path / "ckpt_dir").write_bytes(b"")
    weights = train(tmp_path, {}, line_batches(30))

    assert len(weights.by_step) == 30
    assert len([record for record in caplog.records if "landscape checkpoints" in record.getMessage()]) == 1
