"""The bridge that runs our callbacks in the trainings of mindspore.Model."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from toposcope.recorder.frameworks.mindspore.training.model_run import ModelRun
from toposcope.recorder.training.events.callback import Callback, legacy_hooks_of
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.events.hooks import HOOKS
from toposcope.recorder.values.arrays.foreign_values import short_repr


def model_bridge(*callbacks: Callback | EventCallback) -> Any:
    """Return a mindspore.train.Callback that runs callbacks inside mindspore.Model; see bridge()."""
    if not callbacks:
        raise TypeError("bridge() takes at least one callback.")
    for callback in callbacks:
        if not isinstance(callback, Callback | EventCallback):
            raise TypeError(f"bridge() takes Callbacks and EventCallbacks of toposcope, not {short_repr(callback)}.")
    base: Any = import_module("mindspore.train").Callback
    hooks = {hook: _forwarding(hook) for hooks in HOOKS.values() for hook in hooks}
    legacy = [callback for callback in callbacks if isinstance(callback, Callback) and legacy_hooks_of(callback)]
    # MindSpore searches the class of the callback for them.
    visible_hooks = {hook: getattr(base, hook) for callback in legacy for hook in legacy_hooks_of(callback)}
    name = f"bridge({', '.join(type(callback).__name__ for callback in legacy or callbacks)})"
    enter_and_exit = {"__enter__": _enter, "__exit__": _exit}
    kind: Any = type(name, (base,), {**hooks, **visible_hooks, **enter_and_exit, "_run": None})
    bridge = kind()
    bridge.bridged_callbacks = callbacks
    return bridge


def _enter(self: Any) -> Any:
    if self._run is None:
        self._run = ModelRun(self.bridged_callbacks)
    try:
        self._run.enter()
    finally:
        _end_run_if_over(self)
    return self


def _exit(self: Any, kind: object, error: BaseException | None, trace: object) -> bool:
    try:
        return bool(self._run.leave(error))
    finally:
        _end_run_if_over(self)


def _end_run_if_over(self: Any) -> None:
    """Start the next training with a new run."""
    if self._run.is_over:
        self._run = None


def _forwarding(hook: str) -> Callable[[Any, Any], None]:
    def forward(self: Any, run_context: Any) -> None:
        self._run.hook(hook, run_context)

    return forward
