"""Capturing the state of a training."""

import numpy as np
from support.pytorch import torch
from support.trained_networks import trained_torch

from toposcope.recorder.checkpoints.checkpoint import leaves_of
from toposcope.recorder.checkpoints.state.capturing import capture, states_of


def test_copies_share_no_memory_with_the_training() -> None:
    """Parameters, buffers and moments are copied."""
    network, optimizer = trained_torch()
    checkpoint = capture(*states_of(network, optimizer), {}, copies=True)
    originals = [*leaves_of(network.state_dict()), *leaves_of(optimizer.state_dict())]
    copies = [*leaves_of(checkpoint.network), *leaves_of(checkpoint.optimizer)]
    for original, copy in zip(originals, copies, strict=True):
        if isinstance(original, torch.Tensor):
            assert torch.equal(original, copy)
            assert original.untyped_storage().data_ptr() != copy.untyped_storage().data_ptr()


def test_arrays_are_copied_too() -> None:
    array = np.zeros(3)
    checkpoint = capture({"weight": array}, {"moments": [array]}, {}, copies=True)
    array += 1
    assert [leaf.tolist() for leaf in leaves_of([checkpoint.network, checkpoint.optimizer])] == [[0, 0, 0]] * 2


def test_arrays_are_not_copied_by_default() -> None:
    array = np.zeros(3)
    assert capture({"weight": array}, None, {}).network["weight"] is array
