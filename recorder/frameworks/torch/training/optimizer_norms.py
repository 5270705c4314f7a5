"""OptimizerNorms: L2 norms of gradients, parameters, moments and updates of one step of PyTorch optimizers."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from toposcope.recorder import log
from toposcope.recorder.checkpoints.state.sharded_tensors import is_sharded, local_shard
from toposcope.recorder.frameworks.torch.facts.optimizers import parameters_of
from toposcope.recorder.frameworks.torch.training.observed_steps import observable
from toposcope.recorder.not_copied import NotCopied

_MOMENTS = ("exp_avg", "momentum_buffer", "momentum")
"""The names that optimizers give to their first moment: Adam and its relatives, SGD, and THOR."""


class OptimizerNorms(NotCopied):
    """Measures the steps for which it is armed, by hooks that PyTorch calls before and after each step.

    In the hooks the gradients are those that the step uses: a GradScaler has unscaled them, the loop may have clipped
    them, and zero_grad() comes later. The norms stay on their devices until take(), which reads them in one transfer
    per device. Of a parameter that is sharded over processes this process measures its part.
    """

    _why_not_copied: ClassVar[str] = "they observe the optimizers of a training: copy before or after it"

    def __init__(self, network: Any, optimizers: Sequence[Any], *, measures_optimizer: bool) -> None:
        """Measure the parameters of the optimizers by the network's names.

        Args:
            network: the module.
            optimizers: optimizers of torch.optim, or wrappers of them.
            measures_optimizer: whether also parameters, moments and updates are measured. The parameters are copied
                during the step.
        """
        self._torch: Any = sys.modules["torch"]
        self._measures_optimizer = measures_optimizer
        self._names = {id(each): name for name, each in parameters_of(network, tuple(optimizers)).items()}
        self._optimizers = [each for optimizer in optimizers if (each := observable(optimizer)) is not None]
        self._handles: list[Any] = []
        self._is_armed = False
        self._norms: dict[str, Any] = {}
        self._before: dict[int, Any] = {}

    def begin(self) -> None:
        """Register the hooks."""
        for optimizer in self._optimizers:
            self._handles.append(optimizer.register_step_pre_hook(self._before_step))
            self._handles.append(optimizer.register_step_post_hook(self._after_step))

    def end(self) -> None:
        """Remove the hooks."""
        while self._handles:
            self._handles.pop().remove()
        self._before, self._norms = {}, {}

    def arm(self) -> None:
        """Measure the next steps, until take()."""
        self._is_armed, self._norms = True, {}

    def take(self) -> dict[str, float]:
        """Return the norms of the newest step: "grad/<parameter>" and, if measured, "param/", "moment/", "update/".

        If no hook has been called, as in compiled optimizers, they are those that can be measured now.
        """
        if not self._norms:
            for optimizer in self._optimizers:
                self._measure(optimizer)
        norms, self._norms, self._is_armed = self._norms, {}, False
        return _read(self._torch, norms)

    def _before_step(self, optimizer: Any, _args: object, _kwargs: object) -> None:
        if self._is_armed and not self._torch.compiler.is_compiling():
            self._attempt(self._prepare, optimizer)

    def _after_step(self, optimizer: Any, _args: object, _kwargs: object) -> None:
        if self._is_armed and not self._torch.compiler.is_compiling():
            self._attempt(self._measure, optimizer)
            self._before = {}

    def _attempt(self, measure: Callable[[Any], None], optimizer: Any) -> None:
        """Measure; a failure, for lack of memory for example, must not reach the loop that called the optimizer."""
        try:
            measure(optimizer)
        except Exception as error:
            log.warn("Norms of the optimizer are no longer measured: %s: %s", type(error).__name__, error)
            self.end()

    def _prepare(self, optimizer: Any) -> None:
        """Measure what the step will use, and copy what it will change."""
        self._add("grad", self._gradients(optimizer), getattr(optimizer, "grad_scale", None))
        if self._measures_optimizer:
            self._before.update((id(each), _own_part(each).clone()) for _, each in self._trained(optimizer))

    def _measure(self, optimizer: Any) -> None:
        """Measure what can be measured after a step."""
        gradients = self._gradients(optimizer)
        # A closure computes the gradients during the step.
        self._add("grad", {name: each for name, each in gradients.items() if f"grad/{name}" not in self._norms})
        if not self._measures_optimizer:
            return
        trained = self._trained(optimizer)
        self._add("param", {name: _own_part(parameter) for name, parameter in trained})
        moments = ((name, _moment_of(optimizer.state.get(parameter, {}))) for name, parameter in trained)
        self._add("moment", {name: _own_part(moment) for name, moment in moments if moment is not None})
        copies = ((name, parameter, self._before.get(id(parameter))) for name, parameter in trained)
        self._add("update", {name: _own_part(now) - before for name, now, before in copies if before is not None})

    def _trained(self, optimizer: Any) -> list[tuple[str, Any]]:
        """Return the parameters that have a gradient, with their names."""
        parameters = (each for group in optimizer.param_groups for each in group["params"])
        return [
            (self._names[id(each)], each) for each in parameters if each.grad is not None and id(each) in self._names
        ]

    def _gradients(self, optimizer: Any) -> dict[str, Any]:
        return {name: _own_part(parameter.grad) for name, parameter in self._trained(optimizer)}

    def _add(self, kind: str, tensors: Mapping[str, Any], scale: Any = None) -> None:
        """Add the norms of tensors, divided by scale."""
        for name, tensor in tensors.items():
            norm = _norm(self._torch, tensor)
            self._norms[f"{kind}/{name}"] = norm if scale is None else norm / scale


def _own_part(tensor: Any) -> Any:
    return local_shard(tensor) if is_sharded(tensor) else tensor.detach()


def _moment_of(state: Mapping[str, Any]) -> Any:
    return next((state[name] for name in _MOMENTS if state.get(name) is not None), None)


def _norm(torch: Any, tensor: Any) -> Any:
    """Return the norm, computed where the tensor lies, in float32 at least: squares of float16 overflow."""
    values = tensor.coalesce().values() if tensor.is_sparse else tensor
    dtype = torch.float32 if values.element_size() < 4 else None
    return torch.linalg.vector_norm(values, dtype=dtype)


def _read(torch: Any, norms: Mapping[str, Any]) -> dict[str, float]:
    by_device: dict[Any, list[str]] = {}
    for name, norm in norms.items():
        by_device.setdefault(norm.device, []).append(name)
    numbers: dict[str, float] = {}
    for names in by_device.values():
        values = torch.stack([norms[name].double() for name in names]).tolist()
        numbers.update(zip(names, values, strict=True))
    return {name: numbers[name] for name in norms}
