"""The speed of a PyTorch landscape model: batch sizes and modes, which do not change the losses."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from support.landscape_networks import METRICS, SAMPLES, MakeModel, Pictures, Smooth, loader, pictures
from torch import Tensor, nn
from torch.utils.data import DataLoader

from toposcope.recorder.frameworks.torch.landscape.landscape_model import TorchLandscapeModel
from toposcope.recorder.frameworks.torch.landscape.tuning import MODES
from toposcope.recorder.landscapes.models.landscape_model import model_of
from toposcope.recorder.training import Model


def test_batches_are_recut_if_samples_have_losses(make_model: MakeModel) -> None:
    """The batch size, and so the bits, do not depend on the loader."""
    small, large = (make_model(Smooth(), dataset=DataLoader(pictures(), batch_size=size)) for size in (3, 50))
    small.load(large.get())
    assert small.losses().sums == large.losses().sums
    assert small.data_hash == large.data_hash
    assert make_model(Smooth(), num_samples=20).data_hash != large.data_hash


def test_large_outputs_keep_the_batches_of_the_loader(make_model: MakeModel) -> None:
    """Larger batches might not fit into memory: a language model returns megabytes for each sample."""
    network = nn.Sequential(nn.Flatten(), nn.Linear(36, 1 << 16))
    sums = make_model(network, nn.CrossEntropyLoss(), loader(samples=192), num_samples=192)
    assert isinstance(sums, TorchLandscapeModel)
    assert sums.losses().sums.units == 192
    assert max(size for _, size in sums._fixed.between(0, None)) <= 64


def convolving() -> nn.Module:
    """Return a network of common layers with statistics that differ from the initial ones."""
    norm = nn.BatchNorm2d(12)
    norm.get_buffer("running_mean").normal_()
    norm.get_buffer("running_var").uniform_(0.5, 2)
    layers = nn.Conv2d(1, 12, 3), norm, nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(), nn.Flatten(), nn.Linear(48, 3)
    return nn.Sequential(*layers)


def test_large_batches_of_the_loader_are_cut(make_model: MakeModel) -> None:
    """Layers whose outputs exceed the caches, or are allocated from the system each time, take twice as long."""
    network = nn.Sequential(nn.Conv2d(1, 512, 3), nn.Flatten(), nn.Linear(512 * 16, 3))
    model = make_model(network, dataset=DataLoader(pictures(400), batch_size=400), num_samples=400)
    assert isinstance(model, TorchLandscapeModel)
    assert model._fixed.starts[1] == 128


def test_one_thread_measures_in_every_python_thread(make_model: MakeModel) -> None:
    """Each Python thread has its own number of PyTorch threads, which is restored, as are random generators."""
    thread_counts: list[int] = []

    class Looking(Smooth):
        def forward(self, x: Tensor) -> Tensor:
            thread_counts.append(torch.get_num_threads())
            return super().forward(x)

    def measured() -> tuple[Any, int, Tensor]:
        torch.set_num_threads(2)
        torch.manual_seed(3)
        losses = model.losses().sums
        return losses, torch.get_num_threads(), torch.rand(3)

    model = make_model(Looking())
    torch.manual_seed(3)
    drawn = torch.rand(3)
    here = model.losses().sums
    with ThreadPoolExecutor(1) as threads:
        there, number, random = threads.submit(measured).result()
    assert there == here
    assert number == 2
    assert set(thread_counts) == {1}
    assert torch.equal(random, drawn)


def test_another_memory_format_has_the_same_loss(make_model: MakeModel) -> None:
    """With the same bits each time; a network that does not support it is refused and remains usable."""
    for network, modes in ((Pictures(), ("channels_last",)), (convolving(), ("channels_last", "blocked"))):
        model = make_model(network)
        eager = model.losses().sums
        for mode in modes:
            model.use(mode)
            assert model.mode == mode
            assert model.losses().sums == model.losses().sums
            assert model.losses().sums.mean == pytest.approx(eager.mean, rel=1e-5)
            assert model.losses(0, 7).sums.samples == 7
        model.use("eager")
        assert model.losses().sums == eager


class Viewing(nn.Module):
    """Needs images with contiguous rows."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.layer = nn.Conv2d(1, 6, 3), nn.Linear(96, 3)

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits."""
        return self.layer(self.conv(x).view(len(x), -1))


def test_an_unsupported_mode_is_refused(make_model: MakeModel) -> None:
    """The message contains the reason; the previous mode remains in use."""
    model = make_model(Viewing())
    eager = model.losses().sums
    with pytest.raises(ValueError, match=r"does not support oneDNN tensors.*view"):
        model.use("blocked")
    assert model.mode == "eager"
    assert model.losses().sums == eager


def test_a_networks_own_loss_receives_plain_outputs_in_every_mode() -> None:
    """And the original batch."""

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
    eager = model.losses().sums
    model.use("blocked")
    assert model.losses().sums.mean == pytest.approx(eager.mean, rel=1e-5)
    model.restore()


def test_the_fastest_mode_is_searched_for_much_work(make_model: MakeModel) -> None:
    """The losses do not change; a network that does not support the other format is measured in eager mode."""
    for network, modes in ((convolving(), MODES), (Viewing(), ("eager",))):
        model = make_model(network)
        eager = model.losses().sums
        assert model.tune(20_000) in modes
        assert model.losses().sums.mean == pytest.approx(eager.mean, rel=1e-5)
