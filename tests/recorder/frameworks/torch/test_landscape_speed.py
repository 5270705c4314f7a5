"""How the landscape model of a PyTorch module is fast: batches of its own, modes of computing; losses stay."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from support.landscape_networks import METRICS, SAMPLES, Pictures, Smooth, Take, loader, pictures
from torch import Tensor, nn
from torch.utils.data import DataLoader

from toposcope.recorder.frameworks.torch.landscape.tuning import MODES
from toposcope.recorder.landscapes.models.landscape_model import model_of
from toposcope.recorder.training import Model


def test_batches_are_cut_anew_where_samples_have_losses(take: Take) -> None:
    """The size does not depend on the loader's, so neither do the bits."""
    small, large = (take(Smooth(), dataset=DataLoader(pictures(), batch_size=size)) for size in (3, 50))
    small.load(large.get())
    assert small.loss() == large.loss()
    assert small.data_hash == large.data_hash
    assert take(Smooth(), num_samples=20).data_hash != large.data_hash


def test_large_outputs_keep_the_batches_of_the_loader(take: Take) -> None:
    """More samples at once might not fit: a language model gives megabytes for each."""
    network = nn.Sequential(nn.Flatten(), nn.Linear(36, 1 << 16))
    sums = take(network, nn.CrossEntropyLoss(), loader(samples=192), num_samples=192)
    assert sums.loss().units == 192
    assert max(size for _, size in sums._fixed.between(0, None)) <= 64


def convolving() -> nn.Module:
    """Return a network of the usual layers, its statistics not those it begins with."""
    norm = nn.BatchNorm2d(12)
    norm.running_mean.normal_()
    norm.running_var.uniform_(0.5, 2)
    layers = nn.Conv2d(1, 12, 3), norm, nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(), nn.Flatten(), nn.Linear(48, 3)
    return nn.Sequential(*layers)


def test_large_batches_of_the_loader_are_cut(take: Take) -> None:
    """Layers whose outputs leave the caches, or come from the system each time, take twice as long."""
    network = nn.Sequential(nn.Conv2d(1, 512, 3), nn.Flatten(), nn.Linear(512 * 16, 3))
    model = take(network, dataset=DataLoader(pictures(400), batch_size=400), num_samples=400)
    assert model._fixed.starts[1] == 128


def test_one_thread_measures_whichever_it_is(take: Take) -> None:
    """Each thread of Python has a number of threads of its own, and keeps it; random numbers go on as well."""
    found: list[int] = []

    class Looking(Smooth):
        def forward(self, x: Tensor) -> Tensor:
            found.append(torch.get_num_threads())
            return super().forward(x)

    def measured() -> tuple[Any, int, Tensor]:
        torch.set_num_threads(2)
        torch.manual_seed(3)
        losses = model.loss()
        return losses, torch.get_num_threads(), torch.rand(3)

    model = take(Looking())
    torch.manual_seed(3)
    drawn = torch.rand(3)
    here = model.loss()
    with ThreadPoolExecutor(1) as threads:
        there, number, random = threads.submit(measured).result()
    assert there == here
    assert number == 2
    assert set(found) == {1}
    assert torch.equal(random, drawn)


def test_another_memory_format_finds_the_same_loss(take: Take) -> None:
    """The same bits whenever it is used; a network that cannot take it is refused, and works as before."""
    for network, modes in ((Pictures(), ("channels_last",)), (convolving(), ("channels_last", "blocked"))):
        model = take(network)
        eager = model.loss()
        for mode in modes:
            model.use(mode)
            assert model.mode == mode
            assert model.loss() == model.loss()
            assert model.loss().mean == pytest.approx(eager.mean, rel=1e-5)
            assert model.loss(0, 7).samples == 7
        model.use("eager")
        assert model.loss() == eager


class Viewing(nn.Module):
    """Wants its images in rows of pixels."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.layer = nn.Conv2d(1, 6, 3), nn.Linear(96, 3)

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits."""
        return self.layer(self.conv(x).view(len(x), -1))


def test_a_mode_that_a_network_cannot_take_is_refused(take: Take) -> None:
    """The message says why; it is measured as before."""
    model = take(Viewing())
    eager = model.loss()
    with pytest.raises(ValueError, match=r"does not support oneDNN tensors.*view"):
        model.use("blocked")
    assert model.mode == "eager"
    assert model.loss() == eager


def test_a_loss_of_the_networks_own_sees_plain_outputs_in_every_mode() -> None:
    """And the batch as it was."""

    class Own(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.Sequential(nn.Conv2d(1, 2, 3), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3))

        def forward(self, batch: Any) -> Tensor:
            return self.layers(batch[0])

        def loss(self, outputs: Tensor, batch: Any) -> Tensor:
            assert batch[0].layout == outputs.layout == torch.strided
            return nn.functional.cross_entropy(outputs, batch[1])

    network = Own()
    model = model_of((Model(network), network, loader(), METRICS), SAMPLES)
    eager = model.loss()
    model.use("blocked")
    assert model.loss().mean == pytest.approx(eager.mean, rel=1e-5)
    model.restore()


def test_the_fastest_mode_is_looked_for_when_there_is_much_to_do(take: Take) -> None:
    """Whatever it is, the losses stay; a network that the other format breaks is measured as it is."""
    for network, modes in ((convolving(), MODES), (Viewing(), ("eager",))):
        model = take(network)
        eager = model.loss()
        assert model.tune(20_000) in modes
        assert model.loss().mean == pytest.approx(eager.mean, rel=1e-5)
