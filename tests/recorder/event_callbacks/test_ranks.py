"""Event callbacks in two processes, which decide together and know each other's GPUs."""

import multiprocessing
import os
from pathlib import Path
from typing import Any

import torch
from support.tiny_training import series, tiny_batches, tiny_network, tiny_trainer
from torch import distributed

from toposcope.recorder.collecting.machine.metric_sources import MetricSources
from toposcope.recorder.event_callbacks import EarlyStopper, SystemMetricsMonitor, system_metrics_monitor
from toposcope.recorder.loggers import InMemoryLogger
from toposcope.recorder.metrics import Metric
from toposcope.recorder.training.state.evaluator import Evaluator

_SECONDS = 120
# The mean of the ranks is best in the second epoch; that of rank 0 alone in the first, that of rank 1 in the third.
_SCORES = ([0.9, 0.8, 0.3, 0.2, 0.1], [0.1, 0.4, 0.6, 0.5, 0.5])


class Score(Metric):
    """The score of this rank after each evaluation."""

    def __init__(self, values: list[float]) -> None:
        self.values, self.evaluations = values, 0

    def clear(self) -> None:
        """Count an evaluation."""
        self.evaluations += 1

    def update(self, *inputs: Any) -> None:
        """Do nothing."""

    def eval(self) -> float:
        """Return the score."""
        return self.values[min(self.evaluations, len(self.values)) - 1]


def run_rank(rank: int, folder: Path) -> None:
    """Train as one of two processes; save what it logged and when it stopped."""
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": "2"}
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", f"file://{folder}/rendezvous", rank=rank, world_size=2)
    sources = MetricSources({"GPU": lambda: {"gpu_percentage": 10.0 + rank}})
    system_metrics_monitor._gpu_sources = lambda model: sources
    callbacks = [EarlyStopper("score", "eval", patience=1), SystemMetricsMonitor()]
    memory = InMemoryLogger()
    evaluator = Evaluator("eval", tiny_batches(1), {"score": Score(_SCORES[rank])})
    with tiny_trainer(
        callbacks, [memory], model=tiny_network(), batches=1, eval_dataloader=[evaluator], max_duration="9ep"
    ) as trainer:
        trainer.fit()
        values = {name: series(memory, name)[:1] for name in memory.data if "gpu" in name}
        torch.save({"epochs": int(trainer.state.timestamp.batch), "gpus": values}, folder / f"{rank}.pt")
    distributed.barrier()  # Gloo aborts a process whose peer ends first.
    distributed.destroy_process_group()


def test_two_processes_stop_together_and_compare_their_gpus(tmp_path: Path) -> None:
    """The mean of the metric decides, which is best in the second epoch."""
    processes = [
        multiprocessing.get_context("spawn").Process(target=run_rank, args=(rank, tmp_path)) for rank in (0, 1)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(_SECONDS)
        assert process.exitcode == 0
    for rank in (0, 1):
        found = torch.load(tmp_path / f"{rank}.pt")
        assert found["epochs"] == 4
        assert found["gpus"] == {"min_gpu_percentage_rank_0": [(0, 10.0)], "max_gpu_percentage_rank_1": [(0, 11.0)]}
