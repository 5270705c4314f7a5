"""Preconditioner: gathers factors, decides what is refreshed, and multiplies gradients by inverses."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from toposcope.recorder import log
from toposcope.recorder.frameworks.torch.thor.curvature.capture import Capture, Kind
from toposcope.recorder.frameworks.torch.thor.curvature.curvature import Curvature, InverseSettings, Norms
from toposcope.recorder.frameworks.torch.thor.curvature.factors import (
    Factors,
    Reduction,
    factors_from,
    shapes_of,
    traces,
)
from toposcope.recorder.frameworks.torch.thor.curvature.inverse import Block, PerGroup, inverses
from toposcope.recorder.frameworks.torch.thor.curvature.layers import (
    factor_dtype,
    gradient_matrix,
    layers_of,
    modules_of,
    split_matrix,
)
from toposcope.recorder.frameworks.torch.thor.curvature.refresh import Thresholds, TraceRule
from toposcope.recorder.frameworks.torch.thor.ranks import Expected, mean_over_ranks, shared_inverses


class RefreshSettings(NamedTuple):
    """How factors are gathered, and how often."""

    frequency: int
    """Steps between refreshes."""
    thresholds: Thresholds | None
    """The thresholds of the trace rule; None: every due step refreshes."""
    decay: float
    """Share of the last factors that a refresh keeps."""
    reduction: Reduction
    """How the observed loss combines samples."""
    inverses: InverseSettings
    process_group: Any


class Natural(NamedTuple):
    """The preconditioned gradient of a layer."""

    name: str
    parts: Mapping[Tensor, Tensor]
    """The part of each parameter."""
    product: Tensor | None
    """Scalar product with the plain gradient, if asked for."""


class Preconditioner:
    """The curvatures of the layers of a network.

    A layer without usable factors on a due step has a second chance on the next step. With a trace rule, the step
    before a due step gathers the traces of the factors, so that the due step gathers only the factors to refresh.
    """

    def __init__(self, network: nn.Module, capture: Capture, settings: RefreshSettings) -> None:
        self._network, self._capture, self._settings = network, capture, settings
        self.curvatures: dict[str, Curvature] = {}
        """The curvatures, by the names of the modules."""
        self._kinds: dict[str, Kind] = {}
        self._warned: set[str] = set()

    def observe(self, trained: Collection[int]) -> None:
        """Find the layers whose weights are among these ids of parameters; warn once of all other parameters."""
        layers, excluded = layers_of(self._network, trained)
        self._capture.prepare(modules_of(self._network))
        for layer in layers:
            if layer.name not in self.curvatures:
                rule = TraceRule(self._settings.thresholds)
                self.curvatures[layer.name] = Curvature(layer, rule, self._settings.inverses)
                self._capture.add(layer)
        members = {id(parameter) for parameter in self._network.parameters()}
        if others := sum(each not in members for each in trained):
            excluded.append(f"{others} outside the network")
        if excluded:
            self._warn("excluded", "updates without preconditioning: %s.", ", ".join(excluded))

    def begin_step(self, number: int) -> None:
        """Gather what is needed for the step of this number, counted from 0."""
        phase, is_ruled = number % self._settings.frequency, self._settings.thresholds is not None
        is_before_due = is_ruled and 0 < phase == self._settings.frequency - 1
        self._kinds = {}
        for name, curvature in self.curvatures.items():
            if curvature.rule.is_frozen:
                continue
            is_second_chance = phase == 1 and curvature.decision == "failed"
            if (phase == 0 and curvature.planned in (None, "refreshed")) or is_second_chance:
                self._kinds[name] = "products"
            elif is_before_due:
                self._kinds[name] = "traces"
        self._capture.begin(self._kinds)

    def use_factors(self, number: int, damping: Callable[[Tensor], float]) -> None:
        """Refresh inverses, or plan their next refresh, from what was gathered for the step of this number.

        Args:
            number: of the step.
            damping: returns that of a layer by its weight.
        """
        phase = number % self._settings.frequency
        means = self._mean_factors() if self._kinds else {}
        dampings = {name: damping(self.curvatures[name].layer.weight) for name in means}
        known = self._finite_traces(means, dampings)
        refreshed: list[str] = []
        for name, curvature in self.curvatures.items():
            kind, planned = self._kinds.get(name), curvature.planned
            if kind == "traces":
                curvature.planned = curvature.rule.decide(known[name]) if name in known else None
                continue
            curvature.planned = None
            if kind is None:
                if phase == 0:
                    curvature.decision = "frozen" if curvature.rule.is_frozen else planned
            elif name not in known:
                curvature.fail()
            elif planned == "refreshed" or curvature.rule.decide(known[name]) == "refreshed":
                refreshed.append(name)
            else:
                curvature.decision = "frozen" if curvature.rule.is_frozen else "kept"
        self._refresh({name: means[name] for name in refreshed}, dampings)
        self._warn_of_failures(means, known, is_last_chance=phase > 0 or self._settings.frequency == 1)

    def naturals(self, loss_scale: float, *, measures_norms: bool, multiplies: bool) -> list[Natural]:
        """Return the preconditioned gradients of all layers that have a gradient.

        Args:
            loss_scale: by which gradients are divided.
            measures_norms: whether the curvatures receive the norms.
            multiplies: whether the scalar products with the gradients are computed.
        """
        naturals = []
        for name, curvature in self.curvatures.items():
            if curvature.layer.weight.grad is None:
                curvature.norms = None
                continue
            gradient = gradient_matrix(curvature.layer)
            if loss_scale != 1.0:
                gradient = gradient / loss_scale
            natural = curvature.natural(gradient)
            curvature.norms = Norms(natural.norm(), gradient.norm()) if measures_norms else None
            product = torch.dot(natural.flatten(), gradient.flatten()) if multiplies else None
            naturals.append(Natural(name, dict(split_matrix(curvature.layer, natural)), product))
        return naturals

    def _mean_factors(self) -> dict[str, Factors]:
        """Return the factors or traces of the observed layers that were called in any process."""
        expected = []
        for name, kind in self._kinds.items():
            layer, sums = self.curvatures[name].layer, self._capture.sums.get(name)
            factors = None if sums is None else factors_from(sums, self._settings.reduction)
            expected.append(Expected(factors, shapes_of(layer, kind), factor_dtype(layer), layer.weight.device))
        means = mean_over_ranks(expected, self._settings.process_group)
        return {name: mean for name, mean in zip(self._kinds, means, strict=True) if mean is not None}

    def _finite_traces(self, factors: Mapping[str, Factors], dampings: Mapping[str, float]) -> dict[str, float]:
        """Return the damped traces of the layers whose factors are finite; waits for the device once."""
        vectors = [traces(matrix) for each in factors.values() for matrix in each]
        if not vectors:
            return {}
        numbers = iter(torch.cat([vector.to(vectors[0]) for vector in vectors]).tolist())
        known = {}
        for name in factors:
            curvature = self.curvatures[name]
            groups = range(curvature.layer.groups)
            both = PerGroup(tuple(next(numbers) for _ in groups), tuple(next(numbers) for _ in groups))
            if all(map(math.isfinite, both.inputs + both.gradients)):
                known[name] = curvature.take_traces(both, dampings[name])
        return known

    def _refresh(self, factors: Mapping[str, Factors], dampings: Mapping[str, float]) -> None:
        blocks: dict[str, list[Block]] = {
            name: self.curvatures[name].damped_blocks(each, dampings[name], self._settings.decay)
            for name, each in factors.items()
        }
        everything = [block for each in blocks.values() for block in each]
        inverted = iter(shared_inverses(everything, inverses, self._settings.process_group))
        for name, each in blocks.items():
            self.curvatures[name].refresh([next(inverted) for _ in each])

    def _warn_of_failures(self, means: Collection[str], known: Collection[str], *, is_last_chance: bool) -> None:
        observed = [name for name, kind in self._kinds.items() if kind == "products"]
        trained = [name for name in observed if self.curvatures[name].layer.weight.requires_grad]
        if is_last_chance and (missing := [name for name in trained if name not in means]):
            why = "sample_fisher() was not called" if self._capture.samples_labels else "no gradients in training mode"
            self._warn("missing", "%s, the last inverses are kept: %s.", why, ", ".join(missing))
        if infinite := [name for name in observed if name in means and name not in known]:
            self._warn(
                "infinite",
                "factors are not finite, the last inverses are kept: %s. If the loss is not finite either, limit the "
                "steps: trust_region=0.001, a smaller learning_rate or a larger damping.",
                ", ".join(infinite),
            )
        if singular := [name for name in observed if name in known and self.curvatures[name].decision == "failed"]:
            self._warn("singular", "factors are singular, the last inverses are kept: %s.", ", ".join(singular))

    def _warn(self, key: str, text: str, *arguments: object) -> None:
        if key not in self._warned:
            self._warned.add(key)
            log.warn("THOR: " + text, *arguments)
