"""Loss landscapes of the real MindSpore's cells: the promises of every landscape model, and what is its own."""

import random
from collections.abc import Iterator
from typing import Any

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops
from support.landscape_model_contract import Float32s, LandscapeModelContract, ModelUnderTest

from toposcope.recorder.frameworks.mindspore.facts.operators import take_operator_values
from toposcope.recorder.landscapes.models.landscape_model import LandscapeModel, model_of

SAMPLES = 48
PICTURES = np.random.default_rng(3).normal(size=(50, 1, 6, 6)).astype(np.float32)
LABELS = np.random.default_rng(4).integers(0, 3, 50).astype(np.int32)


class Net(nn.Cell):
    """BatchNorm, dropout, and a summary operator."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, pad_mode="valid", weight_init="normal")
        self.norm = nn.BatchNorm2d(4)
        self.drop = nn.Dropout(p=0.5)
        self.flat, self.fc = nn.Flatten(), nn.Dense(64, 3)
        self.tensor = ops.TensorSummary()

    def construct(self, x: Tensor) -> Tensor:
        """Return the logits."""
        x = ops.tanh(self.norm(self.conv(x)))
        self.tensor("hidden", x)
        return self.fc(self.flat(self.drop(x)))


def dataset(shuffle: bool = False) -> Any:
    """Return a pipeline of batches of 16."""
    return ms.dataset.NumpySlicesDataset({"x": PICTURES, "y": LABELS}, shuffle=shuffle).batch(16)


def loss_function() -> Any:
    """Return the loss of the documented sample."""
    return nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")


def state_of(network: Any) -> tuple[dict[str, bytes], list[tuple[Any, ...]]]:
    """Return the arrays and modes of a network."""
    arrays = {name: parameter.asnumpy().tobytes() for name, parameter in network.parameters_dict().items()}
    return arrays, [(name, cell.training, cell.phase) for name, cell in network.cells_and_names()]


def make_model(network: Any, data: Any = None, number: int = SAMPLES) -> LandscapeModel:
    """Return the model of what the documented sample returns."""
    metrics = {"Loss": ms.train.Loss()}
    model = ms.Model(network, loss_function(), metrics=metrics)
    return model_of((model, network, dataset() if data is None else data, metrics), number)


@pytest.fixture(params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph mode", "PyNative mode"])
def mode(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run networks in one of MindSpore's modes."""
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=before)


@pytest.mark.usefixtures("mode")
class TestCells(LandscapeModelContract):
    """Cells in both modes of MindSpore."""

    @pytest.fixture
    def subject(self, mode: None) -> Iterator[ModelUnderTest]:
        def loss_at(flat: Float32s) -> float:
            other = Net()
            other.set_train(False)
            for each in model.layout.tensors:
                array = flat[each.start : each.stop].reshape(each.shape)
                ops.assign(other.parameters_dict()[each.name], Tensor(array))
            return float(loss_function()(other(Tensor(PICTURES[:SAMPLES])), Tensor(LABELS[:SAMPLES])).asnumpy())

        network = Net()
        network.norm.moving_mean.set_data(Tensor(np.linspace(-1, 1, 4).astype(np.float32)))
        network.norm.moving_variance.set_data(Tensor(np.linspace(0.5, 2, 4).astype(np.float32)))
        network.set_train(True)
        network.fc.set_train(False)
        before = state_of(network)
        model = make_model(network)
        yield ModelUnderTest(model, lambda: state_of(network), before, loss_at)
        model.restore()


@pytest.mark.usefixtures("mode")
def test_statistics_are_those_of_the_data() -> None:
    """Their means and unbiased variances."""
    network = Net()
    model = make_model(network)
    model.recalibrate()
    hidden = network.conv(Tensor(PICTURES[:SAMPLES])).asnumpy()
    np.testing.assert_allclose(network.norm.moving_mean.asnumpy(), hidden.mean((0, 2, 3)), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(network.norm.moving_variance.asnumpy(), hidden.var((0, 2, 3), ddof=1), rtol=1e-4)
    model.restore()


@pytest.mark.usefixtures("mode")
def test_summary_operators_leave_nothing() -> None:
    """What they see in a landscape does not reach the summary of a training."""
    take_operator_values()
    model = make_model(Net())
    model.losses()
    model.recalibrate()
    assert not take_operator_values()
    model.restore()


def test_a_model_with_an_optimizer_does_not_train() -> None:
    """Its training step never runs."""
    network = Net()
    before = state_of(network)
    optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)
    metrics = {"Loss": ms.train.Loss()}
    model = model_of((ms.Model(network, loss_function(), optimizer, metrics), network, dataset(), metrics), SAMPLES)
    model.losses()
    model.restore()
    assert state_of(network)[0] == before[0]
    assert not any(moment.asnumpy().any() for moment in optimizer.moments)


def test_a_shuffled_pipeline_gives_the_same_samples() -> None:
    """For any seed elsewhere; the states of the user's generators do not change."""
    hashes = set()
    for seed in (1, 2):
        network, pipeline = Net(), dataset(shuffle=True)
        ms.dataset.config.set_seed(seed)
        random.seed(7)
        np.random.seed(7)
        expected = random.random(), np.random.rand()
        random.seed(7)
        np.random.seed(7)
        hashes.add(make_model(network, pipeline, 32).data_hash)
        assert ms.dataset.config.get_seed() == seed
        assert (random.random(), np.random.rand()) == expected
    assert len(hashes) == 1
    assert make_model(Net(), number=32).data_hash not in hashes


def test_a_network_with_a_loss_of_its_own_is_evaluated() -> None:
    """As MindSpore's Model takes one without loss_fn."""
    network = nn.WithLossCell(Net(), loss_function())
    metrics = {"Loss": ms.train.Loss()}
    model = model_of((ms.Model(network), network, dataset(), metrics), SAMPLES)
    network.set_train(False)
    expected = [float(network(Tensor(PICTURES[i : i + 16]), Tensor(LABELS[i : i + 16])).asnumpy()) for i in (0, 16, 32)]
    assert model.losses().sums.mean == pytest.approx(np.mean(expected), rel=1e-5)
    model.restore()


def test_another_network_than_that_of_the_model_is_refused() -> None:
    """By the name of its class."""
    with pytest.raises(ValueError, match="another Net"):
        model_of((ms.Model(Net(), loss_function()), Net(), dataset(), {"Loss": None}), SAMPLES)
    with pytest.raises(TypeError, match=r"mindspore\.Model"):
        model_of((None, Net(), dataset(), {"Loss": None}), SAMPLES)
