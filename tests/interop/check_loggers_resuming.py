"""Trainings of Stable-Baselines3, Ignite and clu that kill -9 ends and the same program continues in their runs."""

from pathlib import Path

import pytest
from support.killed_training import check_attempts, expected_values, kill_and_resume

_STABLE_BASELINES = """
from check_loggers_stable_baselines3 import *
from stable_baselines3.common.callbacks import CheckpointCallback
class Killing(BaseCallback):
    def _on_step(self):
        if is_first and self.num_timesteps == 5 * 64:
            kill_when_recorded(run, 4 * 64)
        return True
callbacks = [recording(run), CheckpointCallback(2 * 64, str(directory)), Killing()]
if is_first:
    agent(directory / "csv").learn(8 * 64, callback=callbacks)
else:
    model = PPO.load(directory / f"rl_model_{2 * 64}_steps", device="cpu")
    model.set_env(make_vec_env("CartPole-v1"))
    model.learn(6 * 64, callback=callbacks, reset_num_timesteps=False)
"""

_IGNITE = """
from check_loggers_ignite import *
from ignite.handlers import Checkpoint, DiskSaver
def prepared():
    training = Training()
    parts = {"trainer": training.trainer, "network": training.network, "optimizer": training.optimizer}
    return training, parts
training, parts = prepared()
saver = DiskSaver(str(directory / "checkpoints"), create_dir=True, require_empty=False)
checkpoint = Checkpoint(parts, saver, n_saved=None)
training.trainer.add_event_handler(Events.EPOCH_COMPLETED, checkpoint)
@training.trainer.on(EVERY(once=8))
def kill(engine):
    if is_first:
        kill_when_recorded(run, 7)
with ToposcopeLogger(run, **QUIET) as logger:
    attach(logger, training)
    if not is_first:
        Checkpoint.load_objects(parts, directory / "checkpoints/checkpoint_5.pt")
    training.trainer.run(training.batches, max_epochs=3)
uninterrupted, _ = prepared()
uninterrupted.trainer.run(uninterrupted.batches, max_epochs=3)
expect(uninterrupted.losses)
"""

_CLU = """
from check_loggers_clu import *
weight, begin = np.float64(1), 0
if not is_first:
    saved = np.load(directory / "state.npz")
    weight, begin = saved["weight"], int(saved["step"])
writer = metric_writers.MultiWriter([ToposcopeWriter(run, **QUIET)])
writer.write_hparams({"rate": 0.1})
for step in range(begin + 1, 11):
    weight = weight * 0.9
    writer.write_scalars(step, {"loss": weight})
    if step == 5:
        np.savez(directory / "state.npz", weight=weight, step=step)
    if step == 8 and is_first:
        kill_when_recorded(run, 7)
writer.close()
"""


def test_stable_baselines_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    """Of a CheckpointCallback, with reset_num_timesteps=False."""
    kill_and_resume(tmp_path, _STABLE_BASELINES)

    check_attempts(tmp_path / "run", "time/fps", [64 * i for i in range(1, 9)], 3 * 64)


def test_ignite_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    """Restored by Checkpoint.load_objects(); the values are those of a training that was not killed."""
    kill_and_resume(tmp_path, _IGNITE)

    points = check_attempts(tmp_path / "run", "train/loss", list(range(1, 16)), 6)
    assert points.value.tolist() == pytest.approx(list(expected_values(tmp_path).values()))


def test_clu_goes_on_from_the_state_of_the_loop(tmp_path: Path) -> None:
    """Which the user has saved."""
    kill_and_resume(tmp_path, _CLU)

    points = check_attempts(tmp_path / "run", "loss", list(range(1, 11)), 6)
    assert points.value.tolist() == pytest.approx([0.9**step for step in range(1, 11)])
