"""FirstInputs: a hook that describes the inputs of a module's first call."""

import sys
from functools import partial
from typing import Any

from toposcope.recorder.frameworks.torch.graph.call_inputs import CallInputs, UntraceableInput, described
from toposcope.recorder.frameworks.torch.modules import library


class FirstInputs:
    """A forward pre-hook that observes the first call of a module and then removes itself.

    A module may be copied and pickled with it. Some calls are not observed: those of forward() itself, of a module that
    is scripted or compiled in place (`module.compile()`), and of a module inside such a wrapper; remove() the hook
    then. While it is registered, torch.jit.script() refuses the module, as it does for every hook that is not a
    function that it can compile: script the module before.
    """

    def __init__(self, module: Any) -> None:
        """Register the hook on *module*, which may be a wrapper."""
        torch = library()
        self.inputs: CallInputs | None = None
        # Looked up here, because the code that runs while a module is compiled must be as simple as possible.
        self._is_compiling, self._is_tracing = torch.compiler.is_compiling, torch.jit.is_tracing
        # A scripted module has no such hooks.
        is_observable = not isinstance(module, torch.jit.ScriptModule)
        self._handle = module.register_forward_pre_hook(self, with_kwargs=True) if is_observable else None

    def __call__(self, _module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Describe the arguments of the call; never raises."""
        if self._is_compiling() or self._is_tracing():
            return
        self.remove()
        if self.inputs is None:
            self.inputs = _safely_described(args, kwargs)

    def remove(self) -> None:
        """Remove the hook; the inputs remain unknown if there was no call."""
        if self._handle is not None:
            self._handle.remove()

    def __reduce__(self) -> tuple[Any, ...]:
        """Reduce to a function that does nothing and needs no toposcope, when the module is copied or pickled."""
        return partial, (sys.audit, "toposcope.forward")


def _safely_described(args: tuple[Any, ...], kwargs: dict[str, Any]) -> CallInputs:
    try:
        return described(args, kwargs)
    except Exception as error:  # A user-defined container may raise anything.
        return CallInputs((UntraceableInput(f"container that raises {type(error).__name__}"),), {})
