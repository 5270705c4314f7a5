"""Losses of a module compiled by torch.compile."""

from functools import partial
from typing import Any

from toposcope.recorder.frameworks.torch.landscape.losses.sample_losses import SampleLosses
from toposcope.recorder.frameworks.torch.modules import library
from toposcope.recorder.frameworks.torch.tracing import tracing
from toposcope.recorder.summary import paused


def compiled(losses: SampleLosses, batch: Any) -> SampleLosses:
    """Return losses whose module is compiled for the size of *batch*; compiling takes 10 to 20 seconds of CPU time.

    Raises:
        ValueError: the module cannot be compiled, or this machine has no compiler.
    """
    torch = library()
    try:
        with tracing(), torch.no_grad(), paused():
            compiled_losses = SampleLosses(losses.steps.in_form(partial(torch.compile, dynamic=False)), losses.rows)
            # A pool of compiler processes would cost more than it saves: each of them imports PyTorch.
            with library("torch._inductor.config").patch(compile_threads=1):
                compiled_losses.of(batch)
    except Exception as error:
        raise ValueError(f"The network cannot be compiled: {type(error).__name__}: {error}") from error
    return compiled_losses
