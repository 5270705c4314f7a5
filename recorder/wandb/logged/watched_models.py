"""WatchedModels: histograms of the gradients and the parameters of modules, for wandb.watch()."""

from collections.abc import Callable, Sequence
from typing import Any

from toposcope.recorder.values.wrapped import Histogram
from toposcope.recorder.wandb.errors import UsageError
from toposcope.recorder.wandb.reports import REPORTS

Log = Callable[[dict[str, Any]], None]
_KINDS = {"gradients": (True, False), "parameters": (False, True), "all": (True, True), None: (False, False)}


class WatchedModels:
    """Hooks of modules that add histograms to the current step."""

    def __init__(self, log: Log) -> None:
        """Create it without hooks; log receives histograms by tag."""
        self._log = log
        self._handles: list[tuple[Any, Any]] = []
        self._count = 0

    def watch(self, models: Any, kind: str | None, frequency: int) -> None:
        """Watch modules.

        Args:
            models: one or several torch.nn.Module.
            kind: "gradients", "parameters", "all" or None.
            frequency: histograms are recorded in every n-th backward pass (gradients) or forward pass in training mode
                (parameters): the n-th, the 2n-th, and so on.

        Raises:
            UsageError: kind is unknown, or a model is not a torch.nn.Module.
        """
        if kind not in _KINDS:
            raise UsageError(f"watch(log=...) must be 'gradients', 'parameters', 'all' or None, not {kind!r}.")
        gradients, parameters = _KINDS[kind]
        for model in models if isinstance(models, Sequence) else [models]:
            if not hasattr(model, "named_parameters"):
                raise UsageError(f"watch() takes modules of PyTorch, not {type(model).__name__}: nothing is watched.")
            prefix = f"graph_{self._count}" if self._count else ""
            self._count += 1
            if gradients:
                self._watch_gradients(model, prefix, frequency)
            if parameters:
                self._watch_parameters(model, prefix, frequency)

    def unwatch(self, models: Any = None) -> None:
        """Remove the hooks of modules; None: of all."""
        chosen = None if models is None else [models] if not isinstance(models, Sequence) else list(models)
        for model, handle in self._handles:
            if chosen is None or any(model is one for one in chosen):
                handle.remove()
        self._handles = [pair for pair in self._handles if chosen is not None and not any(pair[0] is m for m in chosen)]

    def _watch_gradients(self, model: Any, prefix: str, frequency: int) -> None:
        if any(hasattr(parameter, "materialize") for parameter in model.parameters()):
            self._watch_after_first_call(model, prefix, frequency)
            return
        for name, parameter in model.named_parameters():
            if parameter.requires_grad:
                hook = self._hook(f"gradients/{prefix}{name}", frequency)
                self._handles.append((model, parameter.register_hook(hook)))

    def _watch_after_first_call(self, model: Any, prefix: str, frequency: int) -> None:
        """Watch the gradients of a lazy module once its first call has given its parameters their shapes."""

        def watch(*_: Any) -> None:
            handle.remove()
            self._watch_gradients(model, prefix, frequency)

        handle = model.register_forward_hook(watch)
        self._handles.append((model, handle))

    def _hook(self, tag: str, frequency: int) -> Callable[[Any], None]:
        due = _every(frequency)

        def record(gradient: Any) -> None:
            if due():
                self._log_histograms({tag: gradient})

        return record

    def _watch_parameters(self, model: Any, prefix: str, frequency: int) -> None:
        due = _every(frequency)

        def record(module: Any, *_: Any) -> None:
            if module.training and due():
                self._log_histograms({f"parameters/{prefix}{name}": p for name, p in module.named_parameters()})

        self._handles.append((model, model.register_forward_hook(record)))

    def _log_histograms(self, values: dict[str, Any]) -> None:
        try:
            self._log({tag: Histogram(value) for tag, value in values.items()})
        except Exception as error:  # In a backward pass nothing may be raised.
            REPORTS.fails(error)


def _every(frequency: int) -> Callable[[], bool]:
    """Return a function that returns True in every n-th call."""
    calls = 0

    def due() -> bool:
        nonlocal calls
        calls += 1
        return calls % max(1, frequency) == 0

    return due
