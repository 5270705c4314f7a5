"""Trains a task with several optimizers in one process, by turns, and times their steps."""

import itertools
import math
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import torch
from thor_targets import Reading, best_setting, common_target, finalists_of, first_reading
from thor_tasks import Data, Task
from torch import Tensor, nn

from toposcope.recorder.train_thor import thor

FREQUENCY = 10
BLOCK_SIZE = 128  # MindSpore's.
TUNING_SEEDS = (0, 1, 2)
FINALISTS = 4


class Setting(NamedTuple):
    """An optimizer with the hyperparameters that are tuned."""

    optimizer: str
    values: tuple[float, ...]
    """Named by TUNED."""

    def __str__(self) -> str:
        return ", ".join(f"{name} {value:g}" for name, value in zip(TUNED[self.optimizer], self.values, strict=True))


TUNED = {"SGD": ("lr", "momentum"), "Adam": ("lr", "beta2"), "THOR": ("lr", "damping", "trust region")}
_DOUBLED = [2.0**number for number in range(12)]
# As many settings for each optimizer, the same for all tasks.
_VALUES: dict[str, Iterable[tuple[float, ...]]] = {
    "SGD": itertools.product([0.001 * each for each in _DOUBLED], (0.9, 0.99)),
    "Adam": itertools.product([0.0001 * each for each in _DOUBLED], (0.99, 0.999)),
    "THOR": itertools.product((0.03, 0.1, 0.3), (0.003, 0.01, 0.03, 0.1), (0.001, 0.01)),
}
SETTINGS = {name: [Setting(name, values) for values in product] for name, product in _VALUES.items()}


def optimizer_of(setting: Setting, network: nn.Module, task: Task) -> Any:
    """Return the optimizer for a network; of what is not tuned, THOR's momentum is 0.9 and it averages factors."""
    if setting.optimizer == "SGD":
        rate, momentum = setting.values
        return torch.optim.SGD(network.parameters(), lr=rate, momentum=momentum)
    if setting.optimizer == "Adam":
        rate, beta = setting.values
        return torch.optim.Adam(network.parameters(), lr=rate, betas=(0.9, beta))
    rate, damping, region = setting.values
    fixed: dict[str, Any] = {"factor_decay": 0.9, "block_size": BLOCK_SIZE, "frequency": FREQUENCY}
    return thor(network, rate, damping, 0.9, trust_region=region, fisher=task.fisher, **fixed)


def clock(device: torch.device) -> float:
    """Return the CPU time of this process; with a GPU the wall time after its work."""
    if device.type == "cpu":
        return time.process_time()
    torch.accelerator.synchronize(device)
    return time.perf_counter()


class Run:
    """A training with one setting and one seed, which decides initial weights and batches."""

    def __init__(self, task: Task, data: Data, setting: Setting, seed: int) -> None:
        self.readings: list[Reading] = []
        self._task, self._data = task, data
        self._device = data.train[0].device
        torch.manual_seed(seed)
        self._network = task.network().to(self._device)
        self._optimizer = optimizer_of(setting, self._network, task)
        self._random = torch.Generator().manual_seed(seed)
        self._step, self._seconds = 0, 0.0

    def advance(self) -> Reading:
        """Train until the next step of the grid, and evaluate."""
        self.train(self._task.every)
        with torch.no_grad():
            value = float(self._task.value(self._network, self._data))
        self.readings.append(Reading(self._step, value, self._seconds))
        return self.readings[-1]

    def train(self, steps: int) -> float:
        """Take steps; return their seconds."""
        batches = [self._batch() for _ in range(steps)]
        begin = clock(self._device)
        for inputs, targets in batches:
            self._train_step(inputs, targets)
        seconds = clock(self._device) - begin
        self._step += steps
        self._seconds += seconds
        return seconds

    def _train_step(self, inputs: Tensor, targets: Tensor) -> None:
        self._optimizer.zero_grad()
        outputs = self._network(inputs)
        if hasattr(self._optimizer, "sample_fisher"):
            self._optimizer.sample_fisher(outputs, self._task.likelihood)
        self._task.loss(outputs, targets).backward()  # type: ignore[no-untyped-call, unused-ignore]
        self._optimizer.step()

    def _batch(self) -> tuple[Tensor, Tensor]:
        inputs, targets = self._data.train
        rows = torch.randperm(len(inputs), generator=self._random)[: self._task.batch].to(self._device)
        return inputs[rows], targets[rows]


def race(runs: Sequence[Run], limit: int, target: float) -> None:
    """Advance runs by turns until each has reached the target, has diverged or has taken as many steps as the limit."""
    active = list(runs)
    while active:
        active = [run for run in active if _goes_on(run.advance(), limit, target)]
        active = active[1:] + active[:1]


def _goes_on(reading: Reading, limit: int, target: float) -> bool:
    return reading.step < limit and math.isfinite(reading.value) and reading.value > target


class Tuned(NamedTuple):
    """The result of tuning."""

    settings: dict[str, Setting]
    """The best setting of each optimizer."""
    target: float


Trials = dict[Setting, list[Reading]]


class Tuning:
    """Finds the setting of each optimizer that needs the fewest steps to the target.

    All settings are tried on the first tuning seed, and the best FINALISTS of them on the others too. The best has the
    lowest median of steps.
    """

    def __init__(self, task: Task, data: Data, progress: Callable[[Setting, int, Sequence[Reading]], None]) -> None:
        self._task, self._data, self._progress = task, data, progress

    def tune(self) -> Tuned:
        """Return the best settings, and the target."""
        target = -math.inf if self._task.target is None else self._task.target
        trials = {name: self._trials(SETTINGS[name], target) for name in ("SGD", "Adam")}
        if self._task.target is None:
            target = common_target(readings for each in trials.values() for readings in each.values())
        trials["THOR"] = self._trials(SETTINGS["THOR"], target)
        return Tuned({name: self._best(each, target) for name, each in trials.items()}, target)

    def _trials(self, settings: Iterable[Setting], target: float) -> Trials:
        found: Trials = {}
        reached: list[int] = []
        for setting in settings:
            # A setting that needs more steps than the finalists so far is not one.
            limit = sorted(reached)[FINALISTS - 1] if len(reached) >= FINALISTS else self._task.tuning_steps
            found[setting] = self._train(setting, TUNING_SEEDS[0], limit, target)
            if first := first_reading(found[setting], target):
                reached.append(first.step)
        return found

    def _best(self, trials: Trials, target: float) -> Setting:
        finalists = {
            setting: [
                trials[setting],
                *(self._train(setting, seed, self._task.tuning_steps, target) for seed in TUNING_SEEDS[1:]),
            ]
            for setting in finalists_of(trials, target, FINALISTS)
        }
        return best_setting(finalists, target)

    def _train(self, setting: Setting, seed: int, limit: int, target: float) -> list[Reading]:
        run = Run(self._task, self._data, setting, seed)
        race([run], limit, target)
        self._progress(setting, seed, run.readings)
        return run.readings


def step_seconds(task: Task, data: Data, settings: Iterable[Setting], rounds: int = 20) -> dict[str, list[float]]:
    """Return the seconds a step of each optimizer, of rounds of as many steps as there are between refreshes."""
    runs = {setting.optimizer: Run(task, data, setting, TUNING_SEEDS[0]) for setting in settings}
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name, run in runs.items():
            mean = run.train(FREQUENCY) / FREQUENCY
            if number:  # The first round warms up.
                seconds[name].append(mean)
    return seconds
