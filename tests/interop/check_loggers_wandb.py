"""WandbCallback of wandb.integration.sb3 records what Stable-Baselines3 itself logs."""

import csv
from pathlib import Path

import pytest
from stable_baselines3 import A2C
from stable_baselines3.common.logger import configure
from support.recorded_run import run_in, scalars_of, tags_of

from toposcope.recorder import wandb
from toposcope.recorder.wandb.integration.sb3 import WandbCallback  # type: ignore[import-not-found]


def test_an_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers of progress.csv at their timesteps, settings, gradients and the saved model."""
    monkeypatch.chdir(tmp_path)
    run = wandb.init(sync_tensorboard=True)
    model = A2C("MlpPolicy", "CartPole-v1", seed=0, device="cpu", n_steps=8)
    model.set_logger(configure(str(tmp_path / "progress"), ["csv"]))
    callback = WandbCallback(gradient_save_freq=50, model_save_path="models", model_save_freq=100, log="gradients")
    model.learn(1600, log_interval=50, callback=callback)
    model.logger.close()
    run.finish()
    with (tmp_path / "progress/progress.csv").open() as file:
        rows = list(csv.DictReader(file))
    steps = [int(row["time/total_timesteps"]) for row in rows]
    assert sorted(set(scalars_of(tmp_path, "global_step").values())) == steps
    recorded = list(scalars_of(tmp_path, "rollout/ep_rew_mean").values())
    assert recorded == pytest.approx([float(row["rollout/ep_rew_mean"]) for row in rows if row["rollout/ep_rew_mean"]])
    custom = run_in(tmp_path).lineage().custom
    assert (custom["algo"], custom["n_steps"]) == ("A2C", 8)
    assert any(tag.startswith("gradients/") for tag in tags_of(tmp_path, "histogram"))
    assert Path("models/model.zip").is_file()
