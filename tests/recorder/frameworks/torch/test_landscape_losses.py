"""The losses that a PyTorch landscape model measures: for which samples, with which loss function."""

from typing import Any

import numpy as np
import pytest
import torch
from support.landscape_networks import METRICS, SAMPLES, MakeModel, Smooth, loader, pictures
from torch import Tensor, nn

from toposcope.recorder import summary
from toposcope.recorder.landscapes.models.landscape_model import model_of
from toposcope.recorder.training import Model


@pytest.mark.parametrize(
    ("loss_fn", "is_of_samples"),
    [
        (nn.CrossEntropyLoss(), True),
        (nn.CrossEntropyLoss(reduction="sum"), True),
        (nn.CrossEntropyLoss(reduction="none"), True),
        (nn.CrossEntropyLoss(label_smoothing=0.1), True),
        (nn.functional.cross_entropy, True),
        (lambda outputs, labels: nn.functional.cross_entropy(outputs, labels), False),
        (nn.CrossEntropyLoss(weight=torch.tensor([1.0, 5.0, 0.1])), False),
        (nn.CrossEntropyLoss(ignore_index=1), False),
    ],
)
def test_losses_of_samples_are_used_if_available(loss_fn: Any, is_of_samples: bool, make_model: MakeModel) -> None:
    """With class weights the loss of a batch is not the mean of its samples' losses: the loader's batches are kept."""
    network = Smooth()
    model = make_model(network, loss_fn)
    sums = model.losses().sums
    assert sums.units == (SAMPLES if is_of_samples else 3)
    assert bool(model.notes) != is_of_samples
    images, labels = pictures().tensors
    with torch.no_grad():
        losses = [
            loss_fn(network(images[i : i + 20][: SAMPLES - i]), labels[i : i + 20][: SAMPLES - i]) for i in (0, 20, 40)
        ]
    if getattr(loss_fn, "reduction", "mean") == "mean":
        expected = float(sum(loss * size for loss, size in zip(losses, (20, 20, 8), strict=True)))
    else:
        expected = float(sum(loss.sum() for loss in losses))
    assert sums.total == pytest.approx(expected, rel=1e-5)


def test_losses_of_many_numbers_are_those_of_samples(make_model: MakeModel) -> None:
    """If a loss function averages over all numbers, the loss of a sample is the mean over its numbers."""
    data = [(torch.randn(8, 5, 4), torch.randn(8, 5, 4))]
    for loss_fn in (nn.MSELoss(), nn.SmoothL1Loss(reduction="sum")):
        sums = make_model(nn.Linear(4, 4), loss_fn, data).losses().sums
        assert (sums.samples, sums.units) == (8, 8)


def test_a_network_with_its_own_loss_needs_no_loss_function() -> None:
    """Dicts are passed as keyword arguments, as by our Model."""

    class Own(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(2, 1)

        def forward(self, x: Tensor, y: Tensor) -> dict[str, Tensor]:
            return {"loss": ((self.layer(x) - y) ** 2).mean(), "logits": x}

    network = Own()
    data = [{"x": torch.randn(6, 2), "y": torch.randn(6, 1)} for _ in range(3)]
    model = model_of((Model(network), network, data, METRICS), 15)
    expected = np.average([network(**batch)["loss"].item() for batch in data[:2]])
    assert model.losses(0, 12).sums.mean == pytest.approx(expected, rel=1e-5)
    assert model.losses().sums.units == 3
    model.restore()


def test_a_loader_with_its_own_generator_returns_the_same_samples_again(make_model: MakeModel) -> None:
    """The order in the subsequent training does not change."""
    generator = torch.Generator().manual_seed(4)
    shuffled, before = loader(shuffle=True, generator=generator), generator.get_state()
    hashes = {make_model(Smooth(), dataset=shuffled, num_samples=30).data_hash for _ in range(2)}
    assert len(hashes) == 1
    assert torch.equal(generator.get_state(), before)


def test_a_short_dataset_is_used_completely(make_model: MakeModel) -> None:
    """A note states its number of samples."""
    model = make_model(Smooth(), num_samples=2048)
    assert model.samples == model.losses().sums.samples == 50
    assert any("50" in note and "2,048" in note for note in model.notes)


def test_batches_of_different_shapes_stay_as_they_are(make_model: MakeModel) -> None:
    """Sentences of different lengths cannot be joined."""
    network = nn.Sequential(nn.Embedding(9, 4), nn.Linear(4, 2))
    data = [(torch.zeros(3, length, dtype=torch.long), torch.randn(3, length, 2)) for length in (4, 7)]
    sums = make_model(network, nn.MSELoss(), data, num_samples=5).losses().sums
    assert (sums.samples, sums.units) == (5, 5)


def test_mixed_precision_is_that_of_the_model(make_model: MakeModel) -> None:
    """A model that trains under autocast is evaluated under it."""
    network = Smooth()
    mixed = model_of((Model(network, nn.CrossEntropyLoss(), amp_level="O2"), network, loader(), METRICS), SAMPLES)
    rounded = mixed.losses().sums
    mixed.restore()
    exact = make_model(network).losses().sums
    assert rounded.units == exact.units == SAMPLES
    assert rounded.mean == pytest.approx(exact.mean, rel=2e-2)
    assert rounded.mean != exact.mean


def test_evaluations_use_the_same_random_numbers(make_model: MakeModel) -> None:
    """A network that draws random numbers even in evaluation mode has a single loss."""

    class Noisy(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(36, 3)

        def forward(self, x: Tensor) -> Tensor:
            x = self.layer(x.flatten(1))
            return x + torch.randn_like(x)

    model = make_model(Noisy())
    assert model.losses().sums == model.losses().sums


def test_a_shuffling_loader_returns_the_same_samples_in_every_process(make_model: MakeModel) -> None:
    """The states of the user's generators do not change."""
    networks = Smooth(), Smooth()
    torch.manual_seed(9)
    first = make_model(networks[0], dataset=loader(shuffle=True), num_samples=30)
    first.restore()
    drawn = torch.rand(3)
    second = make_model(networks[1], dataset=loader(shuffle=True), num_samples=30)
    assert first.data_hash == second.data_hash
    assert first.data_hash != make_model(Smooth(), num_samples=30).data_hash
    assert any("shuffles" in note for note in second.notes)
    torch.manual_seed(9)
    assert torch.equal(torch.rand(3), drawn)


def test_summary_operators_record_nothing_of_a_landscape(make_model: MakeModel) -> None:
    """Only values of the training are recorded."""

    class Recording(Smooth):
        def forward(self, x: Tensor) -> Tensor:
            summary.scalar("mean", x.mean())
            return super().forward(x)

    values = summary.OperatorValues()
    with summary.collecting(values):
        make_model(Recording()).losses()
    assert not values.is_filled
