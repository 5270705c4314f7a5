"""Loss landscapes of functions of the real JAX: the promises of every landscape model, and what is JAX's own."""

import json
import sys
from pathlib import Path
from typing import Any

import cloudpickle
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from support.landscape_events import journals
from support.landscape_model_contract import Float32s, LandscapeModelContract, ModelUnderTest

from toposcope.recorder.frameworks.jax.named_leaves import named_leaves
from toposcope.recorder.landscapes import SummaryLandscape
from toposcope.recorder.landscapes.models.landscape_model import model_of
from toposcope.recorder.landscapes.weights.mapped_checkpoint import write_tensors

SAMPLES = 48


def parameters_of_two_layers() -> dict[str, Any]:
    """Return parameters in nested dicts and lists, one in bfloat16, one an integer, and statistics."""
    keys = jax.random.split(jax.random.key(0), 4)
    return {
        "layers": [
            {"kernel": jax.random.normal(keys[0], (4, 8)), "bias": jax.random.normal(keys[1], (8,))},
            {"kernel": jax.random.normal(keys[2], (8, 3)), "bias": jnp.zeros(3, jnp.float32) + 0.5},
        ],
        "scale": jnp.asarray(2, jnp.int32),
        "batch_stats": {"mean": jax.random.normal(keys[3], (4,)), "var": jnp.array([0.5, 1.0, 1.5, 2.0])},
    }


def losses(parameters: dict[str, Any], x: jax.Array, y: jax.Array) -> jax.Array:
    """Return the squared error of each sample."""
    (first, second), statistics = parameters["layers"], parameters["batch_stats"]
    x = (x - statistics["mean"]) / jnp.sqrt(statistics["var"])
    hidden = jnp.tanh(x @ first["kernel"] + first["bias"])
    return jnp.mean((hidden @ second["kernel"] + second["bias"] - y) ** 2, axis=1) * parameters["scale"]


def mean_loss(parameters: dict[str, Any], x: jax.Array, y: jax.Array) -> jax.Array:
    """Return the mean squared error."""
    return losses(parameters, x, y).mean()


def batches() -> list[tuple[Any, Any]]:
    """Return five batches of ten samples."""
    random = np.random.default_rng(4)
    return [(random.normal(size=(10, 4)).astype("f"), random.normal(size=(10, 3)).astype("f")) for _ in range(5)]


class TestJaxFunctions(LandscapeModelContract):
    """Functions of a pytree of parameters."""

    @pytest.fixture(params=[losses, mean_loss], ids=["losses of samples", "means of batches"])
    def subject(self, request: pytest.FixtureRequest) -> ModelUnderTest:
        def state() -> object:
            return [(name, np.asarray(leaf).tobytes()) for name, leaf in named_leaves(parameters).items()]

        def loss_at(flat: Float32s) -> float:
            leaves, structure = jax.tree_util.tree_flatten(parameters)
            places = {each.name: each for each in model.layout.tensors}
            changed = [
                flat[places[name].start : places[name].stop].reshape(places[name].shape) if name in places else leaf
                for name, leaf in zip(named_leaves(parameters), leaves, strict=True)
            ]
            other = jax.tree_util.tree_unflatten(structure, changed)
            return float(np.concatenate([losses(other, *batch) for batch in batches()])[:SAMPLES].mean())

        parameters = parameters_of_two_layers()
        before = state()
        model = model_of((request.param, parameters, batches(), {}), SAMPLES)
        return ModelUnderTest(model, state, before, loss_at)


def test_leaves_are_named_by_their_keys() -> None:
    """Statistics are buffers, integers stay."""
    model = model_of((losses, parameters_of_two_layers(), batches(), None), SAMPLES)
    assert {tensor.name: tensor.kind for tensor in model.layout.tensors} == {
        "layers/0/bias": "bias",
        "layers/0/kernel": "weight",
        "layers/1/bias": "bias",
        "layers/1/kernel": "weight",
        "batch_stats/mean": "buffer",
        "batch_stats/var": "buffer",
    }
    assert model.losses().sums.units == SAMPLES
    assert model.network_name == "losses"


def test_statistics_stay_where_no_axes_move_them() -> None:
    """Only the user can recompute them, and a note informs readers of the result."""
    model = model_of((losses, parameters_of_two_layers(), batches(), None), SAMPLES)
    before = model.get()
    model.recalibrate()
    np.testing.assert_array_equal(model.get(), before)
    assert not model.has_statistics
    assert any("statistics" in note for note in model.notes)
    plain = {"weight": jnp.ones(4)}
    others = model_of((lambda weights, x, _: ((x @ weights["weight"]) ** 2).mean(), plain, batches(), None), SAMPLES)
    assert not others.notes


def test_other_processes_find_the_same_bits(tmp_path: Path) -> None:
    """Two workers, compared with this process alone, even in sums that XLA distributes over its threads."""

    def losses_of_many(parameters: dict[str, Any], x: jax.Array, y: jax.Array) -> jax.Array:
        many = jnp.sum(jnp.sin(jnp.arange(1_000_000.0) * parameters["layers"][0]["bias"][0]))
        return losses(parameters, x, y) + many * many * 1e-6

    def callback_fn() -> Any:
        return losses_of_many, parameters_of_two_layers(), batches(), None

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    results = {}
    for name, devices in (("here", None), ("processes", [0, 1])):
        directory = tmp_path / name
        leave_walk(directory / "ckpt_dir")
        SummaryLandscape(directory).gen_landscapes_with_multi_process(callback_fn, None, devices, levels=2)
        results[name] = journals(directory)
    assert results["here"] == results["processes"]
    assert sum(map(len, results["here"].values())) == 4 + 4 + 25 + 1 + 25


def leave_walk(folder: Path) -> None:
    """Leave four checkpoints, whose weights have been moved at random."""
    folder.mkdir(parents=True)
    random = np.random.default_rng(0)
    tensors = {name: np.array(leaf, np.float32) for name, leaf in named_leaves(parameters_of_two_layers()).items()}
    for point in range(1, 5):
        tensors = {name: array + 0.1 * random.random(array.shape).astype(np.float32) for name, array in tensors.items()}
        write_tensors(tensors, str(folder / f"losses_{point}.safetensors"))
    files = {str(point): f"losses_{point}.safetensors" for point in range(1, 5)}
    settings = {"landscape_size": 5, "num_samples": SAMPLES, "unit": "step", "step_per_epoch": 4}
    metadata = {"epoch_group": {"0": [1, 2, 3, 4]}, "model_params_file_map": files, **settings}
    metadata["create_landscape"] = {"train": True, "result": True}
    (folder / "train_metadata.json").write_text(json.dumps(metadata))


def test_low_precision_is_kept() -> None:
    """Parameters of bfloat16 are rounded when they are moved."""

    def loss(parameters: Any, x: jax.Array, _: jax.Array) -> jax.Array:
        assert parameters.dtype == jnp.bfloat16
        return ((x @ parameters) ** 2).mean()

    weights = jnp.linspace(-1, 1, 4).astype(jnp.bfloat16)
    model = model_of((loss, weights, batches(), None), 50, device=0)
    expected = np.mean([float(loss(weights, *map(jnp.asarray, batch))) for batch in batches()])
    assert model.losses().sums.mean == pytest.approx(expected, rel=1e-2)
    assert model.layout.tensors[0].name == "parameters"


def test_a_function_without_parameters_is_refused() -> None:
    """The message names it."""
    with pytest.raises(ValueError, match="mean_loss"):
        model_of((mean_loss, {"n": jnp.arange(3)}, batches(), None), 5)
