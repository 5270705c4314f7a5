"""The landscape model of PyTorch modules: which losses it measures, and what it leaves alone."""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from landscape_networks import METRICS, SAMPLES, Pictures, Smooth, Take, loader, pictures, state_of, taken_of, taking
from line_network import Line, line_batches
from torch import Tensor, nn
from torch.utils.data import DataLoader

from toposcope.recorder import summary
from toposcope.recorder.landscapes.models.landscape_model import LossSums, model_of
from toposcope.recorder.training import Model


@pytest.fixture
def take() -> Iterator[Take]:
    """Return what makes a model of a module."""
    yield from taking()


def test_kinds_are_those_of_the_modules(take: Take) -> None:
    """Tied weights stand once, under their first name; buffers that checkpoints lack, and integers, nowhere."""
    network = nn.Sequential(nn.Embedding(5, 4), nn.LayerNorm(4), nn.Linear(4, 4))
    tokens = [(torch.arange(4).reshape(4, 1), torch.zeros(4, 1, 4))]
    kinds = {each.name: each.kind for each in take(network, nn.MSELoss(), tokens).layout.tensors}
    assert kinds == {
        **{"0.weight": "embedding", "1.weight": "norm", "1.bias": "norm", "2.weight": "weight", "2.bias": "bias"}
    }
    layout = take(Pictures()).layout
    kinds = {each.name: each.kind for each in layout.tensors}
    assert {name for name, kind in kinds.items() if kind == "norm"} == {"norm.weight", "norm.bias"}
    assert {name for name, kind in kinds.items() if kind == "buffer"} == {
        *("offset", "norm.running_mean", "norm.running_var")
    }
    assert "third.weight" not in kinds


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
def test_losses_of_samples_are_found_where_there_are_some(loss_fn: Any, is_of_samples: bool, take: Take) -> None:
    """With weights of classes the loss of a batch is no mean of samples' losses: batches stay those of the loader."""
    network = Smooth()
    model = take(network, loss_fn)
    sums = model.loss()
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


def test_losses_of_many_numbers_are_those_of_samples(take: Take) -> None:
    """A loss function that averages over all numbers of a sample gives each sample the mean of its own."""
    data = [(torch.randn(8, 5, 4), torch.randn(8, 5, 4))]
    for loss_fn in (nn.MSELoss(), nn.SmoothL1Loss(reduction="sum")):
        sums = take(nn.Linear(4, 4), loss_fn, data).loss()
        assert (sums.samples, sums.units) == (8, 8)


def test_a_network_with_a_loss_of_its_own_needs_no_loss_function() -> None:
    """Batches of dicts are its keyword arguments, as in our Model."""

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
    assert model.loss(0, 12).mean == pytest.approx(expected, rel=1e-5)
    assert model.loss().units == 3
    model.restore()


def test_batches_are_cut_anew_where_samples_have_losses(take: Take) -> None:
    """The size does not depend on the loader's, so neither do the bits."""
    small, large = (take(Smooth(), dataset=DataLoader(pictures(), batch_size=size)) for size in (3, 50))
    small.load(large.get())
    assert small.loss() == large.loss()
    assert small.data_hash == large.data_hash
    assert take(Smooth(), num_samples=20).data_hash != large.data_hash


def test_a_shuffling_loader_gives_every_process_the_same_samples(take: Take) -> None:
    """And the generators of the user go on as if nothing had been."""
    networks = Smooth(), Smooth()
    torch.manual_seed(9)
    first = take(networks[0], dataset=loader(shuffle=True), num_samples=30)
    first.restore()
    drawn = torch.rand(3)
    second = take(networks[1], dataset=loader(shuffle=True), num_samples=30)
    assert first.data_hash == second.data_hash
    assert first.data_hash != take(Smooth(), num_samples=30).data_hash
    assert any("shuffles" in note for note in second.notes)
    torch.manual_seed(9)
    assert torch.equal(torch.rand(3), drawn)


def test_a_short_dataset_is_used_whole(take: Take) -> None:
    """And it says how many samples it had."""
    model = take(Smooth(), num_samples=2048)
    assert model.samples == model.loss().samples == 50
    assert any("50" in note and "2,048" in note for note in model.notes)


def test_batches_of_different_shapes_stay_as_they_are(take: Take) -> None:
    """Sentences of other lengths cannot be joined."""
    network = nn.Sequential(nn.Embedding(9, 4), nn.Linear(4, 2))
    data = [(torch.zeros(3, length, dtype=torch.long), torch.randn(3, length, 2)) for length in (4, 7)]
    sums = take(network, nn.MSELoss(), data, num_samples=5).loss()
    assert (sums.samples, sums.units) == (5, 5)


def test_a_model_with_an_optimizer_does_not_train(take: Take) -> None:
    """Nor does its optimizer change."""
    network = Smooth()
    optimizer = torch.optim.Adam(network.parameters())
    before = state_of(network)
    model = model_of((Model(network, nn.CrossEntropyLoss(), optimizer), network, loader(), METRICS), SAMPLES)
    model.loss()
    model.restore()
    assert state_of(network) == before
    assert not optimizer.state


def test_random_numbers_in_evaluation_are_the_same_ones(take: Take) -> None:
    """A network that draws some whatever its mode has one loss all the same."""

    class Noisy(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(36, 3)

        def forward(self, x: Tensor) -> Tensor:
            x = self.layer(x.flatten(1))
            return x + torch.randn_like(x)

    model = take(Noisy())
    assert model.loss() == model.loss()


def test_a_buffer_that_evaluation_changes_begins_anew(take: Take) -> None:
    """At every point of the landscape; and it is given back as it was."""

    class Counting(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(36, 3)
            self.register_buffer("calls", torch.zeros((), dtype=torch.long))
            self.register_buffer("scale", torch.ones(()), persistent=False)

        def forward(self, x: Tensor) -> Tensor:
            self.calls += 1
            self.scale = self.scale * 2
            return self.layer(x.flatten(1)) * self.scale * self.calls

    network = Counting()
    before = state_of(network)
    model = take(network)
    flat = model.get()
    losses = []
    for _ in range(2):
        model.load(flat)
        losses.append(model.loss())
    assert losses[0] == losses[1]
    model.restore()
    assert state_of(network) == before


def test_summary_operators_see_nothing_of_a_landscape(take: Take) -> None:
    """What a network records of itself is of its training."""

    class Recording(Smooth):
        def forward(self, x: Tensor) -> Tensor:
            summary.scalar("mean", x.mean())
            return super().forward(x)

    values = summary.OperatorValues()
    with summary.collecting(values):
        take(Recording()).loss()
    assert not values.is_filled


def test_another_memory_format_finds_the_same_loss(take: Take) -> None:
    """The same bits whenever it is used; a network that cannot take it is refused, and works as before."""
    model = take(Pictures())
    eager = model.loss()
    model.use("channels_last")
    assert model.mode == "channels_last"
    assert model.loss() == model.loss()
    assert model.loss().mean == pytest.approx(eager.mean, rel=1e-5)
    model.use("eager")
    assert model.loss() == eager


def test_the_fastest_mode_is_looked_for_when_there_is_much_to_do(take: Take) -> None:
    """Whatever it is, the losses stay; a network that the other format breaks is measured as it is."""

    class Viewing(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.layer = nn.Conv2d(1, 6, 3), nn.Linear(96, 3)

        def forward(self, x: Tensor) -> Tensor:
            return self.layer(self.conv(x).view(len(x), -1))

    for network, modes in ((Pictures(), ("eager", "channels_last")), (Viewing(), ("eager",))):
        model = take(network)
        eager = model.loss()
        assert model.tune(20_000) in modes
        assert model.loss().mean == pytest.approx(eager.mean, rel=1e-5)


@pytest.mark.parametrize(
    ("layer", "message"), [(nn.LazyLinear(3), "no values yet"), (nn.Linear(2, 2, dtype=torch.complex64), "weight")]
)
def test_weights_that_cannot_be_moved_are_refused(layer: Any, message: str) -> None:
    """By name, and the network is as it was."""
    network = nn.Sequential(nn.Linear(36, 2), layer)
    with pytest.raises(ValueError, match=message):
        taken_of(network)
    assert network.training


def test_a_network_without_weights_is_refused() -> None:
    """There is nothing to move."""
    with pytest.raises(ValueError, match="no weights"):
        taken_of(nn.BatchNorm1d(3, affine=False))


def test_a_network_is_moved_by_one_model_at_a_time(take: Take) -> None:
    """Two would evaluate each other's weights; when it has been given back it may be taken again."""
    network, line = Smooth(), Line()
    first = take(network)
    with pytest.raises(ValueError, match="in use"):
        taken_of(network)
    first.restore()
    assert take(network).loss() == first_loss(network)
    plain = model_of((Model(line), line, line_batches(3), METRICS), 10)
    with pytest.raises(ValueError, match="in use"):
        model_of((Model(line), line, line_batches(3), METRICS), 10)
    plain.restore()


def first_loss(network: nn.Module) -> LossSums:
    """Return the loss of a copy of a module."""
    model = taken_of(copy.deepcopy(network))
    sums = model.loss()
    model.restore()
    return sums


def test_large_outputs_keep_the_batches_of_the_loader(take: Take) -> None:
    """More samples at once might not fit: a language model gives megabytes for each."""
    network = nn.Sequential(nn.Flatten(), nn.Linear(36, 1 << 16))
    sums = take(network, nn.CrossEntropyLoss(), loader(samples=192), num_samples=192)
    assert sums.loss().units == 192
    assert max(size for _, size in sums._held.between(0, None)) <= 64  # type: ignore[attr-defined]


def test_mixed_precision_is_that_of_the_model(take: Take) -> None:
    """A model that trains under autocast is evaluated under it."""
    network = Smooth()
    mixed = model_of((Model(network, nn.CrossEntropyLoss(), amp_level="O2"), network, loader(), METRICS), SAMPLES)
    rounded = mixed.loss()
    mixed.restore()
    exact = take(network).loss()
    assert rounded.units == exact.units == SAMPLES
    assert rounded.mean == pytest.approx(exact.mean, rel=2e-2)
    assert rounded.mean != exact.mean


def test_a_model_of_the_users_own_is_used_as_it_is(take: Take) -> None:
    """Whatever callback_fn returns that keeps the promises."""
    model = take(Smooth())
    assert model_of(model, 10) is model


def test_a_device_that_is_not_there_is_the_cpu(take: Take) -> None:
    """So that one list of devices serves machines with GPUs and without."""
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    network = Smooth()
    model = model_of((Model(network, nn.CrossEntropyLoss()), network, loader(), METRICS), 20, device=3)
    assert model.loss().samples == 20
    model.restore()
    with pytest.raises(ValueError, match="device"):
        model_of((Model(network), network, loader(), METRICS), 20, device=-1)
