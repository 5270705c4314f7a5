"""The hook that observes when a module is first called in a training step, and how often, for watch()."""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from toposcope.recorder.summary import paused

_INERT = (partial, (sys.audit, "toposcope.forward"))
"""What the hooks become when a module is copied or pickled: a function that does nothing and needs no toposcope."""


class TrainingCallHook:
    """A forward pre-hook that reports the first training call of a module in each step, and counts all of them.

    It is armed only between two steps, so calls made by callbacks are not observed. The calls before the first training
    call are evaluations, during which summary operators are paused. Registering a hook takes longer than many a layer,
    so it stays registered until remove().
    """

    def __init__(self, module: Any, on_call: Callable[[Any], None]) -> None:
        """Prepare the hook; arm() registers it.

        Args:
            module: a torch.nn.Module.
            on_call: called with the positional arguments of the call; if there are none, with its keyword arguments.
        """
        self._torch: Any = sys.modules["torch"]
        self._module, self._on_call = module, on_call
        self._handles: list[Any] = []
        self._pause = _OperatorPause()
        self._is_armed = self._is_reported = False
        self.calls = 0
        """Training calls since it was set to 0."""
        self._is_observable = not isinstance(module, self._torch.jit.ScriptModule)

    def arm(self) -> None:
        """Observe calls, unless the module is scripted, or compiled in place, which would compile the hooks as well."""
        self._is_armed, self._is_reported = True, False
        if not self._handles and self._is_observable and getattr(self._module, "_compiled_call_impl", None) is None:
            self._handles = [
                self._module.register_forward_pre_hook(self, with_kwargs=True),
                self._module.register_forward_hook(self._pause, always_call=True),
            ]

    def disarm(self) -> None:
        """Observe no calls until arm()."""
        self._is_armed = False
        if self._pause.is_active:
            self._pause()

    def remove(self) -> None:
        """Remove the hooks."""
        self.disarm()
        while self._handles:
            self._handles.pop().remove()

    def __call__(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Count a call in training mode with gradients; pause the summary operators in calls before the first one."""
        # First, because the compiler traces everything after this line.
        if self._torch.compiler.is_compiling() or not self._is_armed:
            return
        if module.training and self._torch.is_grad_enabled():
            self.calls += 1
            if not self._is_reported:
                self.disarm()  # Callbacks may call the module.
                self._on_call(args or kwargs)
                self._is_armed = self._is_reported = True
        elif not self._is_reported:
            self._pause.begin()

    def __reduce__(self) -> tuple[Any, ...]:
        """Reduce to a function that does nothing; see _INERT."""
        return _INERT


class _OperatorPause:
    """A forward hook that ends the pause of the summary operators after a call that is an evaluation."""

    def __init__(self) -> None:
        self._pauses: list[AbstractContextManager[None]] = []

    @property
    def is_active(self) -> bool:
        """Whether the operators are paused."""
        return bool(self._pauses)

    def begin(self) -> None:
        """Pause the operators until the call is over."""
        self._pauses.append(paused())
        self._pauses[-1].__enter__()

    def __call__(self, *_call: object) -> None:
        while self._pauses:
            self._pauses.pop().__exit__(None, None, None)

    def __reduce__(self) -> tuple[Any, ...]:
        """Reduce to a function that does nothing; see _INERT."""
        return _INERT
