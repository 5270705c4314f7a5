"""Steps of wandb.log(): W&B's counter, and values that are never dropped."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.pytorch import torch
from support.recorded_run import run_in, scalars_of, tags_of

from toposcope.recorder import wandb


def test_each_log_without_a_step_is_a_step(tmp_path: Path) -> None:
    """The first step is 0."""
    run = wandb.init(project="p")
    for loss in (3.0, 2.0, 1.0):
        wandb.log({"loss": loss})
    assert run.step == 3
    run.finish()
    assert scalars_of(tmp_path, "loss") == {0: 3.0, 1: 2.0, 2: 1.0}


def test_commit_false_collects_values_of_a_step(tmp_path: Path) -> None:
    """The newer value of a tag replaces the older one, as in W&B."""
    with wandb.init() as run:
        run.log({"a": 1.0}, commit=False)
        run.log({"a": 2.0, "b": 1.0}, commit=False)
        run.log({"c": 1.0})
        run.log({"c": 2.0})
    assert scalars_of(tmp_path, "a") == {0: 2.0}
    assert scalars_of(tmp_path, "b") == {0: 1.0}
    assert scalars_of(tmp_path, "c") == {0: 1.0, 1: 2.0}


def test_values_of_a_given_step_are_one_point(tmp_path: Path) -> None:
    """They are written when a later step begins, with commit=True, or at the end."""
    with wandb.init() as run:
        run.log({"loss": 5.0}, step=10)
        run.log({"loss": 4.0, "accuracy": 0.5}, step=10)
        run.log({"loss": 3.0}, step=np.int64(20), commit=True)
        assert run.step == 21
        run.log({"loss": 2.0}, step=30)
    assert scalars_of(tmp_path, "loss") == {10: 4.0, 20: 3.0, 30: 2.0}
    assert scalars_of(tmp_path, "accuracy") == {10: 0.5}


def test_values_of_an_earlier_step_are_kept(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """W&B drops them with a warning; here they are recorded at their step, and one warning names the difference."""
    with wandb.init() as run:
        run.log({"loss": 1.0}, step=10)
        run.log({"late": 2.0}, step=3)
        run.log({"late": 3.0}, step=4)
    assert scalars_of(tmp_path, "late") == {3: 2.0, 4: 3.0}
    assert [record.getMessage() for record in caplog.records] == [
        "wandb: values of an earlier step than the current one are recorded at it; W&B drops them."
    ]


def test_names_of_nested_mappings_are_joined_by_dots(tmp_path: Path) -> None:
    """As in W&B's charts; a "/" in a name stays."""
    with wandb.init() as run:
        run.log({"train/loss": 1.0, "d": {"x": 1, "y": {"z": 2.0}}})
    assert tags_of(tmp_path, "scalar") == ["d.x", "d.y.z", "train/loss"]


def test_scalars_of_every_kind_are_recorded(tmp_path: Path) -> None:
    """Numbers of Python and NumPy, with NaN and infinities, and arrays with one element."""
    values: dict[str, Any] = {
        "int": 3,
        "bool": True,
        "nan": float("nan"),
        "inf": float("inf"),
        "float32": np.float32(0.1),
        "bool_": np.bool_(True),
        "one": np.array([[7]]),
    }
    with wandb.init() as run:
        run.log(values)
        assert math.isnan(run.summary["nan"])
    for name, value in values.items():
        (recorded,) = scalars_of(tmp_path, name).values()
        assert recorded == np.asarray(value).item() or (math.isnan(recorded) and name == "nan")


def test_tensors_with_gradients_are_recorded(tmp_path: Path) -> None:
    """As scalars, also in the summary."""
    with wandb.init() as run:
        run.log({"torch": torch.tensor(0.25, requires_grad=True)})
        assert run.summary["torch"] == 0.25
    assert list(scalars_of(tmp_path, "torch").values()) == [0.25]


def test_a_failing_value_costs_no_other_value(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Bad values, names, steps and data are reported, and the script goes on."""
    with wandb.init() as run:
        run.log({"good": 1.0, "none": None, "object": object(), "complex": 1j, 3: 4.0})  # type: ignore[dict-item]
        run.log(5)  # type: ignore[arg-type]
        run.log({"good": 2.0}, step="seven")
        run.log({"good": 3.0}, unknown=True)
        wandb.log()
        assert run.step == 4
    assert scalars_of(tmp_path, "good") == {0: 1.0, 1: 2.0, 2: 3.0}
    assert scalars_of(tmp_path, "3") == {0: 4.0}
    text = caplog.text
    for part in (
        "'none' is None",
        "'object' is of type object",
        "must be a str, not 3",
        "not 5",
        "'seven'",
        "unknown=",
    ):
        assert part in text


def test_strict_mode_raises(tmp_path: Path) -> None:
    """With init(strict=True) what is otherwise logged is raised."""
    run = wandb.init(strict=True)
    with pytest.raises(wandb.UsageError, match="not 5"):
        run.log(5)  # type: ignore[arg-type]
    with pytest.raises(wandb.Error, match="login"):
        wandb.login()


def test_log_before_init_and_after_finish_only_warns(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing ends a script; finishing twice does nothing."""
    wandb.log({"loss": 1.0})
    run = wandb.init()
    run.log({"loss": 2.0})
    wandb.finish()
    wandb.finish()
    run.finish()
    run.log({"loss": 3.0})
    wandb.log({"loss": 4.0})
    assert wandb.run is None
    assert scalars_of(tmp_path, "loss") == {0: 2.0}
    assert run_in(tmp_path).state.state == "finished"
    assert "log() has no effect before init()" in caplog.text
    assert f"run {run.id} is finished" in caplog.text
