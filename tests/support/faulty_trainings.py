"""Synthetic trainings: healthy ones of many kinds, and ones with a known fault."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class Training(NamedTuple):
    """The scalars of a training: one value a step of each tag."""

    wall_time: Floats
    scalars: Mapping[str, Floats]


_STEPS = 800


def _times(random: np.random.Generator) -> Floats:
    return 1e9 + np.cumsum(random.uniform(0.9, 1.1, _STEPS))


def _loss(random: np.random.Generator, noise: float = 0.03) -> Floats:
    """Return a loss that falls by a power law."""
    at = np.arange(1, _STEPS + 1)
    return 0.3 + 2.5 * at ** -random.uniform(0.25, 0.4) + noise * random.standard_normal(_STEPS)


def _training(random: np.random.Generator, **scalars: Floats) -> Training:
    return Training(_times(random), {name.replace("__", "/"): each for name, each in scalars.items()})


def _power_law(random: np.random.Generator) -> Training:
    return _training(random, train__loss=_loss(random), train__learning_rate=np.geomspace(1e-3, 1e-5, _STEPS))


def _exponential(random: np.random.Generator) -> Training:
    at = np.linspace(0, 1, _STEPS)
    loss = 2 * np.exp(-random.uniform(2, 4) * at) + 0.05 * random.standard_normal(_STEPS)
    return _training(random, loss=loss + 0.3)


def _steps_down(random: np.random.Generator) -> Training:
    level = np.repeat([2.3, 1.1, 0.7, 0.55], _STEPS // 4) - 0.1 * np.tile(np.linspace(0, 1, _STEPS // 4), 4)
    return _training(random, loss=level + 0.04 * random.standard_normal(_STEPS))


def _cosine(random: np.random.Generator) -> Training:
    at = np.linspace(0, 1, _STEPS)
    loss = 0.8 + 1.2 / (1 + 8 * at) + 0.25 * np.cos(np.pi * at) + 0.05 * random.standard_normal(_STEPS)
    return _training(random, train__loss=loss, train__grad_norm=random.lognormal(0, 1, _STEPS))


def _accuracy(random: np.random.Generator) -> Training:
    at = np.linspace(0, 1, _STEPS)
    accuracy = np.clip(0.95 * (1 - np.exp(-3 * at)) + 0.02 * random.standard_normal(_STEPS), 0, 1)
    return _training(random, validation__accuracy=accuracy, loss=_loss(random))


def _reward(random: np.random.Generator) -> Training:
    at = np.linspace(0, 1, _STEPS)
    wandering = np.cumsum(random.standard_normal(_STEPS)) * 0.15
    return _training(random, rollout__ep_rew_mean=200 * at + wandering + 15 * random.standard_normal(_STEPS))


def _heavy_tails(random: np.random.Generator) -> Training:
    return _training(random, loss=_loss(random, 0) * random.lognormal(0, 0.3, _STEPS))


def _warm_up(random: np.random.Generator) -> Training:
    at = np.arange(_STEPS)
    return _training(random, loss=_loss(random) + 1.5 * np.exp(-(((at - 30) / 12) ** 2)))


def _slight_overfitting(random: np.random.Generator) -> Training:
    at = np.linspace(0, 1, _STEPS)
    validation = 0.5 + 1.5 * np.exp(-6 * at) + 0.15 * np.maximum(at - 0.6, 0) + 0.03 * random.standard_normal(_STEPS)
    return _training(random, loss=_loss(random), validation__loss=validation)


def _regular_pauses(random: np.random.Generator) -> Training:
    pauses = np.where(np.arange(_STEPS) % 100 == 99, random.uniform(110, 130, _STEPS), 0)
    training = _power_law(random)
    return training._replace(wall_time=training.wall_time + np.cumsum(pauses))


HEALTHY: Mapping[str, Callable[[np.random.Generator], Training]] = {
    "power_law": _power_law,
    "exponential": _exponential,
    "steps_down": _steps_down,
    "cosine": _cosine,
    "accuracy": _accuracy,
    "reward": _reward,
    "heavy_tails": _heavy_tails,
    "warm_up": _warm_up,
    "slight_overfitting": _slight_overfitting,
    "regular_pauses": _regular_pauses,
}


def _with_nan(random: np.random.Generator) -> Training:
    loss = _loss(random)
    loss[random.integers(100, 700) :] = np.nan
    return _training(random, loss=loss)


def _with_single_infinities(random: np.random.Generator) -> Training:
    loss = _loss(random)
    loss[random.integers(0, _STEPS, 3)] = np.inf
    return _training(random, loss=loss)


def _exploding(random: np.random.Generator) -> Training:
    loss, start = _loss(random), random.integers(200, 700)
    loss[start:] += np.expm1(np.linspace(0, 4, _STEPS - start))
    return _training(random, loss=loss)


def _collapsing(random: np.random.Generator) -> Training:
    training, start = _accuracy(random), random.integers(300, 700)
    accuracy = training.scalars["validation/accuracy"].copy()
    accuracy[start:] = 0.1 + 0.02 * random.standard_normal(_STEPS - start)
    return training._replace(scalars={**training.scalars, "validation/accuracy": accuracy})


def _with_spikes(random: np.random.Generator) -> Training:
    loss = _loss(random)
    loss[random.integers(50, 750, random.integers(1, 6))] += random.uniform(3, 20)
    return _training(random, loss=loss)


def _standing_still(random: np.random.Generator) -> Training:
    training = _power_law(random)
    pauses = np.zeros(_STEPS)
    pauses[random.integers(50, 750)] = random.uniform(600, 6000)
    return training._replace(wall_time=training.wall_time + np.cumsum(pauses))


def _slowing_down(random: np.random.Generator) -> Training:
    slower = np.where(np.arange(_STEPS) < random.integers(350, 600), 1.0, random.uniform(5, 12))
    return _power_law(random)._replace(wall_time=1e9 + np.cumsum(slower * random.uniform(0.9, 1.1, _STEPS)))


def _never_learning(random: np.random.Generator) -> Training:
    return _training(random, loss=np.log(10) + 0.01 * random.standard_normal(_STEPS))


def _stuck_early(random: np.random.Generator) -> Training:
    at = np.arange(_STEPS)
    loss = 1.4 + 0.9 * np.exp(-at / random.uniform(5, 25)) + 0.01 * random.standard_normal(_STEPS)
    return _training(random, loss=loss)


FAULTY: Mapping[str, tuple[Callable[[np.random.Generator], Training], ...]] = {
    "non_finite": (_with_nan, _with_single_infinities),
    "divergence": (_exploding, _collapsing),
    "spikes": (_with_spikes,),
    "stall": (_standing_still, _slowing_down),
    "plateau": (_never_learning, _stuck_early),
}
"""By the kind of finding that names the fault."""
