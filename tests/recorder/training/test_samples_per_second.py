"""throughput/samples_per_second: the samples that this process has processed, in loops of one and of two processes."""

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support.torch_programs import TorchPrograms
from torch import nn

from toposcope import server
from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.training import Model

QUIET = {"collect_machine": False, "collect_environment": False, "collect_graph": False}


def samples_per_step(directory: Path, rank: int | None = None) -> dict[int, float]:
    """Return the recorded samples per step of the interval that ends at each recorded step."""
    (run,) = server.open(directory).runs.values()
    samples, steps = (run.scalars(f"throughput/{unit}_per_second", rank=rank) for unit in ("samples", "steps"))
    assert samples.step.tolist() == steps.step.tolist()
    return dict(zip(samples.step.tolist(), samples.value / steps.value, strict=True))


def mean_of_intervals(counted: Mapping[int, Sequence[int]], ends: Sequence[int]) -> dict[int, float]:
    """Return the samples per step of the intervals that end at some steps, of the batches counted at each step."""
    expected, before = {}, 0
    for end in ends:
        interval = [sum(counted[step]) for step in range(before + 1, end + 1)]
        expected[end], before = sum(interval) / len(interval), end
    return expected


def train(directory: Path, accumulation: int, sizes: list[int]) -> dict[int, list[int]]:
    """Train on batches of these sizes; return the samples of each step, counted by the loop itself."""
    network = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    counted: dict[int, list[int]] = {}
    with SummaryCollector(directory, 5, QUIET).watch(network, optimizer) as run:
        for number, size in enumerate(sizes):
            counted.setdefault(number // accumulation + 1, []).append(size)
            loss = network(torch.randn(size, 3)).square().mean()
            loss.backward()
            if number % accumulation == accumulation - 1:
                optimizer.step()
            run.step(loss)
            if number % accumulation == accumulation - 1:
                optimizer.zero_grad()
    return counted


@pytest.mark.parametrize("accumulation", [1, 4])
@pytest.mark.parametrize("sizes", ["equal", "different"])
def test_samples_are_those_of_all_micro_batches(tmp_path: Path, accumulation: int, sizes: str) -> None:
    """Compared with an independent count of the loop, over each recorded interval."""
    generator = np.random.default_rng(0)
    number = 20 * accumulation
    counted = train(
        tmp_path, accumulation, [64] * number if sizes == "equal" else generator.integers(1, 99, number).tolist()
    )
    recorded = samples_per_step(tmp_path)
    assert recorded == pytest.approx(mean_of_intervals(counted, (1, 5, 10, 15, 20)))
    if sizes == "equal":
        assert set(np.round(list(recorded.values()), 6)) == {64 * accumulation}


@pytest.mark.parametrize("size", [None, 16])
def test_model_counts_the_samples_of_all_microbatches(tmp_path: Path, size: int | None) -> None:
    """microbatch_size splits a batch of 64."""
    network = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    data = [(torch.randn(64, 3), torch.randn(64, 1)) for _ in range(10)]
    model = Model(network, nn.MSELoss(), optimizer, microbatch_size=size)
    model.train(1, data, callbacks=SummaryCollector(tmp_path, 5, QUIET))
    assert samples_per_step(tmp_path) == pytest.approx({1: 64, 5: 64, 10: 64})


def train_distributed(directory: str, accumulation: int, steps_once: bool) -> None:
    """Train in one of several processes, with batches of different sizes; save the samples of each step.

    Args:
        directory: of the run, and of the counts.
        accumulation: batches of a step.
        steps_once: whether run.step() is called once for all of them.
    """
    distributed: Any = torch.distributed
    rank = int(os.environ["RANK"])
    distributed.init_process_group("gloo", f"file://{directory}/meeting", rank=rank, world_size=2)
    size, number_of_batches = 32 + 16 * rank, 10 * accumulation
    data = torch.utils.data.TensorDataset(torch.randn(size * number_of_batches - 7, 3))  # The last batch is smaller.
    loader = torch.utils.data.DataLoader(data, batch_size=size)
    counted: dict[int, list[int]] = {}
    network = nn.parallel.DistributedDataParallel(nn.Linear(3, 1))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    with SummaryCollector(f"{directory}/run", 5, QUIET).watch(network, optimizer, loader) as run:
        for number, (inputs,) in enumerate(loader):
            counted.setdefault(number // accumulation + 1, []).append(len(inputs))
            is_last = number % accumulation == accumulation - 1
            with nullcontext() if is_last else network.no_sync():
                loss = network(inputs).square().mean()
                loss.backward()
            if is_last:
                optimizer.step()
            if is_last or not steps_once:
                run.step(loss)
            if is_last:
                optimizer.zero_grad()
    Path(directory, f"{rank}.json").write_text(json.dumps(list(counted.values())))
    distributed.barrier()
    distributed.barrier()  # Gloo aborts a process whose peer ends first.
    distributed.destroy_process_group()


@pytest.mark.parametrize(("accumulation", "steps_once"), [(1, False), (4, False), (4, True)])
def test_each_of_two_processes_counts_its_own_samples(
    programs: TorchPrograms, tmp_path: Path, accumulation: int, steps_once: bool
) -> None:
    """Compared with a count of its loop, with DistributedDataParallel; the sum over ranks is left to readers."""
    program = f"""
import os, runpy, sys
runpy.run_path({__file__!r})["train_distributed"](sys.argv[1], {accumulation}, {steps_once})
os._exit(0)  # PyTorch's threads occasionally abort or hang during interpreter shutdown.
"""
    programs.run(program, tmp_path, folder=tmp_path, ranks=2)
    for rank in range(2):
        counted = dict(enumerate(json.loads((tmp_path / f"{rank}.json").read_text()), 1))
        assert sum(map(sum, counted.values())) == (32 + 16 * rank) * 10 * accumulation - 7
        expected = mean_of_intervals(counted, (1, 5, 10))
        assert samples_per_step(tmp_path / "run", rank) == pytest.approx(expected)


class Clock:
    """perf_counter() of a loop that advances it."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("is_observed", [True, False])
@pytest.mark.parametrize("steps_of_evaluations", [(), (2, 5), (4, 8)])
def test_each_interval_consists_of_the_time_of_its_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_observed: bool, steps_of_evaluations: tuple[int, ...]
) -> None:
    """Evaluations, also in the middle of an epoch, do not count; the first step of an epoch does."""
    clock = Clock()
    monkeypatch.setattr("toposcope.recorder.collecting.steps.throughput.perf_counter", clock)
    monkeypatch.setattr("toposcope.recorder.training.own_loops.loop_events.perf_counter", clock)
    network = nn.Linear(3, 1)
    model = network if is_observed else None
    with SummaryCollector(tmp_path, 2, QUIET).watch(
        model, parameters=dict, learning_rate=0.1, steps_per_epoch=4
    ) as run:
        for step in range(1, 13):
            network(torch.randn(2, 3))
            clock.now += 0.5
            run.step(1.0)
            if step in steps_of_evaluations:
                clock.now += 50
                run.eval({"accuracy": 0.5})
    (recorded,) = server.open(tmp_path).runs.values()
    rates = recorded.scalars("throughput/steps_per_second")
    assert rates.step.tolist() == [1, 2, 4, 6, 8, 10, 12]
    assert rates.value.tolist() == [2.0] * 7
