"""Compare THOR with SGD with momentum and Adam: steps and CPU time to a target, and time a step.

python benchmarks/thor.py [MEASUREMENT ...] [--seeds N] [--device cuda]    (make bench-thor)

Each optimizer has 24 settings, the same for all tasks. They are tried on seed 0, the best four of them on two more
seeds, and the one with the lowest median of steps to the target is then trained on other seeds; a seed decides initial
weights and batches, which are the same for all optimizers.
The target is an error rate on images that the network is not trained on, or 1.02 times the best training loss of all
settings of SGD and Adam after a fixed number of steps. Values are read on a fixed grid of steps, and the time of that
does not count. The optimizers take turns in one process with one thread; with a GPU the wall time is measured.
"""

import argparse
import itertools
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import torch
from thor_race import BLOCK_SIZE, FREQUENCY, SETTINGS, TUNING_SEEDS, Run, Setting, Tuned, Tuning, race, step_seconds
from thor_targets import Reading, arithmetic_ratio, best_value, first_reading, median_with_missed, ratio
from thor_tasks import DIGITS, PIXELS, TASKS, Data, Task, dense

OPTIMIZERS = ("SGD", "Adam", "THOR")
FIRST_SEED = max(TUNING_SEEDS) + 1


class Figures(NamedTuple):
    """What was measured of one optimizer."""

    steps: list[int | None]
    """To the target for each seed; None: missed."""
    seconds: list[float | None]
    step: float
    """Median seconds a step."""

    @property
    def median_steps(self) -> float:
        """Infinite if half of the runs missed the target."""
        return median_with_missed(self.steps)

    @property
    def median_seconds(self) -> float:
        """Infinite if half of the runs missed the target."""
        return median_with_missed(self.seconds)


Found = dict[str, Figures]


class Goal(NamedTuple):
    """What should be measured, and whether it was."""

    text: str
    is_met: bool


def main() -> None:
    """Run the measurements that were asked for, or all; print which goals are met."""
    options = parse_options()
    torch.set_num_threads(1)
    begin = time.perf_counter()
    goals = [goal for name in options.measurements or MEASUREMENTS for goal in MEASUREMENTS[name](options)]
    print(f"\nGoals ({time.perf_counter() - begin:.0f} s in all)")
    for goal in goals:
        print(f"  {'met   ' if goal.is_met else 'MISSED'} {goal.text}", flush=True)


def compare(task: Task, goals_of: Callable[[Found], list[Goal]], options: argparse.Namespace) -> list[Goal]:
    """Measure a task."""
    print(f"\n{task.name}; batch {task.batch}, {task.fisher} Fisher, frequency {FREQUENCY}", flush=True)
    found = measure(task, options)
    return [goal._replace(text=f"{task.name}: {goal.text}") for goal in goals_of(found)]


def measure_widths(options: argparse.Namespace) -> list[Goal]:
    """Measure the time a step of networks of two hidden layers, and compute the same ratio of the arithmetic."""
    print("\nTime a step of an MLP with two hidden layers, THOR's / SGD's (arithmetic alone)")
    settings = [SETTINGS[name][0] for name in ("SGD", "THOR")]
    for width, batch in itertools.product((256, 512, 1024), (128, 512, 1024)):
        sizes = (PIXELS, width, width, DIGITS)
        task = TASKS[0]._replace(network=partial(dense, *sizes), batch=batch)
        seconds = step_seconds(task, on_device(task.data(), options.device), settings, rounds=5)
        own, others = (1000 * statistics.median(seconds[name]) for name in ("THOR", "SGD"))
        print(
            f"  width {width:4}, batch {batch:4}: {own:7.2f} / {others:6.2f} ms = {own / others:4.2f} "
            f"({arithmetic_ratio(sizes, batch, FREQUENCY, BLOCK_SIZE):4.2f})",
            flush=True,
        )
    return []


def measure(task: Task, options: argparse.Namespace) -> Found:
    """Tune the optimizers, train them with the other seeds, and print the results."""
    data = on_device(task.data(), options.device)
    step_seconds(task, data, [SETTINGS[name][0] for name in OPTIMIZERS], rounds=1)  # Warms up torch.
    tuned = Tuning(task, data, print_trial if options.verbose else lambda *_: None).tune()
    print(f"  target {tuned.target:.4g}; tuned on seeds {TUNING_SEEDS}, trained on {options.seeds} others", flush=True)
    runs: dict[str, list[Run]] = {name: [] for name in OPTIMIZERS}
    for seed in range(FIRST_SEED, FIRST_SEED + options.seeds):
        turns = {name: Run(task, data, tuned.settings[name], seed) for name in OPTIMIZERS}
        race(list(turns.values()), task.limit, tuned.target)
        for name, run in turns.items():
            runs[name].append(run)
    seconds = step_seconds(task, data, tuned.settings.values())
    found = {name: figures(runs[name], tuned.target, statistics.median(seconds[name])) for name in OPTIMIZERS}
    print_table(found, tuned)
    return found


def figures(runs: Sequence[Run], target: float, step: float) -> Figures:
    """Return the figures of runs."""
    firsts = [first_reading(run.readings, target) for run in runs]
    return Figures([first and first.step for first in firsts], [first and first.seconds for first in firsts], step)


def print_table(found: Found, tuned: Tuned) -> None:
    """Print a row per optimizer, with ratios to THOR's figures."""
    own = found["THOR"]
    print(f"  {'':5} {'setting':42} {'steps':>6} {'CPU s':>7} {'ms/step':>8}  ratios to THOR      steps of each seed")
    for name, each in found.items():
        ratios = [
            ratio(each.median_steps, own.median_steps),
            ratio(each.median_seconds, own.median_seconds),
            each.step / own.step,
        ]
        seeds = " ".join("missed" if steps is None else str(steps) for steps in each.steps)
        print(
            f"  {name:5} {tuned.settings[name]!s:42} {each.median_steps:6.0f} {each.median_seconds:7.2f} "
            f"{1000 * each.step:8.2f}  {' '.join(f'{number:5.2f}' for number in ratios)}   {seeds}",
            flush=True,
        )


def print_trial(setting: Setting, seed: int, readings: Sequence[Reading]) -> None:
    """Print a line for a setting that was tried."""
    value, steps = best_value(readings), readings[-1].step
    print(f"    {setting.optimizer:5} {setting!s:42} seed {seed}, best {value:9.4g} after {steps:4d} steps", flush=True)


# Goals.


def mlp_goals(found: Found) -> list[Goal]:
    """Return the goals of steps and of the time a step."""
    bound = arithmetic_ratio((PIXELS, 256, 256, DIGITS), TASKS[0].batch, FREQUENCY, BLOCK_SIZE)
    times = step_time(found)
    return [fewer_steps(found, 0.65), times._replace(text=f"{times.text} (arithmetic alone {bound:.2f})")]


def cnn_goals(found: Found) -> list[Goal]:
    """Return the goals of steps and of the time a step."""
    return [fewer_steps(found, 0.8), step_time(found)]


def scaled_goals(found: Found) -> list[Goal]:
    """Return the goals of steps and time against both others."""
    return [goal for name in ("SGD", "Adam") for goal in (steps_saved(found, name, 3.0), time_saved(found, name, 2.0))]


def autoencoder_goals(found: Found) -> list[Goal]:
    """Return the goals of steps and time against Adam."""
    return [steps_saved(found, "Adam", 1.5), time_saved(found, "Adam", 1.0)]


def fewer_steps(found: Found, limit: float) -> Goal:
    """Return the goal of a share of SGD's steps."""
    share = ratio(found["THOR"].median_steps, found["SGD"].median_steps)
    return Goal(f"{share:.2f} of SGD's steps, goal {limit:g} or less", share <= limit)


def step_time(found: Found) -> Goal:
    """Return the goal of the time a step."""
    times = found["THOR"].step / found["SGD"].step
    return Goal(f"{times:.2f} times SGD's time a step, goal 1.5 or less", times <= 1.5)


def steps_saved(found: Found, name: str, goal: float) -> Goal:
    """Return the goal of another optimizer's steps."""
    times = ratio(found[name].median_steps, found["THOR"].median_steps)
    return Goal(f"{name} needs {times:.2f} times THOR's steps, goal {goal:g} or more", times >= goal)


def time_saved(found: Found, name: str, goal: float) -> Goal:
    """Return the goal of another optimizer's time."""
    times = ratio(found[name].median_seconds, found["THOR"].median_seconds)
    return Goal(f"{name} needs {times:.2f} times THOR's time, goal {goal:g} or more", times >= goal)


MEASUREMENTS: dict[str, Callable[[argparse.Namespace], list[Goal]]] = {
    "mlp": partial(compare, TASKS[0], mlp_goals),
    "cnn": partial(compare, TASKS[1], cnn_goals),
    "scaled": partial(compare, TASKS[2], scaled_goals),
    "autoencoder": partial(compare, TASKS[3], autoencoder_goals),
    "widths": measure_widths,
}


def on_device(data: Data, device: str) -> Data:
    """Return data on a device."""
    return Data(*((inputs.to(device), targets.to(device)) for inputs, targets in data))


def parse_options() -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("measurements", nargs="*", choices=[*MEASUREMENTS, []], metavar="MEASUREMENT")
    parser.add_argument("--seeds", type=int, default=7, help="seeds besides those of tuning (default: %(default)s)")
    parser.add_argument("--device", default="cpu", help="a device of torch (default: %(default)s)")
    parser.add_argument("--verbose", action="store_true", help="print every setting that is tried")
    return parser.parse_args()


if __name__ == "__main__":
    main()
