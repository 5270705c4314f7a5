"""Trainings of Stable-Baselines3 that are recorded, compared with the CSV file that it writes itself."""

import io
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import PIL.Image
import PIL.ImageSequence
import pytest
import torch
from matplotlib.figure import Figure as Plot
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.callbacks import BaseCallback, CheckpointCallback, EvalCallback, EveryNTimesteps
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.logger import CSVOutputFormat, Figure, HParam, Image, Logger, Video
from stable_baselines3.common.vec_env import SubprocVecEnv
from support.documentation import examples, run_examples
from support.recorded_run import graphs_in, run_in, scalars_of, tags_of, texts_of

from toposcope.recorder.callbacks import Callback, EarlyStopping
from toposcope.recorder.frameworks.stable_baselines3 import ToposcopeCallback, ToposcopeOutputFormat

pytestmark = pytest.mark.filterwarnings("ignore")
QUIET: dict[str, Any] = {"collect_specified_data": {"collect_machine": False, "collect_code": False}}

LOGGERS: list[Any] = []


@pytest.fixture(autouse=True)
def _closed_loggers() -> Iterator[None]:
    """Close the files of the agents."""
    yield
    while LOGGERS:
        LOGGERS.pop().close()


def agent(directory: Path, **settings: Any) -> Any:
    """Return an agent that also writes a CSV file."""
    model = PPO("MlpPolicy", "CartPole-v1", n_steps=64, batch_size=32, n_epochs=2, seed=0, device="cpu", **settings)
    directory.mkdir(parents=True, exist_ok=True)
    model.set_logger(Logger(str(directory), [CSVOutputFormat(str(directory / "progress.csv"))]))
    LOGGERS.append(model.logger)
    return model


def recording(directory: Path, **settings: Any) -> ToposcopeCallback:
    """Return a callback that records what is cheap."""
    return ToposcopeCallback(directory, **(QUIET | settings))


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what the recorder has logged."""
    return [record.getMessage() for record in caplog.records if record.name.startswith("toposcope")]


def check_table(directory: Path, table: Any) -> None:
    """Check that each column of the CSV file is a scalar with the same values at the same timesteps.

    Of those that count the progress of the training there is none, as Stable-Baselines3 excludes them from TensorBoard.
    """
    names = set(table.columns) - {"time/total_timesteps", "time/iterations", "time/time_elapsed", "train/n_updates"}
    recorded = {tag for tag in tags_of(directory, "scalar") if not tag.startswith("throughput/")}
    assert recorded == names
    for name in names:
        expected = table[["time/total_timesteps", name]].dropna()
        points = scalars_of(directory, name)
        assert list(points) == list(expected["time/total_timesteps"])
        assert list(points.values()) == pytest.approx(list(expected[name]), rel=1e-6)


def test_values_are_those_of_the_csv_file(tmp_path: Path) -> None:
    """Each value that the logger dumps is recorded at the number of timesteps."""
    model = agent(tmp_path / "csv")
    model.learn(320, callback=recording(tmp_path / "run"))

    check_table(tmp_path / "run", pandas.read_csv(tmp_path / "csv/progress.csv"))
    run = run_in(tmp_path / "run")
    assert run.state.state == "finished"
    assert list(scalars_of(tmp_path / "run", "train/loss")) == [128, 192, 256, 320]
    assert not [each for each in model.logger.output_formats if isinstance(each, ToposcopeOutputFormat)]


def test_evaluations_are_recorded_once(tmp_path: Path) -> None:
    """They are those of the EvalCallback, and of another algorithm."""
    environment = make_vec_env("CartPole-v1", seed=1)
    evaluations = EvalCallback(environment, eval_freq=100, log_path=str(tmp_path / "log"), verbose=0)
    model = DQN("MlpPolicy", "CartPole-v1", learning_starts=50, seed=0, device="cpu")
    model.learn(300, callback=[recording(tmp_path / "run"), evaluations])

    results = np.load(tmp_path / "log/evaluations.npz")
    points = run_in(tmp_path / "run").scalars("eval/mean_reward", attempt="all")
    assert points.step.tolist() == results["timesteps"].tolist()
    assert points.value.tolist() == pytest.approx(results["results"].mean(axis=1).tolist())
    lineage = run_in(tmp_path / "run").lineage()
    assert lineage.metrics["mean_reward"] == pytest.approx(results["results"][-1].mean())
    assert tags_of(tmp_path / "run", "scalar").count("eval/mean_reward") == 1


def test_our_callbacks_receive_evaluations(tmp_path: Path) -> None:
    """Such as EarlyStopping, which ends the training."""
    stopping = EarlyStopping("mean_reward", mode="max", patience=1, min_delta=1e9)
    evaluations = EvalCallback(make_vec_env("CartPole-v1", seed=1), eval_freq=50, verbose=0)
    model = agent(tmp_path / "csv")
    model.learn(1000, callback=[recording(tmp_path / "run", callbacks=[stopping]), evaluations])
    assert list(scalars_of(tmp_path / "run", "eval/mean_reward")) == [50, 100]
    assert model.num_timesteps < 128


def test_settings_are_lineage(tmp_path: Path) -> None:
    """None of them is a metric."""
    agent(tmp_path / "csv", gamma=0.9).learn(64, callback=recording(tmp_path / "run"))

    lineage = run_in(tmp_path / "run").lineage()
    assert (lineage.custom["params/gamma"], lineage.custom["params/n_steps"]) == (0.9, 64)
    assert lineage.custom["params/algorithm"] == lineage.model["network"] == "PPO"
    assert lineage.custom["params/environment"] == "CartPole-v1"
    assert lineage.custom["params/learning_rate"] == 0.0003
    assert not [tag for tag in tags_of(tmp_path / "run", "scalar") if tag.startswith("params")]


def test_continued_training_continues_the_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Also of a model that was saved and loaded: its timesteps go on."""
    callback = recording(tmp_path / "run")
    model = agent(tmp_path / "csv")
    model.learn(128, callback=callback)
    model.save(tmp_path / "model")
    loaded = PPO.load(tmp_path / "model", env=model.get_env(), device="cpu")
    loaded.learn(128, callback=pickle.loads(pickle.dumps(callback)), reset_num_timesteps=False)

    assert list(scalars_of(tmp_path / "run", "time/fps")) == [64, 128, 192, 256]
    assert warnings_in(caplog) == []
    loaded.learn(64, callback=callback)
    assert "contains an earlier training, up to step 256" in caplog.text


def test_failures_and_stops(tmp_path: Path) -> None:
    """An exception is a failed end; a stop that a callback of ours requests ends the training."""

    class Raising(BaseCallback):
        def _on_step(self) -> bool:
            if self.n_calls == 70:
                raise ValueError("a full disk")
            return True

    with pytest.raises(ValueError, match="a full disk"), recording(tmp_path / "failed") as callback:
        agent(tmp_path / "csv").learn(256, callback=[callback, Raising()])
    state = run_in(tmp_path / "failed").state
    assert (state.state, state.error.type, state.error.text) == ("failed", "ValueError", "a full disk")

    class Stopping(Callback):
        def on_train_step_end(self, run_context: Any) -> None:
            if run_context.original_args().cur_step_num == 128:
                run_context.request_stop()

    model = agent(tmp_path / "csv")
    model.learn(1000, callback=recording(tmp_path / "stopped", callbacks=[Stopping()]))
    assert model.num_timesteps == 129
    assert run_in(tmp_path / "stopped").state.state == "finished"


def test_all_kinds_of_values(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Images, figures, videos, histograms and texts are recorded; excluded values are not."""
    logger = Logger(None, [ToposcopeOutputFormat(tmp_path, **QUIET)])
    plot = Plot()
    plot.subplots().plot([1, 2, 3])
    pixels = np.random.default_rng(0).integers(0, 255, (3, 5, 7), dtype=np.uint8)
    clip = np.random.default_rng(0).integers(0, 2, (4, 3, 5, 7), dtype=np.uint8) * 255
    for step in (1, 2):
        logger.record("reward", np.float32(0.5))
        logger.record("count", torch.tensor(3))
        logger.record("text", "hello")
        logger.record("weights", torch.arange(10.0))
        logger.record("image", Image(pixels, "CHW"))
        logger.record("figure", Figure(plot, close=True))
        logger.record("video", Video(torch.from_numpy(clip[None]), 20))
        logger.record("hidden", 1.0, exclude="toposcope")
        logger.record("hparams", HParam({"gamma": 0.9, "api_key": "abc"}, {"reward": 0}))
        logger.dump(step)
    logger.close()

    run = run_in(tmp_path)
    assert tags_of(tmp_path, "scalar") == ["count", "reward", "throughput/steps_per_second"]
    assert scalars_of(tmp_path, "reward") == {1: 0.5, 2: 0.5}
    assert run.text("text")[0].texts == ["hello"]
    assert run.histograms("weights")[1].total_count == 10
    (image,) = run.images("image")[0]
    assert np.array_equal(np.asarray(PIL.Image.open(io.BytesIO(image.encoded))), pixels.transpose(1, 2, 0))
    assert len(run.images("figure")) == 2
    assert run.lineage().custom["hparams/gamma"] == 0.9
    assert "hparams/api_key" not in run.lineage().custom
    with PIL.Image.open(io.BytesIO(run.images("video")[1][0].encoded)) as video:
        frames = [np.asarray(frame.convert("RGB")) for frame in PIL.ImageSequence.Iterator(video)]
        assert np.array_equal(frames, clip.transpose(0, 2, 3, 1))
        assert (video.format, video.info["duration"]) == ("GIF", 50)
    assert warnings_in(caplog) == []


def test_checkpoints_are_recorded_at_their_steps(tmp_path: Path) -> None:
    """Of CheckpointCallbacks, also inside of other callbacks, and the best model of an EvalCallback with its reward."""
    best = EvalCallback(make_vec_env("CartPole-v1"), eval_freq=100, best_model_save_path=str(tmp_path), verbose=0)
    nested = CheckpointCallback(1, str(tmp_path), name_prefix="nested")
    callbacks = [CheckpointCallback(90, str(tmp_path)), EveryNTimesteps(150, nested), best, recording(tmp_path / "run")]
    model = agent(tmp_path / "csv")
    model.learn(192, callback=callbacks)

    texts = texts_of(tmp_path / "run", "checkpoint")
    reward = scalars_of(tmp_path / "run", "eval/mean_reward")[100]
    assert texts == {
        90: ["rl_model_90_steps.zip"],
        100: [f"best_model.zip (eval/mean_reward: {reward:g})"],
        150: ["nested_150_steps.zip"],
        180: ["rl_model_180_steps.zip"],
    }
    assert run_in(tmp_path / "run").lineage().model["path"] == str(tmp_path / "rl_model_180_steps.zip")
    assert PPO.load(tmp_path / "rl_model_180_steps.zip").num_timesteps == 180
    assert "_on_step" not in vars(best) | vars(nested)


@pytest.mark.parametrize("kind", [PPO, DQN])
def test_graph_is_that_of_the_policy(tmp_path: Path, kind: Any) -> None:
    """It is traced, and recording it does not change the training."""
    weights = []
    for callback in (None, recording(tmp_path)):
        model = kind("MlpPolicy", "CartPole-v1", seed=0, device="cpu", **({"n_steps": 64} if kind is PPO else {}))
        LOGGERS.append(model.learn(128, callback=callback).logger)
        weights.append(torch.cat([each.flatten() for each in model.policy.state_dict().values()]))

    graphs = graphs_in(tmp_path)
    assert list(graphs) == ["ActorCriticPolicy" if kind is PPO else "DQNPolicy"]
    assert {"linear", "tanh" if kind is PPO else "relu"} <= set().union(*graphs.values())
    assert tags_of(tmp_path, "graph")
    assert torch.equal(*weights)


def test_workers_record_nothing(tmp_path: Path) -> None:
    """The environments of a SubprocVecEnv run in other processes; the step counts the timesteps of all of them."""
    environments = make_vec_env(
        "CartPole-v1", n_envs=2, vec_env_cls=SubprocVecEnv, vec_env_kwargs={"start_method": "fork"}
    )
    model = PPO("MlpPolicy", environments, n_steps=32, batch_size=32, device="cpu")
    LOGGERS.append(model.learn(192, callback=recording(tmp_path)).logger)
    environments.close()

    assert list(scalars_of(tmp_path, "time/fps")) == [64, 128, 192]
    assert len(run_in(tmp_path).state.recordings) == 1


def test_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They record what the page says."""
    run_examples(examples("stable_baselines.md"), "stable_baselines.md", tmp_path, monkeypatch)
    assert list(scalars_of(tmp_path / "runs/first", "rollout/ep_rew_mean"))[-1] == 1536
    assert scalars_of(tmp_path / "runs/second", "reward") == {1: 0.5}
