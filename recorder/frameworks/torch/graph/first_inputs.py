"""The inputs of the first call of a module, overheard and described."""

import sys
from functools import partial
from typing import Any

from toposcope.recorder.frameworks.torch.graph.call_inputs import Inputs, UnfitInput, described
from toposcope.recorder.frameworks.torch.modules import library


class FirstInputs:
    """Listens to a module until its first call, and then takes itself off.

    It is a forward pre-hook. A module may be copied and pickled with it. Some calls it never hears: of forward()
    itself, of a module that is compiled (`module.compile()`), or of one inside a wrapper that is; then remove() it.
    While it listens torch.jit.script() refuses the module, as it does for every hook that is no function it could
    compile: script before.
    """

    def __init__(self, module: Any) -> None:
        """Begin to listen to *module*, which may be a wrapper."""
        torch = library()
        self.inputs: Inputs | None = None
        # Looked up here: what is called while a module is compiled must be as plain as possible.
        self._is_compiling, self._is_tracing = torch.compiler.is_compiling, torch.jit.is_tracing
        self._handle = module.register_forward_pre_hook(self, with_kwargs=True)

    def __call__(self, _module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Describe the arguments of the call; never raises."""
        if self._is_compiling() or self._is_tracing():
            return
        self._handle.remove()
        if self.inputs is None:
            self.inputs = _safely_described(args, kwargs)

    def remove(self) -> None:
        """Listen no more; the inputs stay unknown, if they are."""
        self._handle.remove()

    def __reduce__(self) -> tuple[Any, ...]:
        """Be copied and pickled, with the module, as a function that does nothing and needs no toposcope."""
        return partial, (sys.audit, "toposcope.forward")


def _safely_described(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Inputs:
    try:
        return described(args, kwargs)
    except Exception as error:  # A container of the user's may raise anything.
        return Inputs((UnfitInput(f"container that raises {type(error).__name__}"),), {})
