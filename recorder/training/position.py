"""Position: where a training is in its data, with the states of random generators that belong to that place."""

import json
import random
from typing import Any, NamedTuple

import numpy as np

from toposcope.recorder.imported import imported


class Position(NamedTuple):
    """The place after a step of an epoch."""

    batch_in_epoch: int
    """Batches of the epoch that were trained; 0: the epoch has not started."""
    sample_in_epoch: int
    at_epoch: str
    """The random states when the epoch began: they determine the order of its batches; empty: unknown."""
    at_step: str
    """The random states after the step."""


def random_states(loader: Any = None) -> str:
    """Return the states of the generators of Python, NumPy, PyTorch and of a data loader as JSON."""
    version, internal, gauss = random.getstate()
    _, keys, position, has_gauss, cached = np.random.get_state()
    states: dict[str, Any] = {
        "python": [version, list(internal), gauss],
        "numpy": [np.asarray(keys).tolist(), position, has_gauss, cached],
    }
    if (torch := imported("torch")) is not None:
        states["torch"] = _text(torch.get_rng_state())
        if torch.cuda.is_initialized():
            states["cuda"] = [_text(state) for state in torch.cuda.get_rng_state_all()]
        if isinstance(generator := getattr(loader, "generator", None), torch.Generator):
            states["loader"] = _text(generator.get_state())
    return json.dumps(states)


def set_random_states(text: str, loader: Any = None) -> None:
    """Set the states of the generators; those of a data loader only if one is given. An empty text changes nothing."""
    if not text:
        return
    states = json.loads(text)
    version, internal, gauss = states["python"]
    random.setstate((version, tuple(internal), gauss))
    keys, *rest = states["numpy"]
    np.random.set_state(("MT19937", np.array(keys, np.uint32), *rest))
    torch = imported("torch")
    if torch is None:
        return
    if "torch" in states:
        torch.set_rng_state(_tensor(torch, states["torch"]))
    if "cuda" in states and torch.cuda.device_count() == len(states["cuda"]):
        torch.cuda.set_rng_state_all([_tensor(torch, state) for state in states["cuda"]])
    if "loader" in states and isinstance(generator := getattr(loader, "generator", None), torch.Generator):
        generator.set_state(_tensor(torch, states["loader"]))


def _text(state: Any) -> str:
    return bytes(state.numpy()).hex()


def _tensor(torch: Any, text: str) -> Any:
    return torch.frombuffer(bytearray.fromhex(text), dtype=torch.uint8)
