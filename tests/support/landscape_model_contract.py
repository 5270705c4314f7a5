"""The contract of landscape models: tests that the models of all frameworks pass."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

from toposcope.recorder.landscapes.models.landscape_model import LandscapeModel
from toposcope.recorder.landscapes.models.unit_losses import LossSums

Float32s = npt.NDArray[np.float32]


@dataclass
class ModelUnderTest:
    """A model, and facts of its network that are known without it."""

    model: LandscapeModel
    state: Callable[[], object]
    """Returns all state of the network that a landscape might change: its arrays as bytes, its modes."""
    untouched: object
    """The result of state() before the model was created."""
    loss_at: Callable[[Float32s], float]
    """Returns the loss of the samples at other weights, computed with a separate network."""


class LandscapeModelContract:
    """The contract; a subclass has a fixture `subject`, a model whose network has distinctive weights."""

    @pytest.fixture
    def model(self, subject: ModelUnderTest) -> LandscapeModel:
        """Return the model, along two random directions from a random origin near its weights."""
        self.hold_random(subject.model)
        return subject.model

    def hold_random(self, model: LandscapeModel) -> tuple[Float32s, Float32s]:
        random = np.random.default_rng(5)
        size = model.layout.size
        origin = nearby(model, random, 0.1)
        directions = random.normal(size=(2, size)).astype(np.float32) * 0.1
        directions[:, model.layout.parameter_count :] = 0
        model.hold(origin, directions)
        return origin, directions

    def test_its_layout_has_every_weight_once(self, model: LandscapeModel) -> None:
        """Trained ones first, buffers last; and weights are float32 numbers of that layout."""
        layout = model.layout
        assert model.get().shape == (layout.size,)
        assert model.get().dtype == np.float32
        assert [tensor.start for tensor in layout.tensors] == [0, *(tensor.stop for tensor in layout.tensors[:-1])]
        assert layout.tensors[-1].stop == layout.size
        assert all((tensor.kind == "buffer") == (tensor.start >= layout.parameter_count) for tensor in layout.tensors)

    def test_its_loss_is_that_of_the_network(self, subject: ModelUnderTest) -> None:
        """At the original weights and at others: that of an evaluation without the model."""
        own = subject.model.get()
        assert subject.model.losses().sums.mean == pytest.approx(subject.loss_at(own), rel=1e-5)
        other = nearby(subject.model, np.random.default_rng(1), 0.2)
        subject.model.load(other)
        assert subject.model.losses().sums.mean == pytest.approx(subject.loss_at(other), rel=1e-5)
        assert subject.model.losses().sums.mean != pytest.approx(subject.loss_at(own), rel=1e-4)

    def test_moving_is_loading_the_same_weights(self, subject: ModelUnderTest) -> None:
        """With the same bits: origin + x * first direction + y * second direction."""
        model = subject.model
        origin, directions = self.hold_random(model)
        model.move((0.3, -0.7))
        moved, loss = model.get(), model.losses().sums
        np.testing.assert_allclose(moved, origin + 0.3 * directions[0] - 0.7 * directions[1], rtol=0, atol=1e-6)
        model.load(moved)
        assert model.losses().sums == loss

    def test_an_origin_is_exact(self, model: LandscapeModel) -> None:
        """At the coordinates zero there is no rounding."""
        origin, _ = self.hold_random(model)
        model.move((0.0, 0.0))
        np.testing.assert_array_equal(model.get(), origin)

    def test_losses_do_not_depend_on_where_it_was_before(self, model: LandscapeModel) -> None:
        """Bit for bit."""
        places = [(0.5, 0.5), (-1.0, 0.0), (0.0, 2.0)]
        there, back = ([self.loss_of(model, place) for place in order] for order in (places, places[::-1]))
        assert there == back[::-1]

    def test_a_point_on_a_checkpoint_has_its_loss(self, subject: ModelUnderTest) -> None:
        """In weights and buffers: the loss of the projection is exact if the residual is zero."""
        model = subject.model
        last, first = model.get(), nearby(model, np.random.default_rng(2), 0.3)
        displacement = (first - last).astype(np.float64)
        variances = model.layout.variances
        displacement[variances] = np.log(first[variances].astype(np.float64) / last[variances])
        length = float(np.linalg.norm(displacement[: model.layout.parameter_count]))
        model.hold(last, (displacement / length).astype(np.float32)[None])
        model.move((length,))
        assert model.losses().sums.mean == pytest.approx(subject.loss_at(first), rel=1e-5)

    def test_variances_stay_positive(self, subject: ModelUnderTest) -> None:
        """A direction contains the logarithms of their factors: even the farthest point has no negative variance."""
        model, variances = subject.model, subject.model.layout.variances
        origin = model.get()
        directions = np.random.default_rng(6).normal(size=(2, origin.size)).astype(np.float32) * 0.1
        model.hold(origin, directions)
        model.move((2.0, -3.0))
        logarithms = 2 * directions[0, variances] - 3 * directions[1, variances]
        np.testing.assert_allclose(model.get()[variances], origin[variances] * np.exp(logarithms), rtol=1e-5)
        model.move((0.0, 0.0))
        np.testing.assert_array_equal(model.get(), origin)

    def test_slices_add_up(self, model: LandscapeModel) -> None:
        """The sums of the first samples and those of the others are the sums of all."""
        whole = model.losses().sums
        assert whole.samples == model.samples
        for cut in (1, model.samples // 2, model.samples - 3):
            parts = model.losses(0, cut).sums, model.losses(cut).sums
            assert sum(part.samples for part in parts) == whole.samples
            assert sum(part.total for part in parts) == pytest.approx(whole.total, rel=1e-5)

    def test_a_larger_number_of_samples_selects_all(self, model: LandscapeModel) -> None:
        """An empty range raises."""
        assert model.losses(0, 10 * model.samples).sums == model.losses().sums
        with pytest.raises(ValueError, match="There are no samples"):
            model.losses(model.samples)
        with pytest.raises(ValueError, match="There are no samples"):
            model.losses(4, 4)

    def test_standard_error_is_that_of_the_mean(self, model: LandscapeModel) -> None:
        """It is finite for more than one unit, and small compared with the losses."""
        sums = model.losses().sums
        assert sums.units > 1
        assert 0 < sums.standard_error < sums.mean

    def test_losses_can_be_compared_unit_by_unit(self, subject: ModelUnderTest) -> None:
        """At each place they are of the same units; the errors of small differences are far smaller than of losses."""
        model = subject.model
        self.hold_random(model)
        model.move((0.0, 0.0))
        here = model.losses()
        model.move((1e-3, 0.0))
        there = model.losses()
        np.testing.assert_array_equal(here.sizes, there.sizes)
        assert here.sizes.sum() == model.samples
        difference = there.minus(here).sums
        assert difference.mean == pytest.approx(there.sums.mean - here.sums.mean, abs=1e-12)
        assert difference.standard_error < here.sums.standard_error / 5
        assert here.minus(here).sums.standard_error == 0

    def test_nothing_trains(self, model: LandscapeModel) -> None:
        """Measuring losses does not change weights."""
        model.move((0.1, 0.1))
        before = model.get()
        model.losses()
        np.testing.assert_array_equal(model.get(), before)

    def test_the_network_is_restored(self, subject: ModelUnderTest) -> None:
        """Bit for bit after every operation; the model cannot be used afterwards."""
        model = subject.model
        self.hold_random(model)
        model.move((3.0, 4.0))
        model.losses()
        model.recalibrate()
        if model.has_hvp:
            model.hvp(np.ones(model.layout.parameter_count, np.float32))
        model.restore()
        assert subject.state() == subject.untouched
        model.restore()
        assert subject.state() == subject.untouched
        with pytest.raises(ValueError, match="restore"):
            model.move((0.0, 0.0))
        with pytest.raises(ValueError, match="restore"):
            model.losses()

    def test_statistics_are_recomputed(self, model: LandscapeModel) -> None:
        """From the current weights, the same each time; nothing else changes."""
        model.move((1.0, 1.0))
        before, trained = model.get(), model.layout.parameter_count
        model.recalibrate()
        once = model.get()
        model.move((0.0, 0.0))
        model.recalibrate()
        model.move((1.0, 1.0))
        model.recalibrate()
        np.testing.assert_array_equal(model.get(), once)
        np.testing.assert_array_equal(once[:trained], before[:trained])
        assert np.array_equal(once, before) != model.has_statistics
        assert model.losses().sums == model.losses().sums

    def test_products_with_the_hessian_are_curvature(self, model: LandscapeModel) -> None:
        """They agree with the losses along a line, and are symmetric; models without them raise."""
        trained = model.layout.parameter_count
        first, second = np.random.default_rng(3).normal(size=(2, trained)).astype(np.float32)
        if not model.has_hvp:
            with pytest.raises(NotImplementedError):
                model.hvp(first)
            return
        direction = np.zeros((1, model.layout.size), np.float32)
        direction[0, :trained] = first / np.linalg.norm(first)
        model.hold(model.get(), direction)
        model.move((0.0,))
        product = model.hvp(direction[0, :trained])
        assert product.dtype == np.float32
        step = 0.03
        below, center, above = (self.loss_of(model, (x,)).mean for x in (-step, 0.0, step))
        assert float(product @ direction[0, :trained]) == pytest.approx((above - 2 * center + below) / step**2, rel=0.1)
        model.move((0.0,))
        assert model.hvp(first) @ second == pytest.approx(model.hvp(second) @ first, rel=1e-3)
        with pytest.raises(ValueError, match="shape"):
            model.hvp(first[1:])

    def test_wrong_shapes_are_refused(self, subject: ModelUnderTest) -> None:
        """The message states the expected shape."""
        model, size = subject.model, subject.model.layout.size
        with pytest.raises(ValueError, match="hold"):
            model.move((0.0,))
        for origin, directions in [((size + 1,), (2, size)), ((size,), (2, size - 1)), ((size,), (size,))]:
            with pytest.raises(ValueError, match=str(size)):
                model.hold(np.zeros(origin, np.float32), np.zeros(directions, np.float32))
        model.hold(np.zeros(size, np.float32), np.zeros((2, size), np.float32))
        with pytest.raises(ValueError, match="2 coordinates"):
            model.move((0.0,))
        with pytest.raises(ValueError, match=str(size)):
            model.load(np.zeros(size + 1, np.float32))

    def test_little_work_is_not_tuned(self, model: LandscapeModel) -> None:
        """Timing would take longer."""
        assert model.mode == "eager"
        assert model.tune(1) == model.mode == "eager"
        with pytest.raises(ValueError, match="mode"):
            model.use("fastest")

    def loss_of(self, model: LandscapeModel, place: tuple[float, ...]) -> LossSums:
        model.move(place)
        return model.losses().sums


def nearby(model: LandscapeModel, random: np.random.Generator, distance: float) -> Float32s:
    """Return weights near those of a model; positive numbers, such as variances, stay positive."""
    own = model.get()
    return (own * np.exp(random.normal(size=own.size) * distance) + (own != 1) * 1e-3).astype(np.float32)
