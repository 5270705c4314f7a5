"""Five trainings of an agent: episodes as a tag, episodes of parallel environments out of order, rewards and losses."""

from pathlib import Path

import numpy as np

from toposcope.recorder import SummaryWriter

START = 1_764_100_000.0
STEPS = 1_000_000
UPDATES = 2000
SEEDS = 5


def write_agents(logdir: Path, scale: float) -> None:
    """Write the runs; scale multiplies the number of their updates."""
    for seed in range(1, SEEDS + 1):
        folder = logdir / f"HalfCheetah-v4__ppo_continuous_action__{seed}__17641{seed}0000"
        write_agent(folder, max(50, int(UPDATES * scale)), np.random.default_rng(seed))


def write_agent(folder: Path, updates: int, random: np.random.Generator) -> None:
    """Write one run; episodes of its three environments are recorded in any order."""
    skill, episode = 0.2 + 0.2 * random.random(), 0
    with SummaryWriter(str(folder)) as writer:
        for update in range(1, updates + 1):
            step, share = update * STEPS // updates, update / updates
            at = START + 0.4 * update
            for back in random.permutation(3):
                reward = 6000 * skill * share**0.6 - 300 + 350 * random.standard_t(4)
                ended = step - int(back) * 37
                episode += 1
                writer.add_scalar("charts/episodic_return", reward, ended, walltime=at)
                writer.add_scalar("charts/episodic_length", 1000, ended, walltime=at)
                writer.add_scalar("charts/episodes", episode, ended, walltime=at)
            writer.add_scalar("charts/learning_rate", 3e-4 * (1 - share), step, walltime=at)
            writer.add_scalar("charts/SPS", 2480 + 60 * random.standard_normal(), step, walltime=at)
            writer.add_scalar("losses/value_loss", 80 * np.exp(-3 * share) * random.gamma(4, 0.25), step, walltime=at)
            writer.add_scalar("losses/policy_loss", -0.01 + 0.01 * random.standard_normal(), step, walltime=at)
            writer.add_scalar("losses/entropy", 8.5 - 14 * share * skill / 0.3, step, walltime=at)
            writer.add_scalar("losses/approx_kl", random.gamma(2, 0.004), step, walltime=at)
            writer.add_scalar("losses/explained_variance", 1 - np.exp(-5 * share), step, walltime=at)
