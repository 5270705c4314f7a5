"""Compiled losses: those of a module that torch.compile has made one program of."""

from functools import partial
from typing import Any

from toposcope.recorder.frameworks.torch.landscape.sample_losses import SampleLosses
from toposcope.recorder.frameworks.torch.modules import library
from toposcope.recorder.frameworks.torch.suppress_output import quiet
from toposcope.recorder.summary import paused


def compiled(losses: SampleLosses, batch: Any) -> SampleLosses:
    """Return losses whose module is compiled for batches of the size of *batch*: 10 to 20 seconds of the CPU, once.

    Raises:
        ValueError: the module cannot be compiled, or this machine has no compiler.
    """
    torch = library()
    try:
        with quiet(), torch.no_grad(), paused():
            made = SampleLosses(losses.steps.in_form(partial(torch.compile, dynamic=False)), losses.rows)
            # Its pool of processes would cost more than it saves: each of them imports PyTorch.
            with library("torch._inductor.config").patch(compile_threads=1):
                made.of(batch)
    except Exception as error:
        raise ValueError(f"The network cannot be compiled: {type(error).__name__}: {error}") from error
    return made
