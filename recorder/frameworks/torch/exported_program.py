"""The program of a network in the format of torch.export, for inference without its source code."""

import os
from typing import Any

from toposcope.recorder.adapters import is_tensor
from toposcope.recorder.frameworks.torch.modules import library, unwrapped
from toposcope.recorder.frameworks.torch.shadow_module import shadow_of
from toposcope.recorder.frameworks.torch.tracing import tracing

SUFFIX = ".pt2"


def save_program(network: Any, inputs: tuple[Any, ...], path: str) -> None:
    """Export a network in evaluation mode, for inputs of these shapes; torch.export.load() reads the file.

    A shadow of the network is traced: its mode, its parameters and the random state do not change.

    Raises:
        OSError: the file cannot be written.
        Exception: torch.export cannot trace the network.
    """
    export = library("torch.export")
    module = unwrapped(network)
    shadow = shadow_of(module).eval()
    device = next((tensor.device for tensor in module.parameters()), library().device("cpu"))
    moved = tuple(each.to(device) if is_tensor(each) else library().as_tensor(each, device=device) for each in inputs)
    with tracing(), library().no_grad():
        program = export.export(shadow, moved, strict=False)
    part = f"{path}.part"
    try:
        with open(part, "wb") as file:
            export.save(program, file)
        os.replace(part, path)
    finally:
        if os.path.exists(part):
            os.unlink(part)
