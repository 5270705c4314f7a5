"""The contract of landscape models, for NumPy networks and PyTorch modules."""

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import torch
from support.landscape_model_contract import Float32s, LandscapeModelContract, ModelUnderTest
from support.landscape_networks import METRICS, SAMPLES, MakeModel, Pictures, Smooth, pictures, state_of
from support.line_network import Line, line_batches
from threadpoolctl import threadpool_info, threadpool_limits
from torch import nn

from toposcope.recorder.landscapes.models.landscape_model import model_of
from toposcope.recorder.landscapes.models.unit_losses import LossSums, unit_losses
from toposcope.recorder.training import Model

Dataset = list[tuple[Any, Any]]


class TwoLayers:
    """A NumPy network with layers of float64 and float32, and an integer counter."""

    def __init__(self, is_per_sample: bool) -> None:
        random = np.random.default_rng(0)
        self._is_per_sample = is_per_sample
        self._parameters: dict[str, Any] = {
            "first.weight": random.normal(size=(4, 8)),
            "first.bias": random.normal(size=8),
            "second.weight": random.normal(size=(8, 3)).astype(np.float32),
            "steps": np.array(7),
        }

    def train_step(self, *batch: Any) -> float:
        """Raise: a landscape does not train."""
        raise AssertionError("trained")

    def eval_step(self, x: Any, y: Any) -> tuple[Any, Any, Any]:
        """Return the mean squared error."""
        hidden = np.tanh(x @ self._parameters["first.weight"] + self._parameters["first.bias"])
        losses = ((hidden @ self._parameters["second.weight"] - y) ** 2).mean(axis=1)
        return (losses if self._is_per_sample else losses.mean()), hidden, y

    def parameters(self) -> Mapping[str, Any]:
        """Return the arrays."""
        return self._parameters

    def load_parameters(self, parameters: Mapping[str, Any]) -> None:
        """Set the parameters."""
        assert parameters["steps"] == 7
        self._parameters = dict(parameters)


def array_batches() -> Dataset:
    """Return batches of ten samples, with two samples more than a model uses."""
    random = np.random.default_rng(4)
    return [(random.normal(size=(10, 4)), random.normal(size=(10, 3))) for _ in range(5)]


class TestPlainNetworks(LandscapeModelContract):
    """Networks without a framework."""

    @pytest.fixture(params=[True, False], ids=["losses of samples", "means of batches"])
    def subject(self, request: pytest.FixtureRequest) -> ModelUnderTest:
        def state() -> object:
            return [(name, array.dtype, array.tobytes()) for name, array in network.parameters().items()]

        def loss_at(flat: Float32s) -> float:
            other = TwoLayers(is_per_sample=True)
            layout = {tensor.name: tensor for tensor in model.layout.tensors}
            other.load_parameters(
                {"steps": np.array(7)}
                | {name: flat[each.start : each.stop].reshape(each.shape) for name, each in layout.items()}
            )
            return float(np.concatenate([other.eval_step(*batch)[0] for batch in array_batches()])[:SAMPLES].mean())

        network = TwoLayers(request.param)
        before = state()
        model = model_of((Model(network), network, array_batches(), METRICS), SAMPLES)
        return ModelUnderTest(model, state, before, loss_at)


def test_products_of_numpy_are_computed_by_one_thread() -> None:
    """As in worker processes: the last bits of sums depend on the number of threads."""
    threads: list[int] = []

    class Looking(Line):
        def eval_step(self, x: Any, y: Any) -> tuple[float, Any, Any]:
            threads.extend(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
            return super().eval_step(x, y)

    line = Looking()
    model = model_of((Model(line), line, line_batches(2), METRICS), 8)
    with threadpool_limits(2):
        model.losses()
        assert threads
        assert set(threads) == {1}
        assert any(pool["num_threads"] == 2 for pool in threadpool_info() if pool["user_api"] == "blas")
    model.restore()


class TorchContract(LandscapeModelContract):
    """The contract for one kind of module."""

    network: type[nn.Module]

    @pytest.fixture
    def subject(self, make_model: MakeModel) -> ModelUnderTest:
        def loss_at(flat: Float32s) -> float:
            own = other.state_dict()
            for each in model.layout.tensors:
                own[each.name].copy_(torch.from_numpy(flat[each.start : each.stop].reshape(each.shape)))
            images, labels = pictures().tensors
            with torch.no_grad():
                return nn.functional.cross_entropy(other(images[:SAMPLES]), labels[:SAMPLES]).item()

        with torch.random.fork_rng():
            torch.manual_seed(1)
            network = self.network()
        other = copy.deepcopy(network).eval()
        torch.set_num_threads(2)
        before = state_of(network)
        model = make_model(network)
        return ModelUnderTest(model, lambda: state_of(network), before, loss_at)


class TestAwkwardModules(TorchContract):
    """A module with every difficult feature."""

    network = Pictures

    # Losses rounded to bfloat16 are too coarse for finite differences.
    test_products_with_the_hessian_are_curvature: Any = None


class TestModules(TorchContract):
    """An ordinary module."""

    network = Smooth


@pytest.mark.parametrize(
    ("result", "error", "message"),
    [
        (None, TypeError, "model, network, dataset, metrics"),
        ((1, 2, 3), TypeError, "model, network, dataset, metrics"),
        ((None, object(), [], METRICS), TypeError, "network of callback_fn"),
        ((None, Smooth(), [], METRICS), TypeError, "model of callback_fn"),
        ((Model(Smooth()), Smooth(), [], METRICS), ValueError, "another Smooth"),
        ((Model(Line()), Line(), line_batches(2), {"acc": None}), ValueError, "'Loss'"),
        ((Model(Line()), Line(), [], METRICS), ValueError, "no batches"),
        ((Model(Line()), Line(), 5, METRICS), TypeError, "iterable"),
        ((Model(Line()), Line(), [(3, 4)], METRICS), ValueError, "must be the number of samples"),
    ],
)
def test_other_results_of_callback_fn_are_refused(result: Any, error: type[Exception], message: str) -> None:
    """The message states what callback_fn should return."""
    with pytest.raises(error, match=message):
        model_of(result, 10)


def test_sums_of_units() -> None:
    """A mean of samples, and its standard error; infinite losses stay infinite."""
    losses = np.random.default_rng(0).normal(2, 1, 400)
    sums = unit_losses(losses).sums
    assert sums.mean == pytest.approx(losses.mean())
    assert sums.standard_error == pytest.approx(losses.std(ddof=1) / 20)
    batches = unit_losses(losses.reshape(40, 10).mean(axis=1), np.full(40, 10)).sums
    assert (batches.samples, batches.units) == (400, 40)
    assert batches.mean == pytest.approx(sums.mean)
    assert batches.standard_error == pytest.approx(losses.reshape(40, 10).mean(axis=1).std(ddof=1) / 40**0.5)
    assert unit_losses([1.0, np.inf]).sums.mean == np.inf
    assert np.isnan(LossSums(1, 1, 2.0, 4.0).standard_error)
