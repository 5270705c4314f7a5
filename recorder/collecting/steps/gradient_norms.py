"""Gradient norms: the Euclidean norm of each gradient of a network, and of all of them."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from toposcope.recorder.checkpoints.state.sharded_tensors import is_sharded, local_shard
from toposcope.recorder.values.arrays.arrays import array_from


def gradient_norms(gradients: Mapping[str, Any]) -> dict[str, float]:
    """Return the Euclidean norm of each gradient, `gradient_norm/<parameter>`, and of all, `gradient_norm/global`.

    The norm of a PyTorch tensor is computed on its device. Of a tensor that is sharded over processes only the local
    part is used, so that processes need not wait for each other. Without gradients the result is empty.
    """
    norms = {name: _norm(own_part(gradient)) for name, gradient in gradients.items()}
    tags = {f"gradient_norm/{name}": norm for name, norm in norms.items()}
    return {"gradient_norm/global": math.hypot(*norms.values()), **tags} if norms else {}


def own_part(tensor: Any) -> Any:
    """Return the part of a tensor that this process has: the local shard of a sharded tensor, else the tensor."""
    return local_shard(tensor) if is_sharded(tensor) else tensor


def _norm(gradient: Any) -> float:
    if hasattr(gradient, "detach") and hasattr(gradient, "norm"):
        values = gradient.detach()
        # The squares of float16 values easily overflow.
        return float((values.float() if values.element_size() < 4 else values).norm())
    return float(np.linalg.norm(array_from(gradient).numbers().astype(np.float64)))
