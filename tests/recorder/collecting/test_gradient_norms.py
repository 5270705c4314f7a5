"""The norms of gradients."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.pytorch import torch

from toposcope.recorder.collecting.steps.gradient_norms import gradient_norms


def test_without_gradients_there_are_no_norms() -> None:
    """Not even a global norm."""
    assert gradient_norms({}) == {}


def test_global_norm_is_that_of_all_elements() -> None:
    """The arrays have different shapes."""
    random = np.random.default_rng(0)
    gradients: dict[str, npt.NDArray[Any]] = {
        "a": random.normal(size=(3, 4)),
        "b": random.normal(size=7).astype(np.float32),
    }
    norms = gradient_norms(gradients)

    everything = np.concatenate([gradient.ravel() for gradient in gradients.values()])
    assert norms["gradient_norm/global"] == pytest.approx(np.linalg.norm(everything))
    assert norms["gradient_norm/a"] == pytest.approx(np.linalg.norm(gradients["a"]))


def test_tensors_of_pytorch_have_the_same_norms() -> None:
    """In every precision; the squares overflow in float16."""
    values = np.full(100, 300.0)
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        gradient = torch.tensor(values, dtype=dtype, requires_grad=True)
        assert gradient_norms({"a": gradient})["gradient_norm/global"] == pytest.approx(3000, rel=0.01)


def test_non_finite_gradients_have_non_finite_norms() -> None:
    """Overflowing gradients remain visible."""
    norms = gradient_norms({"a": np.array([1.0, np.nan]), "b": np.array([np.inf])})

    assert np.isnan(norms["gradient_norm/a"])
    assert not np.isfinite(norms["gradient_norm/global"])
