"""A sweep of 120 runs over 15 hyperparameters, some of which have an effect on the validation accuracy."""

import math
from pathlib import Path

import numpy as np
from recordings import FINISHED, Batch, write_lineage, write_recording

START = 1_763_900_000.0
RUNS = 120
STEPS = 200
ADJECTIVES = "amber brisk calm dusty eager fading gentle happy icy jolly keen lucky misty noble olive proud quick rosy"
NOUNS = "fox reef mesa lake star nova pine wolf opal wave fern plum moon hawk quail dune iris rain"


def write_sweep(logdir: Path, scale: float) -> None:
    """Write the runs; scale multiplies their number."""
    random = np.random.default_rng(16)
    names = zip(ADJECTIVES.split() * RUNS, NOUNS.split() * RUNS, range(1, max(4, int(RUNS * scale)) + 1), strict=False)
    for adjective, noun, number in names:
        write_trial(logdir / f"{adjective}-{noun}-{number}", number, random)


def write_trial(folder: Path, number: int, random: np.random.Generator) -> None:
    """Write one run with settings drawn at random."""
    settings = draw_settings(number, random)
    accuracy = accuracy_of(settings) + 0.006 * random.standard_normal()
    steps = np.arange(1, STEPS + 1)
    start = START + 900 * number
    risen = 1 - np.exp(-steps / 40)
    columns = {
        "train/loss": 2.3 * (1 - accuracy * risen) + 0.03 * random.standard_t(3, STEPS),
        "val/loss": 2.3 * (1 - 0.97 * accuracy * risen) + 0.01 * random.standard_normal(STEPS),
        "val/accuracy": np.clip(accuracy * (0.1 + 0.9 * risen) + 0.004 * random.standard_normal(STEPS), 0, 1),
        "train/learning_rate": float(settings["lr"]) * 0.5 * (1 + np.cos(np.pi * steps / STEPS)),
    }
    write_lineage(folder, start, settings, {"final_val_accuracy": float(columns["val/accuracy"][-1])})
    batch = Batch(steps, (start + 3.7 * steps).astype(np.float64), columns)
    write_recording(folder, [batch], start, f"python train.py --trial {number}", FINISHED)


def draw_settings(number: int, random: np.random.Generator) -> dict[str, float | str | bool]:
    """Return a value of each hyperparameter: log-uniform, uniform, or one of a few."""

    def log_uniform(low: float, high: float) -> float:
        return float(np.exp(random.uniform(math.log(low), math.log(high))))

    return {
        "lr": log_uniform(1e-5, 1e-1),
        "weight_decay": log_uniform(1e-6, 1e-1),
        "optimizer": str(random.choice(["adamw", "adam", "sgd", "lion"])),
        "batch_size": int(random.choice([16, 32, 64, 128, 256])),
        "width": int(random.choice([128, 256, 512, 1024])),
        "depth": int(random.integers(2, 13)),
        "dropout": float(random.uniform(0, 0.5)),
        "activation": str(random.choice(["relu", "gelu", "silu"])),
        "warmup_steps": int(random.choice([0, 500, 2000])),
        "label_smoothing": float(random.choice([0, 0.05, 0.1])),
        "mixup": bool(random.random() < 0.5),
        "ema_decay": 1 - log_uniform(1e-4, 1e-2),
        "grad_clip": float(random.choice([0.5, 1, 5])),
        "schedule": str(random.choice(["cosine", "linear", "constant"])),
        "seed": number % 3,
    }


def accuracy_of(settings: dict[str, float | str | bool]) -> float:
    """Return the accuracy that settings lead to: best near a learning rate that depends on the optimizer."""
    best = {"adamw": -3.0, "adam": -3.2, "sgd": -1.5, "lion": -4.0}[str(settings["optimizer"])]
    distance = math.log10(float(settings["lr"])) - best
    return (
        0.95
        - 0.045 * distance**2 / (1 + 0.1 * distance**2)
        - 0.06 * abs(float(settings["dropout"]) - 0.15)
        + 0.008 * math.log2(float(settings["width"]) / 256)
        - 0.02 * (settings["activation"] == "relu")
        - 0.01 * (float(settings["weight_decay"]) > 0.03)
    )
