"""The runs on which the tasks of a day are done."""

import math
import random
import threading
from pathlib import Path

from toposcope.recorder import SummaryRecord, train_lineage

STEPS = 1000
SPIKE, NAN = 700, 321
FAILED, DIVERGED, LIVE = "failed", "diverged", "live"


def record_day(logdir: Path) -> None:
    """Record a sweep of nine runs, a run with a NaN, and one that failed."""
    for rate in (0.001, 0.01, 0.1):
        for seed in range(3):
            record_run(logdir / f"sweep/lr={rate:g} seed={seed}", rate, seed)
    record_run(logdir / DIVERGED, 1.0, 9, nan=NAN)
    try:
        with SummaryRecord(logdir / FAILED) as run:
            run.add_value("scalar", "train/loss", 1.0)
            run.record(1)
            raise RuntimeError("CUDA error: out of memory")
    except RuntimeError:
        pass


def record_run(folder: Path, rate: float, seed: int, nan: int | None = None) -> None:
    """Record a run whose validation accuracy grows with the learning rate; one has a spike in its loss."""
    noise = random.Random(seed)
    with SummaryRecord(folder) as run:
        run.add_value("train_lineage", "lineage", train_lineage(learning_rate=rate, batch_size=32 + seed))
        for step in range(STEPS + 1):
            loss = math.exp(-20 * rate * step / STEPS) + 0.02 * noise.random() + (3 if step == SPIKE else 0)
            run.add_value("scalar", "train/loss", float("nan") if step == nan else loss)
            if step % 50 == 0:
                run.add_value("scalar", "validation/loss", loss + 0.1)
                run.add_value("scalar", "validation/accuracy", 0.5 + rate + seed / 100)
            run.record(step)


def record_live(folder: Path, ended: threading.Event) -> None:
    """Record a point at every twentieth of a second."""
    with SummaryRecord(folder) as run:
        for step in range(10_000):
            run.add_value("scalar", "live/loss", 1 / (step + 1))
            run.record(step)
            run.flush()
            if ended.wait(0.05):
                return
