"""Trials of Ray Tune that are paused, exploited or interrupted, or lose their process: the run of each is right."""

import logging
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import ray
from ray import tune

from toposcope import server
from toposcope.recorder.frameworks.ray import ToposcopeCallback

pytestmark = pytest.mark.filterwarnings("ignore")
SECONDS = 180


@pytest.fixture(scope="module", autouse=True)
def _cluster() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
    yield
    ray.shutdown()


def train(config: dict[str, Any]) -> None:
    """Report config["reports"] losses, with a checkpoint each; continue after the last one of a checkpoint."""
    first = 0
    if (checkpoint := tune.get_checkpoint()) is not None:
        with checkpoint.as_directory() as directory:
            first = int(Path(directory, "step").read_text())
    for step in range(first, config["reports"]):
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, "step").write_text(str(step + 1))
            result = {"loss": config["lr"] / (step + 1)}
            if "reported" in config:
                with Path(config["reported"], tune.get_context().get_trial_id()).open("a") as file:
                    file.write(f"{step + 1} {result['loss']!r}\n")
            tune.report(result, checkpoint=tune.Checkpoint.from_directory(directory))
        marker = Path(config["killed"]) if config.get("killed") else None
        if step >= 1 and marker is not None and (config.get("dies_always") or not marker.exists()):
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)


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
    """Return the runs by name, which is that of the trial."""
    return dict(server.open(directory / "runs").runs)


def run_of(directory: Path, result: Any) -> Any:
    """Return the run of the trial that has a result. The last result may be one of the trial that it continued."""
    (run,) = [run for name, run in runs_of(directory).items() if Path(result.path).name.startswith(name)]
    return run


def points_of(run: Any, attempt: Any = "all") -> list[tuple[int, float]]:
    """Return the steps and losses of a run, in the order of recording."""
    points = run.scalars("loss", attempt=attempt)
    return list(zip(points.step.tolist(), points.value.tolist(), strict=True))


def reported_by(run: Any, directory: Path) -> list[tuple[int, float]]:
    """Return the steps and losses that a trial has reported, as it wrote them: Ray's table lacks some of PBT."""
    lines = Path(directory, str(run.lineage().custom["trial/id"])).read_text().splitlines()
    return [(int(step), float(loss)) for step, loss in map(str.split, lines)]


@pytest.mark.parametrize("synch", [True, False], ids=["synchronous", "asynchronous"])
def test_population_based_training(tmp_path: Path, synch: bool) -> None:
    """A trial that continues from the checkpoint of another keeps its run, and records its new configuration.

    If that checkpoint is of an earlier step, the steps that are trained again are a new attempt.
    """
    scheduler = tune.schedulers.PopulationBasedTraining(
        metric="loss",
        mode="min",
        time_attr="training_iteration",
        perturbation_interval=2,
        quantile_fraction=0.5,
        resample_probability=0.0,
        hyperparam_mutations={"lr": [0.1, 0.2, 0.3, 8.0]},
        synch=synch,
    )
    space = {"lr": tune.grid_search([0.1, 8.0]), "reports": 5, "reported": str(tmp_path)}
    results = search(tmp_path, space, tune_config=tune.TuneConfig(scheduler=scheduler))

    assert len(runs_of(tmp_path)) == len(results) == 2
    for result in results:
        run = run_of(tmp_path, result)
        assert points_of(run) == reported_by(run, tmp_path)
        steps = run.scalars("loss").step.tolist()
        assert steps == sorted(set(steps))
        assert steps[-1] == 5
        assert run.lineage().custom["config/lr"] == result.config["lr"]
        assert run.lineage().metrics["loss"] == result.metrics["loss"]
        assert [each.state for each in run.state.recordings] == ["finished"] * run.attempts
    assert {result.config["lr"] for result in results} != {0.1, 8.0}


def test_paused_trials_continue_in_their_runs(tmp_path: Path) -> None:
    """HyperBand pauses trials until others have reported as much, and stops the worse ones."""
    scheduler = tune.schedulers.HyperBandScheduler(metric="loss", mode="min", max_t=4, reduction_factor=2)
    space = {"lr": tune.grid_search([0.1, 0.2, 0.3, 0.4]), "reports": 4, "reported": str(tmp_path)}
    results = search(tmp_path, space, tune_config=tune.TuneConfig(scheduler=scheduler))

    assert len(runs_of(tmp_path)) == len(results) == 4
    for result in results:
        run = run_of(tmp_path, result)
        assert points_of(run) == reported_by(run, tmp_path)
        assert run.attempts == 1
        assert run.state.state == "finished"


@pytest.mark.parametrize("dies_always", [False, True])
def test_a_trial_whose_process_dies(tmp_path: Path, dies_always: bool) -> None:
    """It is tried again in its run; if it dies again, it has failed."""
    space = {"lr": 0.1, "reports": 4, "killed": str(tmp_path / "killed"), "dies_always": dies_always}
    results = search(tmp_path, space, max_failures=1)

    assert results.num_errors == dies_always
    (run,) = runs_of(tmp_path).values()
    first = run.state.recordings[0]
    assert (first.state, first.error.type) == ("failed", "ray.exceptions.ActorDiedError")
    assert [each.state for each in run.state.recordings] == ["failed", "failed" if dies_always else "finished"]
    if not dies_always:
        assert run.scalars("loss").step.tolist() == [1, 2, 3, 4]


PROGRAM = """
import logging, sys, time
from pathlib import Path
import ray
from ray import tune
from toposcope.recorder.frameworks.ray import ToposcopeCallback

def train(config):
    tune.report({"loss": config["lr"]})
    while not Path(sys.argv[1], "go on").exists():
        time.sleep(0.05)

directory = sys.argv[1]
ray.init(num_cpus=1, include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
config = tune.RunConfig(
    name="search", storage_path=f"{directory}/ray", callbacks=[ToposcopeCallback(f"{directory}/runs")], verbose=0
)
space = {"lr": tune.grid_search([0.1, 0.2])}
tune.Tuner(train, param_space=space, run_config=config).fit()
print("returned", flush=True)
"""


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGKILL])
def test_a_search_that_ends_before_its_trials(tmp_path: Path, kind: signal.Signals) -> None:
    """Ctrl-C interrupts the trials that run; of a killed search nothing more is known than that they stopped."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "RAY"))}
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    with subprocess.Popen(command, text=True, env=environment, stdout=subprocess.PIPE) as process:
        while not (tmp_path / "runs").exists() or not any(
            run.tags("scalar") for run in server.open(tmp_path / "runs").runs.values()
        ):
            assert process.poll() is None
        process.send_signal(kind)
        output, _ = process.communicate(timeout=SECONDS)

    (run,) = runs_of(tmp_path).values()  # One processor: the second trial has not started.
    assert points_of(run) == [(1, 0.1)]
    if kind is signal.SIGINT:
        assert "returned" in output
        assert run.state.state == "interrupted"
    else:
        assert run.state.state not in ("finished", "failed")
