"""Record a long and noisy run, as a language model's fine-tuning has it, without training anything.

python examples/simulated_tuning.py [--directory DIR] [--steps N]

Its loss has heavy-tailed noise and spikes, evaluations are rare, and the steps are logged every tenth, as trainers do.
"""

import argparse

import numpy as np

from toposcope.recorder import SummaryRecord, custom_lineage, train_lineage

LOGGED_EVERY = 10
EVALUATIONS = 120
PEAK_RATE = 2e-5
BATCH = 64
TOKENS = 4096 * BATCH


def main() -> None:
    """Record the run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--directory", default="runs/simulated-tuning_lr2e-5_bs64", help="of the run")
    parser.add_argument("--steps", type=int, default=100_000, help="of the optimizer")
    options = parser.parse_args()
    random = np.random.default_rng(0)
    with SummaryRecord(options.directory) as recorder:
        lineage = train_lineage(optimizer="AdamW", learning_rate=PEAK_RATE, batch_size=BATCH, network="Simulated 7B")
        recorder.add_value("train_lineage", "train", lineage)
        recorder.add_value("custom_lineage_data", "settings", custom_lineage({"weight_decay": 0.01, "warmup": 0.03}))
        evaluated_every = max(LOGGED_EVERY, options.steps // EVALUATIONS // LOGGED_EVERY * LOGGED_EVERY)
        for step in range(LOGGED_EVERY, options.steps + 1, LOGGED_EVERY):
            values = training_values(step, options.steps, random)
            if step % evaluated_every == 0:
                values |= evaluation_values(step / options.steps, random)
            for tag, value in values.items():
                recorder.add_value("scalar", tag, value)
            recorder.record(step)


def training_values(step: int, steps: int, random: np.random.Generator) -> dict[str, float]:
    """Return what is recorded at a step, by tag."""
    share = step / steps
    noise = float(np.clip(random.standard_t(3), -12, 12))
    spike = float(random.exponential(2.5)) if random.random() < 4e-4 else 0.0
    loss = true_loss(share) * (1 + 0.06 * noise) + spike
    return {
        "train/loss": loss,
        "train/grad_norm": (0.35 + 3 * float(np.exp(-60 * share))) * float(np.exp(0.25 * noise)) + 4 * spike,
        "train/learning_rate": PEAK_RATE * min(share / 0.03, 0.5 * (1 + float(np.cos(np.pi * share)))),
        "train/tokens": float(step * TOKENS),
    }


def evaluation_values(share: float, random: np.random.Generator) -> dict[str, float]:
    """Return what an evaluation records, by tag."""
    loss = 1.03 * true_loss(share) + 0.004 * float(random.standard_normal())
    return {"eval/loss": loss, "eval/accuracy": 0.25 + 0.4 * (2.6 - loss) / 1.65}


def true_loss(share: float) -> float:
    """Return the loss without noise, after a part of the training from 0 to 1: a power law."""
    return 0.95 + 1.65 / float((1 + 60 * share) ** 0.6)


if __name__ == "__main__":
    main()
