"""Trainings of CatBoost that ToposcopeCallback records, compared with what CatBoost reports itself."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import catboost
import numpy as np
import pytest
from support.documentation import examples, run_examples
from support.recorded_run import run_in, scalars_of, tags_of

from toposcope.recorder.callbacks import Callback, EarlyStopping
from toposcope.recorder.frameworks.catboost import ToposcopeCallback

SETTINGS = {"verbose": False, "allow_writing_files": False, "thread_count": 1, "depth": 2, "learning_rate": 0.3}
QUIET = {"collect_specified_data": {"collect_machine": False, "collect_code": False}}


def model(**settings: Any) -> Any:
    """Return a model that is not fitted."""
    return catboost.CatBoostClassifier(**(SETTINGS | settings))


def data() -> dict[str, Any]:
    """Return the arguments of fit() that are data, whose labels are noisy."""
    random = np.random.default_rng(0)
    x = random.normal(size=(300, 4))
    y = (x[:, 0] + random.normal(size=300) > 0).astype(int)
    return {"X": x[:200], "y": y[:200], "eval_set": (x[200:], y[200:])}


def recording(directory: Path, **settings: Any) -> ToposcopeCallback:
    """Return a callback that records what is cheap."""
    return ToposcopeCallback(directory, **(QUIET | settings))


class Raising:
    """Raises an error in an iteration."""

    def after_iteration(self, info: Any) -> bool:
        if info.iteration == 4:
            raise ValueError("a full disk")
        return True


def test_values_are_those_of_evals_result(tmp_path: Path) -> None:
    """Each metric of each data set is recorded once an iteration; the loss is that of the training data."""
    classifier = model(iterations=7, custom_metric=["Accuracy"], eval_metric="AUC", use_best_model=False)
    classifier.fit(callbacks=[recording(tmp_path)], **data())

    results = classifier.get_evals_result()
    assert sorted(results) == ["learn", "validation"]
    for name, metrics in results.items():
        for metric, values in metrics.items():
            points = run_in(tmp_path).scalars(f"eval/{name}/{metric}", attempt="all")
            assert points.step.tolist() == [1, 2, 3, 4, 5, 6, 7]
            assert points.value.tolist() == values
    assert list(scalars_of(tmp_path, "loss/auto").values()) == results["learn"]["Logloss"]
    assert scalars_of(tmp_path, "learning_rate")[7] == 0.3
    lineage = run_in(tmp_path).lineage()
    assert lineage.metrics["validation/AUC"] == results["validation"]["AUC"][-1]
    assert (lineage.hyper_parameters["epoch"], lineage.model["network"]) == (7, "CatBoostClassifier")
    assert run_in(tmp_path).state.state == "finished"


def test_iterations_without_evaluations_have_none(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """With metric_period a value is recorded at the iteration that it belongs to, not repeated."""
    classifier = model(iterations=6, metric_period=2)
    classifier.fit(callbacks=[recording(tmp_path)], **data())

    losses = scalars_of(tmp_path, "eval/learn/Logloss")
    assert list(losses.values()) == classifier.get_evals_result()["learn"]["Logloss"]
    assert list(losses) == [1, 3, 5, 6]
    assert scalars_of(tmp_path, "loss/auto") == losses
    assert list(scalars_of(tmp_path, "learning_rate")) == [1, 2, 3, 4, 5, 6]
    assert not caplog.records


def test_parameters_are_lineage(tmp_path: Path) -> None:
    """They are those that the model reports after the training; none of them is a metric."""
    settings = {name: value for name, value in SETTINGS.items() if name != "learning_rate"}
    classifier = catboost.CatBoostClassifier(iterations=2, **settings)
    callback = recording(tmp_path, custom_lineage_data={"params/depth": 9})
    classifier.fit(callbacks=[callback], **data())

    custom = run_in(tmp_path).lineage().custom
    assert np.float32(custom["params/learning_rate"]) == classifier.get_all_params()["learning_rate"]
    assert len(str(custom["params/learning_rate"])) < 11
    assert custom["params/l2_leaf_reg"] == 3
    assert custom["params/loss_function"] == "Logloss"
    assert custom["params/depth"] == 9
    assert not [name for name in custom if "callbacks" in name]
    assert {tag.split("/")[0] for tag in tags_of(tmp_path, "scalar")} == {"eval", "loss", "throughput"}


def test_early_stopping_is_an_end(tmp_path: Path) -> None:
    """The last iteration is recorded, also if the model keeps the best one only."""
    classifier = model(iterations=500, early_stopping_rounds=3)
    classifier.fit(callbacks=[recording(tmp_path)], **data())

    losses = classifier.get_evals_result()["validation"]["Logloss"]
    assert classifier.tree_count_ < len(losses) < 500
    assert list(scalars_of(tmp_path, "eval/validation/Logloss").values()) == losses
    assert run_in(tmp_path).state.state == "finished"


def test_continued_training_continues_the_steps(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """With init_model the steps follow the trees of the model; without, an earlier run is named."""
    callback = recording(tmp_path)
    first, second = model(iterations=4, use_best_model=False), model(iterations=3, use_best_model=False)
    first.fit(callbacks=[callback], **data())
    second.fit(callbacks=[callback], init_model=first, **data())

    losses = scalars_of(tmp_path, "loss/auto")
    assert list(losses) == [1, 2, 3, 4, 5, 6, 7]
    results = [each.get_evals_result()["learn"]["Logloss"] for each in (first, second)]
    assert list(losses.values()) == results[0] + results[1]
    assert not caplog.records
    model(iterations=2).fit(callbacks=[callback], **data())
    assert "contains an earlier training, up to step 7" in caplog.text


def test_training_from_a_snapshot_continues_the_steps(tmp_path: Path) -> None:
    """The second training begins after the iterations of the snapshot."""
    settings = {"allow_writing_files": True, "train_dir": str(tmp_path / "info"), "use_best_model": False}
    snapshot = {"save_snapshot": True, "snapshot_file": "snapshot", "snapshot_interval": 0}
    model(iterations=3, **settings).fit(callbacks=[recording(tmp_path / "run")], **snapshot, **data())
    classifier = model(iterations=6, **settings)
    classifier.fit(callbacks=[recording(tmp_path / "run")], **snapshot, **data())

    losses = scalars_of(tmp_path / "run", "loss/auto")
    assert list(losses) == [1, 2, 3, 4, 5, 6]
    assert list(losses.values()) == classifier.get_evals_result()["learn"]["Logloss"]


def test_handled_exception_is_recorded(tmp_path: Path) -> None:
    """A with statement around the training records it at once."""
    with pytest.raises(catboost.CatBoostError, match="a full disk"), recording(tmp_path) as callback:
        model(iterations=9).fit(callbacks=[callback, Raising()], **data())
    state = run_in(tmp_path).state
    assert (state.state, state.error.type) == ("failed", "_catboost.CatBoostError")
    assert "a full disk" in state.error.text
    assert list(scalars_of(tmp_path, "loss/auto")) == [1, 2, 3, 4]


@pytest.mark.parametrize("is_fitted", [False, True], ids=["new model", "fitted model"])
@pytest.mark.parametrize("is_handled", [False, True], ids=["unhandled", "handled"])
def test_exception_is_recorded_when_the_program_ends(tmp_path: Path, is_fitted: bool, is_handled: bool) -> None:
    """CatBoost keeps the exception of a callback, also one that the program handled."""
    program = f"""
import sys; sys.path[:0] = ['tests', 'tests/interop']
from contextlib import suppress
from check_boosters_catboost import *
classifier = model(iterations=9)
if {is_fitted}:
    classifier.fit(**data())
with suppress(catboost.CatBoostError if {is_handled} else ()):
    classifier.fit(callbacks=[recording(Path(sys.argv[1])), Raising()], **data())
"""
    arguments = [sys.executable, "-c", program, str(tmp_path)]
    result = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert ("a full disk" in result.stderr) is not is_handled
    assert run_in(tmp_path).state.state == "failed"
    assert "a full disk" in run_in(tmp_path).state.error.text


def test_our_callbacks_work(tmp_path: Path) -> None:
    """An iteration is a step and an epoch; a callback that requests a stop ends the training."""
    epochs: list[int] = []

    class Counting(Callback):
        def on_train_epoch_end(self, run_context: Any) -> None:
            epochs.append(run_context.original_args().cur_epoch_num)

    ours = [Counting(), EarlyStopping("validation/Logloss", mode="min", patience=2)]
    classifier = model(iterations=500, use_best_model=False)
    classifier.fit(callbacks=[recording(tmp_path, callbacks=ours)], **data())

    losses = classifier.get_evals_result()["validation"]["Logloss"]
    assert len(losses) == classifier.tree_count_ < 500
    assert losses.index(min(losses)) == len(losses) - 3
    assert epochs == list(range(1, len(losses) + 1))
    assert run_in(tmp_path).state.state == "finished"


def test_copies_have_the_settings(tmp_path: Path) -> None:
    """Pickled and copied callbacks, of a training that has ended."""
    callback = recording(tmp_path / "first")
    model(iterations=2).fit(callbacks=[callback], **data())
    for number, each in enumerate((pickle.loads(pickle.dumps(callback)), copy.deepcopy(callback))):
        each._summary_dir = str(tmp_path / f"copy{number}")
        model(iterations=3).fit(callbacks=[each], **data())
        assert len(scalars_of(tmp_path / f"copy{number}", "loss/auto")) == 3


def test_several_data_sets_and_losses_with_parameters(tmp_path: Path) -> None:
    """Each data set has a name; the loss is recorded by its whole name."""
    arguments = data()
    regressor = catboost.CatBoostRegressor(iterations=3, loss_function="Quantile:alpha=0.25", **SETTINGS)
    arguments["eval_set"] = [arguments["eval_set"], (arguments["X"], arguments["y"])]
    regressor.fit(callbacks=[recording(tmp_path)], **arguments)

    results = regressor.get_evals_result()
    assert list(scalars_of(tmp_path, "loss/auto").values()) == results["learn"]["Quantile:alpha=0.25"]
    assert {"eval/validation_0/Quantile:alpha=0.25", "eval/validation_1/Quantile:alpha=0.25"} <= set(
        tags_of(tmp_path, "scalar")
    )


def test_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They record what the page says."""
    run_examples(examples("catboost.md"), "catboost.md", tmp_path, monkeypatch)
    assert list(scalars_of(tmp_path / "runs/first", "loss/auto"))[-1] > 50
