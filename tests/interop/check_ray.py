"""Searches of Ray Tune that ToposcopeCallback records, compared with the results that Ray reports."""

import logging
import math
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import ray
from ray import tune

from toposcope import server
from toposcope.recorder.frameworks.ray import ToposcopeCallback

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", autouse=True)
def _cluster() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
    yield
    ray.shutdown()


def train(config: dict[str, Any]) -> None:
    """Report three results, with a checkpoint each; continue after the last one."""
    import tempfile

    first = 0
    if (checkpoint := tune.get_checkpoint()) is not None:
        with checkpoint.as_directory() as directory:
            first = int(Path(directory, "step").read_text())
    for step in range(first, 3):
        loss = math.nan if config.get("diverges") and step == 1 else config["lr"] / (step + 1)
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, "step").write_text(str(step + 1))
            result = {"loss": loss, "other": object, "nested": {"accuracy": 0.5 + step}, "note": f"step {step}"}
            tune.report(result, checkpoint=tune.Checkpoint.from_directory(directory))
        marker = Path(config["failed"]) if config.get("failed") else None
        if step == 1 and marker is not None and (config.get("fails_always") or not marker.exists()):
            marker.touch()
            raise OSError("a full disk")


def search(directory: Path, space: dict[str, Any], *, max_failures: int = 0, **settings: Any) -> Any:
    """Run the trials of a search; return Ray's results."""
    config = tune.RunConfig(
        name="search",
        storage_path=str(directory / "ray"),
        callbacks=[ToposcopeCallback(directory / "runs")],
        failure_config=tune.FailureConfig(max_failures=max_failures),
        verbose=0,
    )
    return tune.Tuner(train, param_space=space, run_config=config, **settings).fit()


def runs_of(directory: Path) -> dict[str, Any]:
    """Return the runs by the id of their trial."""
    runs = server.open(directory / "runs").runs
    return {str(run.lineage().custom["trial/id"]): run for run in runs.values()}


def test_each_trial_is_a_run(tmp_path: Path) -> None:
    """Its reports are scalars and texts at training_iteration, its configuration is lineage without secrets."""
    space = {"lr": tune.grid_search([0.1, 0.2]), "model": {"layers": 3}, "api_key": "swordfish"}
    results = search(tmp_path, space)

    runs = runs_of(tmp_path)
    assert len(runs) == len(results) == 2
    for result in results:
        run, frame = runs[result.metrics["trial_id"]], result.metrics_dataframe
        points = run.scalars("loss")
        assert points.step.tolist() == frame["training_iteration"].tolist() == [1, 2, 3]
        assert points.value.tolist() == frame["loss"].tolist()
        assert run.scalars("nested/accuracy").value.tolist() == frame["nested/accuracy"].tolist()
        assert run.scalars("time_this_iter_s").value.tolist() == frame["time_this_iter_s"].tolist()
        assert [text.texts for text in run.text("note")] == [["step 0"], ["step 1"], ["step 2"]]
        custom = run.lineage().custom
        assert (custom["config/lr"], custom["config/model/layers"]) == (result.config["lr"], 3)
        assert not [name for name in custom if "key" in name]
        assert run.lineage().metrics["loss"] == result.metrics["loss"]
        assert sorted(run.tags("scalar")) == ["loss", "nested/accuracy", "time_this_iter_s"]
        assert run.state.state == "finished"


def test_nan_is_recorded(tmp_path: Path) -> None:
    """Ray's callback for TensorBoard leaves it out."""
    search(tmp_path, {"lr": 0.1, "diverges": True})

    (run,) = runs_of(tmp_path).values()
    values = run.scalars("loss").value.tolist()
    assert math.isnan(values[1])
    assert len(values) == 3


def test_checkpoints_are_recorded(tmp_path: Path) -> None:
    """By name, at the result with which they were reported."""
    results = search(tmp_path, {"lr": 0.1})

    (run,) = runs_of(tmp_path).values()
    names = sorted(path.name for path in Path(results[0].path).glob("checkpoint_*"))
    texts = run.text("checkpoint")
    assert texts.step.tolist() == [1, 2, 3]
    assert [text.texts[0] for text in texts] == names


def test_failed_trial_is_reported(tmp_path: Path) -> None:
    """With its exception; the other trials go on."""
    failed = str(tmp_path / "failed")
    space = {"lr": 0.1, "fails_always": True, "failed": tune.grid_search(["", failed])}
    results = search(tmp_path, space)

    assert results.num_errors == 1
    runs = sorted(runs_of(tmp_path).values(), key=lambda run: run.state.state)
    assert [run.state.state for run in runs] == ["failed", "finished"]
    assert (runs[0].state.error.type, runs[0].state.error.text) == ("OSError", "a full disk")
    assert runs[0].scalars("loss").step.tolist() == [1, 2]


def test_a_trial_that_is_tried_again_continues_in_its_run(tmp_path: Path) -> None:
    """From its checkpoint."""
    results = search(tmp_path, {"lr": 0.1, "failed": str(tmp_path / "failed")}, max_failures=1)

    assert results.num_errors == 0
    (run,) = runs_of(tmp_path).values()
    assert run.scalars("loss").step.tolist() == [1, 2, 3]
    assert run.scalars("loss").value.tolist() == pytest.approx([0.1, 0.05, 0.1 / 3])
    assert run.state.state == "finished"


def test_a_restored_search_continues_in_its_runs(tmp_path: Path) -> None:
    """Tuner.restore() resumes the trials that failed, with the callbacks that it pickled."""
    results = search(tmp_path, {"lr": 0.1, "failed": str(tmp_path / "failed")})
    assert results.num_errors == 1
    restored = tune.Tuner.restore(str(tmp_path / "ray/search"), train, resume_errored=True).fit()

    assert restored.num_errors == 0
    (run,) = runs_of(tmp_path).values()
    assert run.scalars("loss").step.tolist() == [1, 2, 3]
    assert run.state.state == "finished"


def test_a_stopped_trial_has_finished(tmp_path: Path) -> None:
    """A scheduler stops it after its first result."""
    scheduler = tune.schedulers.ASHAScheduler(metric="loss", mode="min", grace_period=1, max_t=2, reduction_factor=2)
    search(tmp_path, {"lr": tune.grid_search([0.1, 0.2])}, tune_config=tune.TuneConfig(scheduler=scheduler))

    for run in runs_of(tmp_path).values():
        assert run.state.state == "finished"
        assert max(run.scalars("loss").step) <= 2


def test_callbacks_can_be_pickled(tmp_path: Path) -> None:
    """A copy has the directory and the settings."""
    callback = pickle.loads(pickle.dumps(ToposcopeCallback(tmp_path / "runs", max_file_size=1 << 20)))
    config = tune.RunConfig(name="search", storage_path=str(tmp_path / "ray"), callbacks=[callback], verbose=0)
    tune.Tuner(train, param_space={"lr": 0.1}, run_config=config).fit()

    assert len(runs_of(tmp_path)) == 1


def test_arguments_are_checked(tmp_path: Path) -> None:
    """When the callback is created."""
    with pytest.raises(TypeError):
        ToposcopeCallback(tmp_path, unknown=1)
