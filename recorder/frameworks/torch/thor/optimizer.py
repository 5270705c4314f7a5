"""Thor: momentum SGD whose gradients are preconditioned by the Fisher information of each layer."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from toposcope.recorder.frameworks.torch.calling_scaler import calling_scaler
from toposcope.recorder.frameworks.torch.thor.curvature.capture import Capture
from toposcope.recorder.frameworks.torch.thor.curvature.curvature import Curvature
from toposcope.recorder.frameworks.torch.thor.curvature.rows import Approach
from toposcope.recorder.frameworks.torch.thor.curvature.statistics import CurvatureStatistics
from toposcope.recorder.frameworks.torch.thor.groups import checked_group
from toposcope.recorder.frameworks.torch.thor.momentum import Rates, state_of, update
from toposcope.recorder.frameworks.torch.thor.preconditioner import Preconditioner, RefreshSettings
from toposcope.recorder.frameworks.torch.thor.ranks import rank_in
from toposcope.recorder.frameworks.torch.thor.sampling import LabelSampler
from toposcope.recorder.frameworks.torch.thor.schedules import Schedule
from toposcope.recorder.values.arrays.foreign_values import short_repr

_STATE = "thor"


class NamedParameter(NamedTuple):
    """What a decay_filter receives."""

    name: str
    """In the network; "" if it is not part of it."""
    parameter: Tensor


class Thor(Optimizer):
    """See thor() for the parameters, which are checked there.

    On due steps, once every `frequency` steps, the hooks of `Capture` gather the factors of each layer, and step()
    inverts them. All steps precondition with the newest inverses. A layer without usable factors on a due step has a
    second chance on the next step. With a trace rule, the step before a due step gathers the traces of the factors, so
    that the due step gathers only the factors that are refreshed.
    """

    def __init__(
        self,
        network: nn.Module,
        groups: Iterable[dict[str, Any]],
        defaults: dict[str, Any],
        *,
        schedules: Mapping[str, Schedule],
        decay_filter: Callable[[Any], bool],
        loss_scale: float,
        grad_scaler: Any,
        nesterov: bool,
        clips_gradients: bool,
        trust_region: float | None,
        approach: Approach,
        fisher: str,
        refresh: RefreshSettings,
    ) -> None:
        self._schedules, self._decay_filter = dict(schedules), decay_filter
        self._nesterov, self._clips_gradients, self._trust_region = nesterov, clips_gradients, trust_region
        self._is_sampled = fisher == "sampled"
        self._fixed: list[frozenset[str]] = []  # Of each group: what it has numbers of its own for, not schedules.
        self._is_scheduled = True  # Whether the groups have the values of the next step.
        self._frozen: list[Tensor] = []
        self._names: dict[Tensor, str] = {}
        self._decays: dict[Tensor, bool] = {}
        self._group_of: dict[Tensor, dict[str, Any]] = {}
        self._network, self._sampler = network, LabelSampler(rank_in(refresh.process_group))
        self._capture = Capture(approach, self._scale, self._is_sampled)
        self._preconditioner = Preconditioner(network, self._capture, refresh)
        self._frequency = refresh.frequency
        self.loss_scale = loss_scale
        """The factor by which the loss is multiplied; step() divides the gradients by it."""
        self.grad_scaler = grad_scaler
        """The GradScaler of the training, which divides the gradients before step(); None if there is none."""
        self.step_number = 0
        """Number of finished steps."""
        self.measures_norms = False
        """Whether each step measures the `norms` of the curvatures."""
        super().__init__(groups, defaults)
        self._statistics = CurvatureStatistics()
        self._observe_layers()

    @property
    def curvatures(self) -> Mapping[str, Curvature]:
        """The preconditioned layers, by the names of their modules."""
        return self._preconditioner.curvatures

    @property
    def is_due(self) -> bool:
        """Whether the next step refreshes the factors."""
        return self.step_number % self._frequency == 0

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group, for example of parameters that were frozen; layers whose weight is in it are preconditioned.

        Raises:
            TypeError: a number, or a parameter, has the wrong type.
            ValueError: a key or number is invalid, or a parameter is in another group.
        """
        group = checked_group(param_group)
        super().add_param_group(group)
        self._fixed.append(frozenset(param_group.keys() & self._schedules.keys()))
        if self._names:  # Empty while Optimizer.__init__() adds the first groups.
            self._observe_layers()

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients, and the factors of a step that did not happen, for example because of an overflow."""
        if not self._is_sampled:
            self._capture.clear()
        super().zero_grad(set_to_none)

    def sample_fisher(self, outputs: Tensor, likelihood: str = "categorical") -> None:
        """Gather the factors of the true Fisher information, with labels sampled from the outputs; on due steps only.

        Call it between the forward pass and the backward pass of the loss. It costs most of a backward pass. Labels are
        sampled with random numbers of the optimizer's own, which state_dict() contains. Does nothing with
        fisher="empirical", or without gradients. Model calls it for the usual loss functions.

        Args:
            outputs: of the network, samples in the first dimension: logits (..., classes) for "categorical", logits for
                "bernoulli", means for "normal" (unit variance: half the squared error, summed over all but the first
                dimension).
            likelihood: "categorical", "bernoulli" or "normal".

        Raises:
            TypeError: outputs is not a tensor.
            ValueError: likelihood is none of these.
            RuntimeError: of PyTorch, if activations are checkpointed with use_reentrant=True.
        """
        if not isinstance(outputs, Tensor):
            raise TypeError(f"outputs must be a tensor, not {short_repr(outputs)}.")
        if not (self._is_sampled and self._capture.is_active and outputs.requires_grad):
            return
        layers = {name: each.layer for name, each in self.curvatures.items() if self._capture.is_observed(each.layer)}
        inputs = [layer.weight if layer.bias is None else layer.bias for layer in layers.values()]
        gradient = self._sampler.gradient(outputs, likelihood)
        with self._capture.sampling(layers):
            torch.autograd.grad(
                outputs, [each for each in inputs if each.requires_grad], gradient, retain_graph=True, allow_unused=True
            )

    def curvature_statistics(self) -> dict[str, float | Tensor]:
        """Return what is known of the curvature of each layer, by tag, for log() of a run.

        * `thor_damping/global`: the damping of the newest step; of several parameter groups `thor_damping/group<i>`.
        * `thor_refreshes/<layer>`: how often its inverses were computed.
        * `thor_frozen/<layer>`, with trace_thresholds: 1 if they will never be computed again, else 0.

        Of layers that have been refreshed:

        * `thor_damping/<layer>.inputs` and `.gradients`: what was added to the diagonals of both factors at the newest
          refresh; their product is the damping.
        * `thor_trace/<layer>.inputs` and `.gradients`: of both factors of the newest observed batch, without damping.
        * `thor_condition/<layer>.inputs` and `.gradients`: condition numbers of both damped factors whose inverses are
          in use, at most the inverse of the precision of their dtype.
        * `thor_gradient_ratio/<layer>`: the norm of the preconditioned gradient of the newest step divided by that of
          the gradient, 0 if that is 0; absent if the layer had no gradient.

        Of a convolution with groups these are the mean dampings, the sum of the traces, and the largest condition
        number. Condition numbers cost the eigenvalues of each new inverse, several times as much as the refresh. The
        first call multiplies gradients by inverses; later ones use norms that each step measures from then on.
        """
        self.measures_norms = True
        dampings = [float(each["damping"]) for each in self.param_groups]
        measured: dict[str, float | Any] = self._statistics.scalars(self.curvatures, dampings)
        return measured

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters; return the loss of the closure, if there is one."""
        if not self._is_scheduled:
            self._apply_schedules()
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        if self._capture.is_active or self.is_due:
            if self._capture.sums and self.grad_scaler is None:
                self._find_scaler()
            self._preconditioner.use_factors(self.step_number, self._damping_of)
        updates = self._natural_gradients()
        for group in self.param_groups:
            self._update(group, updates)
        self.step_number += 1
        with suppress(Exception):  # A function may have no value for a step that never comes; if it comes, it raises.
            self._is_scheduled = False
            self._apply_schedules()
        if any(parameter.requires_grad for parameter in self._frozen):
            self._find_layers()
        self._preconditioner.begin_step(self.step_number)
        return loss

    def state_dict(self) -> dict[str, Any]:
        """Return the state of momentum, factors, counters and random numbers."""
        own = {
            "step_number": self.step_number,
            "curvatures": {name: each.state_dict() for name, each in self.curvatures.items()},
            "sampler": self._sampler.state_dict(),
        }
        return {**super().state_dict(), _STATE: own}

    def __getstate__(self) -> dict[str, Any]:
        """Refuse to be copied and pickled: a copy would have no hooks in the network."""
        raise TypeError("A THOR optimizer cannot be copied or pickled; use state_dict() and load_state_dict().")

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore what state_dict() returned; the training continues with the same bits.

        Raises:
            ValueError: state_dict is that of another optimizer or network, or of another block_size.
        """
        own = state_dict.get(_STATE)
        if own is None:
            raise ValueError("state_dict must contain the key 'thor': it was not returned by this optimizer.")
        states = own["curvatures"]
        missing = sorted(self.curvatures.keys() ^ states.keys())
        if missing:
            raise ValueError(
                f"state_dict must contain the layers of the network; {missing[0]!r} is in only one of them."
            )
        for name, curvature in self.curvatures.items():
            curvature.check_state(states[name])
        super().load_state_dict({key: value for key, value in state_dict.items() if key != _STATE})
        self.step_number = own["step_number"]
        for name, curvature in self.curvatures.items():
            curvature.load_state_dict(states[name])
        self._sampler.load_state_dict(own["sampler"])
        self._preconditioner.begin_step(self.step_number)
        self._group_of = {each: group for group in self.param_groups for each in group["params"]}

    def _observe_layers(self) -> None:
        self._apply_schedules()
        self._find_layers()
        self._preconditioner.begin_step(self.step_number)

    def _find_layers(self) -> None:
        """Find the layers whose weights the optimizer has; warn of all other parameters."""
        self._names = {parameter: name for name, parameter in self._network.named_parameters()}
        self._group_of = {each: group for group in self.param_groups for each in group["params"]}
        self._frozen = [parameter for parameter in self._group_of if not parameter.requires_grad]
        self._preconditioner.observe({id(parameter) for parameter in self._group_of})

    def _scale(self) -> float:
        """Return the factor by which the loss is multiplied at present."""
        scale = float(self.grad_scaler.get_scale()) if self.grad_scaler is not None else 1.0
        return scale * self.loss_scale

    def _find_scaler(self) -> None:
        """Adopt the GradScaler that calls step(), and divide by its scale what was gathered without it."""
        self.grad_scaler = calling_scaler(sys._getframe(1), torch.amp.GradScaler)
        if self.grad_scaler is not None and not self._is_sampled:
            self._capture.divide(float(self.grad_scaler.get_scale()))

    def _damping_of(self, weight: Tensor) -> float:
        damping = float(self._group_of[weight]["damping"])
        if not 0 < damping < math.inf:
            raise ValueError(f"damping of a parameter group must be positive and finite, not {damping!r}.")
        return damping

    def _apply_schedules(self) -> None:
        """Set the values of the next step, so that between two steps the groups have those of the next one."""
        for name, schedule in self._schedules.items():
            value = schedule(self.step_number)
            for group, fixed in zip(self.param_groups, self._fixed, strict=True):
                if name not in fixed:
                    group[name] = value
        self._is_scheduled = True

    def _natural_gradients(self) -> dict[Tensor, Tensor]:
        """Return the preconditioned gradients by parameter, within the trust region."""
        is_limited = self._trust_region is not None
        naturals = self._preconditioner.naturals(
            self.loss_scale, measures_norms=self.measures_norms, multiplies=is_limited
        )
        updates = {parameter: part for natural in naturals for parameter, part in natural.parts.items()}
        if self._trust_region is None or not naturals:
            return updates
        lengths = []
        for natural in naturals:
            rate = float(self._group_of[self.curvatures[natural.name].layer.weight]["lr"])
            assert natural.product is not None
            lengths.append(natural.product * rate**2)
        length = torch.stack([each.to(lengths[0]) for each in lengths]).sum()
        factor = (self._trust_region / length).sqrt().nan_to_num(1.0, 1.0, 1.0).clamp(max=1.0)
        for each in updates.values():
            each.mul_(factor.to(each.device, each.dtype))
        return updates

    def _update(self, group: Mapping[str, Any], naturals: Mapping[Tensor, Tensor]) -> None:
        """Update the parameters of a group that have gradients."""
        parameters = [each for each in group["params"] if each.grad is not None]
        if not parameters:
            return
        gradients = []
        for parameter in parameters:
            gradient = naturals.get(parameter)
            if gradient is None:
                gradient = parameter.grad.to_dense() if parameter.grad.is_sparse else parameter.grad
                if self.loss_scale != 1.0:
                    gradient = gradient / self.loss_scale
            gradients.append(gradient)
        update(
            parameters,
            gradients,
            [state_of(self.state[each], each) for each in parameters],
            Rates(float(group["lr"]), float(group["momentum"]), float(group["weight_decay"])),
            decays=[self._does_decay(each) for each in parameters] if group["weight_decay"] else [],
            clips=self._clips_gradients,
            nesterov=self._nesterov,
        )

    def _does_decay(self, parameter: Tensor) -> bool:
        """Return what the decay filter says; it is asked once for each parameter."""
        if parameter not in self._decays:
            named = NamedParameter(self._names.get(parameter, ""), parameter)
            self._decays[parameter] = bool(self._decay_filter(named))
        return self._decays[parameter]
