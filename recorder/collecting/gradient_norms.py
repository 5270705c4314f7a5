"""Gradient norms: how long the gradients of a network are, each and all together."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from toposcope.recorder.checkpoints.gathering import is_sharded, local_part
from toposcope.recorder.values.arrays import array_from


def gradient_norms(gradients: Mapping[str, Any]) -> dict[str, float]:
    """Return the Euclidean norm of each gradient, `gradient_norm/<parameter>`, and of all, `gradient_norm/global`.

    A tensor of PyTorch is summed up on its device; of one that processes share, this one's part is, lest they wait for
    each other. Nothing is returned of no gradients.
    """
    norms = {name: _norm(own_part(gradient)) for name, gradient in gradients.items()}
    tags = {f"gradient_norm/{name}": norm for name, norm in norms.items()}
    return {"gradient_norm/global": math.hypot(*norms.values()), **tags} if norms else {}


def own_part(tensor: Any) -> Any:
    """Return what this process has of a tensor: all of it, unless processes share it."""
    return local_part(tensor) if is_sharded(tensor) else tensor


def _norm(gradient: Any) -> float:
    if hasattr(gradient, "detach") and hasattr(gradient, "norm"):
        values = gradient.detach()
        # The squares of float16 are soon beyond its range.
        return float((values.float() if values.element_size() < 4 else values).norm())
    return float(np.linalg.norm(array_from(gradient).numbers().astype(np.float64)))
