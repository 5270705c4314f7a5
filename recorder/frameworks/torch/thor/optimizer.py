"""Thor: momentum SGD whose gradients are preconditioned by the Fisher information of each layer."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from toposcope.recorder import log
from toposcope.recorder.frameworks.torch.thor.capture import Capture
from toposcope.recorder.frameworks.torch.thor.curvature import Curvature, InverseSettings, Norms
from toposcope.recorder.frameworks.torch.thor.factors import Factors, Reduction, factors_from
from toposcope.recorder.frameworks.torch.thor.layers import gradient_matrix, layers_of, split_matrix
from toposcope.recorder.frameworks.torch.thor.ranks import mean_over_ranks
from toposcope.recorder.frameworks.torch.thor.refresh import Thresholds, TraceRule
from toposcope.recorder.frameworks.torch.thor.rows import Approach
from toposcope.recorder.frameworks.torch.thor.schedules import Schedule
from toposcope.recorder.frameworks.torch.thor.statistics import CurvatureStatistics

_STATE = "thor"


class NamedParameter(NamedTuple):
    """What a decay_filter receives."""

    name: str
    """In the network; "" if it is not part of it."""
    parameter: Tensor


class Thor(Optimizer):
    """See thor() for the parameters, which are checked there.

    On due steps, once every `frequency` steps, the hooks of `Capture` gather the factors of each layer, and step()
    inverts them. All steps precondition with the newest inverses.
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
        frequency: int,
        nesterov: bool,
        clips_gradients: bool,
        trust_region: float | None,
        thresholds: Thresholds | None,
        inverses: InverseSettings,
        approach: Approach,
        reduction: Reduction,
        fisher: str,
        process_group: Any,
    ) -> None:
        self._network = network
        self._schedules, self._decay_filter = dict(schedules), decay_filter
        self._loss_scale, self._grad_scaler = loss_scale, grad_scaler
        self._frequency, self._nesterov, self._clips_gradients = frequency, nesterov, clips_gradients
        self._trust_region, self._inverses, self._reduction = trust_region, inverses, reduction
        self._fisher, self._process_group = fisher, process_group
        self.step_number = 0
        """Number of finished steps."""
        self.measures_norms = False
        """Whether each step measures the `norms` of the curvatures."""
        super().__init__(groups, defaults)
        own = {id(parameter) for group in self.param_groups for parameter in group["params"]}
        layers, excluded = layers_of(network)
        layers = [layer for layer in layers if id(layer.weight) in own]
        groups_by_id = {id(each): group for group in self.param_groups for each in group["params"]}
        self._groups = {layer.name: groups_by_id[id(layer.weight)] for layer in layers}
        self.curvatures = {layer.name: Curvature(layer, TraceRule(thresholds)) for layer in layers}
        """The preconditioned layers, by the names of their modules."""
        self._capture = Capture(network, layers, approach, self._scale)
        self._capture.is_active, self._capture.is_adding = self.is_due, fisher == "empirical"
        self._statistics = CurvatureStatistics()
        self._warned: set[str] = set()
        self._names: dict[Tensor, str] = {parameter: name for name, parameter in network.named_parameters()}
        if excluded:
            self._warn("excluded", "updates without preconditioning: %s.", ", ".join(excluded))

    @property
    def loss_scale(self) -> float:
        """The factor by which the loss is multiplied; step() divides the gradients by it."""
        return self._loss_scale

    @property
    def is_due(self) -> bool:
        """Whether the next step refreshes the factors."""
        return self.step_number % self._frequency == 0

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients, and the factors of a step that did not happen, for example because of an overflow."""
        self._capture.clear()
        super().zero_grad(set_to_none)

    def sample_fisher(self, outputs: Tensor, likelihood: str = "categorical") -> None:
        """Gather the factors of the true Fisher information, with labels sampled from the outputs; on due steps only.

        Call it between the forward pass and the backward pass of the loss. It costs a backward pass.

        Args:
            outputs: of the network: logits (..., classes) for "categorical", means for "normal" (unit variance).
            likelihood: "categorical" or "normal".
        """
        if self._fisher != "sampled" or not self.is_due:
            return
        loss = _sampled_loss(outputs, likelihood)
        parameters = [parameter for group in self.param_groups for parameter in group["params"]]
        self._capture.is_adding = True
        try:
            trained = [each for each in parameters if each.requires_grad]
            torch.autograd.grad(loss, trained, retain_graph=True, allow_unused=True)
        finally:
            self._capture.is_adding = False

    def curvature_statistics(self) -> dict[str, float | Tensor]:
        """Return what is known of the curvature of each layer, by tag, for log() of a run.

        * `thor_damping/global`: the damping of the newest step; of several parameter groups `thor_damping/group<i>`.
        * `thor_refreshes/<layer>`: how often its inverses were computed.
        * `thor_frozen/<layer>`, with trace_thresholds: 1 if they will never be computed again, else 0.

        Of layers that have been refreshed:

        * `thor_damping/<layer>.inputs` and `.gradients`: what was added to the diagonals of both factors at the newest
          refresh; their product is the damping.
        * `thor_trace/<layer>.inputs` and `.gradients`: of both factors at the newest due step, without damping.
        * `thor_condition/<layer>.inputs` and `.gradients`: condition numbers of both damped factors whose inverses are
          in use, at most the inverse of the precision of their dtype.
        * `thor_gradient_ratio/<layer>`: the norm of the preconditioned gradient divided by that of the gradient, 0 if
          that is 0; absent while the layer has no gradient, for example after zero_grad().

        Of a convolution with groups these are the mean dampings, the sum of the traces, and the largest condition
        number. Condition numbers cost the eigenvalues of each new inverse, several times as much as the refresh; the
        others cost little.
        """
        return self._statistics.scalars(self.curvatures, [float(each["damping"]) for each in self.param_groups])

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters; return the loss of the closure, if there is one."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        self._apply_schedules()
        if self.is_due:
            self._refresh()
        updates = self._natural_gradients()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._update(parameter, updates.get(parameter, parameter.grad / self._loss_scale), group)
        self.step_number += 1
        self._capture.clear()
        self._capture.is_active = self.is_due
        return loss

    def state_dict(self) -> dict[str, Any]:
        """Return the state of momentum, factors and counters."""
        curvatures = {name: each.state_dict() for name, each in self.curvatures.items()}
        return {**super().state_dict(), _STATE: {"step_number": self.step_number, "curvatures": curvatures}}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore what state_dict() returned; the training continues with the same bits."""
        own = state_dict.get(_STATE)
        if own is None:
            raise ValueError("state_dict must contain the key 'thor': it was not returned by this optimizer.")
        missing = sorted(self.curvatures.keys() ^ own["curvatures"].keys())
        if missing:
            raise ValueError(
                f"state_dict must contain the layers of the network; {missing[0]!r} is in only one of them."
            )
        super().load_state_dict({key: value for key, value in state_dict.items() if key != _STATE})
        self.step_number = own["step_number"]
        for name, curvature in self.curvatures.items():
            curvature.load_state_dict(own["curvatures"][name])
        self._capture.clear()
        self._capture.is_active = self.is_due

    def _scale(self) -> float:
        """Return the factor by which the loss is multiplied at present."""
        scale = float(self._grad_scaler.get_scale()) if self._grad_scaler is not None else 1.0
        return scale * self._loss_scale

    def _apply_schedules(self) -> None:
        for name, schedule in self._schedules.items():
            for group in self.param_groups:
                group[name] = schedule(self.step_number)

    def _refresh(self) -> None:
        """Invert the factors that were gathered for this step."""
        factors = self._factors()
        for name, curvature in self.curvatures.items():
            if name not in factors:
                self._warn(name, "%s was not called in training mode; its inverses are not refreshed.", name)
            elif not curvature.refresh(factors[name], float(self._groups[name]["damping"]), self._inverses):
                self._warn(name, "The factors of %s are not finite or singular; the last inverses are kept.", name)

    def _factors(self) -> dict[str, Factors]:
        sums = self._capture.sums
        factors = {name: factors_from(each, self._reduction) for name, each in sums.items()}
        return mean_over_ranks(factors, self._process_group)

    def _natural_gradients(self) -> dict[Tensor, Tensor]:
        """Return the preconditioned gradients by parameter, within the trust region."""
        updates: dict[Tensor, Tensor] = {}
        decrease: Tensor | float = 0.0
        for name, curvature in self.curvatures.items():
            layer = curvature.layer
            if layer.weight.grad is None:
                continue
            gradient = gradient_matrix(layer) / self._loss_scale
            natural = curvature.natural(gradient)
            curvature.norms = Norms(natural.norm(), gradient.norm()) if self.measures_norms else None
            decrease = decrease + float(self._groups[name]["lr"]) ** 2 * (natural * gradient).sum()
            updates |= dict(split_matrix(layer, natural))
        if self._trust_region is not None and updates:
            factor = (self._trust_region / torch.as_tensor(decrease)).sqrt().nan_to_num(1.0, 1.0, 1.0).clamp(max=1.0)
            updates = {parameter: update * factor for parameter, update in updates.items()}
        return updates

    def _update(self, parameter: Tensor, update: Tensor, group: Mapping[str, Any]) -> None:
        """Apply weight decay, clipping and momentum, in MindSpore's order."""
        if group["weight_decay"] and self._decay_filter(NamedParameter(self._names.get(parameter, ""), parameter)):
            update = update.add(parameter, alpha=group["weight_decay"])
        if self._clips_gradients:
            update = update / update.norm().clamp(min=1.0)
        state = self.state[parameter]
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(parameter)
        momentum = state["momentum"].mul_(group["momentum"]).add_(update)
        direction = update.add(momentum, alpha=group["momentum"]) if self._nesterov else momentum
        parameter.add_(direction, alpha=-float(group["lr"]))

    def _warn(self, key: str, text: str, *arguments: object) -> None:
        if key not in self._warned:
            self._warned.add(key)
            log.warn("THOR: " + text, *arguments)


def _sampled_loss(outputs: Tensor, likelihood: str) -> Tensor:
    """Return the mean loss over the samples, with labels sampled from the distribution that the outputs define."""
    if likelihood == "categorical":
        logits = outputs.reshape(-1, outputs.shape[-1])
        with torch.no_grad():
            labels = torch.multinomial(logits.float().softmax(1), 1)[:, 0]
        return nn.functional.cross_entropy(logits, labels, reduction="sum") / outputs.shape[0]
    if likelihood == "normal":
        with torch.no_grad():
            labels = outputs + torch.randn_like(outputs)
        return (outputs - labels).square().sum() / (2 * outputs.shape[0])
    raise ValueError(f"likelihood must be 'categorical' or 'normal', not {likelihood!r}.")
