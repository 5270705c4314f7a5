"""Trainings of LightGBM that ToposcopeCallback records, compared with what LightGBM reports itself."""

import pickle
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import pytest
from support.documentation import examples, run_examples
from support.recorded_run import run_in, scalars_of, tags_of

from toposcope.recorder.callbacks import Callback, EarlyStopping
from toposcope.recorder.frameworks.lightgbm import ToposcopeCallback

# Of LightGBM, about the versions of scikit-learn.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")
PARAMETERS = {"objective": "binary", "metric": ["auc", "binary_logloss"], "num_leaves": 4, "verbosity": -1}
PARAMETERS |= {"num_threads": 1, "eta": 0.3}
QUIET = {"collect_specified_data": {"collect_machine": False, "collect_code": False}}


def arrays() -> tuple[Any, Any]:
    """Return samples and labels, which are noisy."""
    random = np.random.default_rng(0)
    x = random.normal(size=(300, 4))
    return x, (x[:, 0] + random.normal(size=300) > 0).astype(int)


def data() -> dict[str, Any]:
    """Return the arguments of lightgbm.train() that are data."""
    x, y = arrays()
    train = lightgbm.Dataset(x[:200], y[:200], free_raw_data=False)
    valid = lightgbm.Dataset(x[200:], y[200:], reference=train, free_raw_data=False)
    return {"train_set": train, "valid_sets": [train, valid], "valid_names": ["train", "valid"]}


def recording(directory: Path, **settings: Any) -> ToposcopeCallback:
    """Return a callback that records what is cheap."""
    return ToposcopeCallback(directory, **(QUIET | settings))


def raising(env: Any) -> None:
    """Raise an error in an iteration."""
    if env.iteration == 3:
        raise ValueError("a full disk")


def test_values_are_those_of_record_evaluation(tmp_path: Path) -> None:
    """Each metric of each data set is recorded once an iteration; the loss is that of the training data."""
    results: dict[str, Any] = {}
    callbacks = [recording(tmp_path), lightgbm.record_evaluation(results)]
    lightgbm.train(PARAMETERS, num_boost_round=7, callbacks=callbacks, **data())

    for name in ("train", "valid"):
        for metric in ("auc", "binary_logloss"):
            points = run_in(tmp_path).scalars(f"eval/{name}/{metric}", attempt="all")
            assert points.step.tolist() == [1, 2, 3, 4, 5, 6, 7]
            assert points.value.tolist() == results[name][metric]
    assert list(scalars_of(tmp_path, "loss/auto").values()) == results["train"]["binary_logloss"]
    lineage = run_in(tmp_path).lineage()
    assert lineage.metrics["valid/auc"] == results["valid"]["auc"][-1]
    assert lineage.hyper_parameters["epoch"] == 7
    assert run_in(tmp_path).state.state == "finished"


def test_trainings_without_evaluations_have_steps(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing is missed where nothing is evaluated."""
    lightgbm.train(PARAMETERS, data()["train_set"], 3, callbacks=[recording(tmp_path)])
    assert tags_of(tmp_path, "scalar") == ["learning_rate", "throughput/steps_per_second"]
    assert list(scalars_of(tmp_path, "learning_rate")) == [1, 2, 3]
    assert not caplog.records


def test_parameters_are_lineage(tmp_path: Path) -> None:
    """They are those of the training; none of them is a metric, and none a secret."""
    parameters = PARAMETERS | {"api_token": "abc"}
    lightgbm.train(parameters, num_boost_round=2, callbacks=[recording(tmp_path)], **data())

    custom = run_in(tmp_path).lineage().custom
    assert (custom["params/num_leaves"], custom["params/objective"]) == (4, "binary")
    assert custom["params/metric"] == '["auc", "binary_logloss"]'
    assert not [name for name in custom if "token" in name]
    assert {tag.split("/")[0] for tag in tags_of(tmp_path, "scalar")} == {
        "eval",
        "learning_rate",
        "loss",
        "throughput",
    }


def test_learning_rate_is_the_one_that_the_iteration_used(tmp_path: Path) -> None:
    """It is that of the parameters by any of its names, until reset_parameter() changes it."""
    lightgbm.train(PARAMETERS, num_boost_round=2, callbacks=[recording(tmp_path / "constant")], **data())
    assert scalars_of(tmp_path / "constant", "learning_rate") == {1: 0.3, 2: 0.3}

    rates = [0.2, 0.1, 0.05]
    parameters = {name: value for name, value in PARAMETERS.items() if name != "eta"}
    callbacks = [recording(tmp_path / "schedule"), lightgbm.reset_parameter(learning_rate=rates)]
    lightgbm.train(parameters, num_boost_round=3, callbacks=callbacks, **data())
    assert list(scalars_of(tmp_path / "schedule", "learning_rate").values()) == rates


def test_early_stopping_is_an_end(tmp_path: Path) -> None:
    """The last iteration is recorded, and the run has finished when train() returns."""
    results: dict[str, Any] = {}
    callbacks = [
        lightgbm.early_stopping(2, verbose=False),
        recording(tmp_path),
        lightgbm.record_evaluation(results),
    ]
    model = lightgbm.train(PARAMETERS, num_boost_round=500, callbacks=callbacks, **data())

    losses = results["valid"]["binary_logloss"]
    assert model.best_iteration < len(losses) < 500
    assert list(scalars_of(tmp_path, "eval/valid/binary_logloss").values()) == losses
    assert run_in(tmp_path).state.state == "finished"


@pytest.mark.parametrize("stops", [False, True], ids=["all iterations", "early stopping"])
def test_cross_validation_records_means_and_deviations(tmp_path: Path, stops: bool) -> None:
    """They are those that cv() returns; it removes those after the best iteration."""
    callbacks = [recording(tmp_path), *([lightgbm.early_stopping(2, verbose=False)] if stops else [])]
    rounds = 500 if stops else 5
    table = lightgbm.cv(PARAMETERS, data()["train_set"], rounds, nfold=4, callbacks=callbacks, eval_train_metric=True)

    for name in ("train", "valid"):
        means, deviations = table[f"{name} auc-mean"], table[f"{name} auc-stdv"]
        assert list(scalars_of(tmp_path, f"eval/{name}/auc").values())[: len(means)] == means
        assert list(scalars_of(tmp_path, f"eval/{name}/auc_std").values())[: len(means)] == deviations
    number = len(scalars_of(tmp_path, "eval/valid/auc"))
    assert number == (len(table["valid auc-mean"]) + 2 if stops else 5)
    losses = table["train binary_logloss-mean"]
    assert list(scalars_of(tmp_path, "loss/auto").values())[: len(losses)] == losses
    assert run_in(tmp_path).lineage().custom["params/folds"] == 4
    assert run_in(tmp_path).state.state == "finished"


def test_continued_training_continues_the_steps(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """With init_model the steps follow the iterations of the model; without, an earlier run is named."""
    first, second = {}, {}  # type: dict[str, Any], dict[str, Any]
    callback = recording(tmp_path)
    callbacks = [callback, lightgbm.record_evaluation(first)]
    model = lightgbm.train(PARAMETERS, num_boost_round=4, callbacks=callbacks, **data())
    callbacks = [callback, lightgbm.record_evaluation(second)]
    lightgbm.train(PARAMETERS, num_boost_round=3, callbacks=callbacks, init_model=model, **data())

    losses = scalars_of(tmp_path, "loss/auto")
    assert list(losses) == [1, 2, 3, 4, 5, 6, 7]
    assert list(losses.values()) == first["train"]["binary_logloss"] + second["train"]["binary_logloss"]
    assert not caplog.records
    lightgbm.train(PARAMETERS, num_boost_round=2, callbacks=[callback], **data())
    assert "contains an earlier training, up to step 7" in caplog.text


def test_handled_exception_is_a_failure(tmp_path: Path) -> None:
    """Its text is recorded in a with statement; without one the run counts as failed when the training is gone."""
    with pytest.raises(ValueError, match="a full disk"), recording(tmp_path / "with") as callback:
        lightgbm.train(PARAMETERS, num_boost_round=9, callbacks=[callback, raising], **data())
    state = run_in(tmp_path / "with").state
    assert (state.state, state.error.type, state.error.text) == ("failed", "ValueError", "a full disk")

    callback = recording(tmp_path / "without")
    with suppress(ValueError):
        lightgbm.train(PARAMETERS, num_boost_round=9, callbacks=[callback, raising], **data())
    state = run_in(tmp_path / "without").state
    assert state.state == "failed"
    assert "with an exception that the program handled" in state.error.text


def test_unhandled_exception_is_recorded(tmp_path: Path) -> None:
    """It is the one that ended the program."""
    program = (
        "import sys; sys.path[:0] = ['tests', 'tests/interop']; from check_boosters_lightgbm import *\n"
        "callbacks = [recording(Path(sys.argv[1])), raising]\n"
        "lightgbm.train(PARAMETERS, num_boost_round=9, callbacks=callbacks, **data())"
    )
    result = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, text=True, check=False)
    assert "a full disk" in result.stderr
    state = run_in(tmp_path).state
    assert (state.state, state.error.type, state.error.text) == ("failed", "ValueError", "a full disk")


def test_our_callbacks_work(tmp_path: Path) -> None:
    """An iteration is a step and an epoch; a callback that requests a stop ends the training."""
    epochs: list[int] = []

    class Counting(Callback):
        def on_train_epoch_end(self, run_context: Any) -> None:
            epochs.append(run_context.original_args().cur_epoch_num)

    ours = [Counting(), EarlyStopping("valid/binary_logloss", mode="min", patience=2)]
    results: dict[str, Any] = {}
    callbacks = [recording(tmp_path, callbacks=ours), lightgbm.record_evaluation(results)]
    model = lightgbm.train(PARAMETERS, num_boost_round=500, callbacks=callbacks, **data())

    losses = results["valid"]["binary_logloss"]
    assert len(losses) == model.current_iteration() < 500
    assert losses.index(min(losses)) == len(losses) - 3
    assert epochs == list(range(1, len(losses) + 1))
    assert run_in(tmp_path).state.state == "finished"


def test_estimators_are_recorded(tmp_path: Path) -> None:
    """A pickled callback has the settings."""
    x, y = arrays()
    callback = pickle.loads(pickle.dumps(recording(tmp_path)))
    classifier = lightgbm.LGBMClassifier(n_estimators=5, n_jobs=1, verbosity=-1)
    classifier.fit(x, y, eval_set=[(x, y)], callbacks=[callback])

    losses = classifier.evals_result_["training"]["binary_logloss"]
    assert list(scalars_of(tmp_path, "eval/training/binary_logloss").values()) == losses
    assert list(scalars_of(tmp_path, "loss/auto").values()) == losses
    assert run_in(tmp_path).lineage().custom["params/num_leaves"] == 31


def test_only_the_first_machine_records(tmp_path: Path) -> None:
    """All machines have the same evaluations."""
    program = (
        "import sys; sys.path[:0] = ['tests', 'tests/interop']; from check_boosters_lightgbm import *\n"
        "machines = ','.join(f'127.0.0.1:{port}' for port in sys.argv[3:])\n"
        "settings = {'machines': machines, 'local_listen_port': int(sys.argv[2]), 'num_machines': 2}\n"
        "parameters = PARAMETERS | settings | {'tree_learner': 'data', 'pre_partition': True}\n"
        "callbacks = [recording(Path(sys.argv[1]))]\n"
        "lightgbm.train(parameters, num_boost_round=3, callbacks=callbacks, **data())"
    )
    with socket.socket() as first, socket.socket() as second:
        first.bind(("127.0.0.1", 0))
        second.bind(("127.0.0.1", 0))
        ports = [str(each.getsockname()[1]) for each in (first, second)]
    arguments = [[sys.executable, "-c", program, str(tmp_path), port, *ports] for port in ports]
    processes = [subprocess.Popen(each) for each in arguments]
    assert [process.wait(120) for process in processes] == [0, 0]

    assert len(run_in(tmp_path).state.recordings) == 1
    assert list(scalars_of(tmp_path, "loss/auto")) == [1, 2, 3]


def test_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They record what the page says."""
    run_examples(examples("lightgbm.md"), "lightgbm.md", tmp_path, monkeypatch)
    assert len(scalars_of(tmp_path / "runs/first", "eval/valid_1/binary_logloss")) == 150
