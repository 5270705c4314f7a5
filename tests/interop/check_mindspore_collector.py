"""The same trainings recorded by MindSpore's own SummaryCollector and by ours: equalities and all differences.

docs/mindspore.md explains the differences.
"""

import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
import pytest
from google.protobuf.message import Message
from interop.check_mindspore import assert_same_histogram
from mindspore import Tensor, nn, ops
from mindspore.train import Model
from PIL import Image
from support import written_events
from support.tensor_messages import tensor_array
from support.written_events import ReadEvents

from toposcope.proto.graph_pb2 import GraphProto
from toposcope.proto.lineage_pb2 import LineageEvent
from toposcope.proto.summary_pb2 import Summary
from toposcope.recorder.callbacks.summary_collector import SummaryCollector
from toposcope.recorder.frameworks.mindspore import bridge

MODES = [pytest.param(ms.GRAPH_MODE, id="graph mode"), pytest.param(ms.PYNATIVE_MODE, id="PyNative mode")]
EPOCHS, BATCHES, BATCH, SAMPLES = 3, 16, 8, 126
STEPS = EPOCHS * BATCHES
COLLECT_FREQ, COLLECT_TENSOR_FREQ = 2, 4
CUSTOM = {"layers": 3, "dropout": 0.5, "author": "me"}
# Additional tags of our collector.
EXTRAS = {
    "collect_eval_metrics": {"eval/acc", "eval/loss"},
    "collect_learning_rate": {"learning_rate"},
    "collect_throughput": {"throughput/samples_per_second", "throughput/steps_per_second"},
    "collect_machine": set[str](),
    "collect_environment": set[str](),
    "collect_code": set[str](),
    "collect_optimizer_facts": set[str](),
}
EQUAL_SETTINGS: dict[str, Any] = dict.fromkeys(EXTRAS, False)
# MindSpore's collector saves 19 checkpoints by default.
THEIR_SETTINGS = {"collect_landscape": None}

Points = dict[tuple[str, str], list[tuple[int, Summary.Value]]]


class Net(nn.Cell):
    """A small network for images of 8 x 8, with a summary operator of each kind."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.hidden, self.scores = nn.Conv2d(1, 4, 3), nn.Dense(256, 16), nn.Dense(16, 10)
        self.flatten, self.relu = nn.Flatten(), nn.ReLU()
        self.scalar, self.tensor = ops.ScalarSummary(), ops.TensorSummary()
        self.histogram, self.image = ops.HistogramSummary(), ops.ImageSummary()

    def construct(self, images: Tensor) -> Tensor:
        """Return the scores."""
        self.image("operator/image", images)
        hidden = self.relu(self.hidden(self.flatten(self.relu(self.conv(images)))))
        self.histogram("operator/hidden", hidden)
        scores = self.scores(hidden)
        self.tensor("operator/scores", scores)
        self.scalar("operator/mean", scores.mean())
        return scores


@dataclass
class Run:
    """The contents of a training's files."""

    points: Points
    graphs: list[GraphProto]
    lineage: list[LineageEvent]
    sizes: list[int]
    """Values in each event."""

    def steps(self, tag: str) -> list[int]:
        """Return the steps of a tag, in the order of the file."""
        return [step for (_, each), points in self.points.items() if each == tag for step, _ in points]

    def lineage_of(self, field: str) -> list[Any]:
        """Return the lineage messages of a kind."""
        return [getattr(event, field) for event in self.lineage if event.HasField(field)]


def dataset() -> Any:
    """Return images in batches, the last of which is not full."""
    random = np.random.default_rng(0)
    columns = {"image": random.random((SAMPLES, 1, 8, 8), np.float32)}
    columns["digit"] = random.integers(0, 10, SAMPLES).astype(np.int32)
    return ms.dataset.NumpySlicesDataset(columns, shuffle=False).batch(BATCH)


def model(rate: Any = 0.05) -> Model:
    """Return a model with reproducible initial weights."""
    ms.set_seed(1)
    network = Net()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return Model(network, loss, nn.Momentum(network.trainable_params(), rate, 0.9), metrics={"acc"})


def theirs(directory: Path, **settings: Any) -> Any:
    """Return MindSpore's collector."""
    arguments = {"collect_specified_data": THEIR_SETTINGS, "collect_freq": COLLECT_FREQ, **settings}
    return ms.train.SummaryCollector(str(directory), **arguments)


def ours(directory: Path, **settings: Any) -> Any:
    """Return our collector in a bridge; by default with metrics at multiples of the frequency, as MindSpore's."""
    arguments = {
        **{"collect_specified_data": EQUAL_SETTINGS, "collect_freq": COLLECT_FREQ, "metric_freq": None},
        **settings,
    }
    return bridge(SummaryCollector(directory, **arguments))


def read(directory: Path, read_events: ReadEvents) -> Run:
    """Read the files of a run."""
    run = Run({}, [], [], [])
    for path in sorted(directory.glob("*_MS")):
        for event in read_events(path):
            if event.HasField("graph_def"):
                run.graphs.append(event.graph_def)
            if event.summary.value:
                run.sizes.append(len(event.summary.value))
            for value in event.summary.value:
                run.points.setdefault((str(value.WhichOneof("value")), value.tag), []).append((event.step, value))
    for path in sorted(directory.glob("*_lineage")):
        events = written_events.read_all_events(path)
        run.lineage += [LineageEvent.FromString(event.SerializeToString()) for event in events]
    return run


@pytest.fixture(params=MODES, scope="module")
def mode(request: pytest.FixtureRequest) -> Iterator[int]:
    """Run networks in one of MindSpore's modes."""
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=before)


@pytest.fixture(scope="module")
def both(mode: int, tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Run]:
    """Fit and evaluate with equal settings, recorded by MindSpore and by Toposcope."""
    directory = tmp_path_factory.mktemp("runs")
    for name, collector_of in (("theirs", theirs), ("ours", ours)):
        settings = {"custom_lineage_data": CUSTOM, "collect_tensor_freq": COLLECT_TENSOR_FREQ}
        collector, trained = collector_of(directory / name, **settings), model()
        trained.fit(EPOCHS, dataset(), dataset(), callbacks=[collector])
        trained.eval(dataset(), callbacks=[collector])
    return read(directory / "theirs", written_events.read_events), read(directory / "ours", written_events.read_events)


def first_of_each_step(points: list[tuple[int, Summary.Value]]) -> dict[int, Summary.Value]:
    """Return the points without duplicates."""
    return dict(reversed(points))


def test_tags_are_equal(both: tuple[Run, Run]) -> None:
    """With equal settings both have the same tags of the same kinds."""
    their, our = both
    assert set(their.points) == set(our.points)
    assert len(their.points) == 11


def test_steps_are_equal_except_for_duplicates(both: tuple[Run, Run]) -> None:
    """MindSpore records the last step of an epoch twice if it is a multiple of the frequency."""
    their, our = both
    for key, points in our.points.items():
        steps, their_steps = [step for step, _ in points], [step for step, _ in their.points[key]]
        freq = COLLECT_TENSOR_FREQ if key[0] == "tensor" else COLLECT_FREQ
        assert steps == [1, *range(freq, STEPS + 1, freq)]
        assert list(dict.fromkeys(their_steps)) == steps
        repeated = [step for step, count in Counter(their_steps).items() if count > 1]
        assert repeated in ([BATCHES, 2 * BATCHES, STEPS], [1, BATCHES, 2 * BATCHES, STEPS])


def test_a_step_is_one_event(both: tuple[Run, Run]) -> None:
    """MindSpore splits the first step into operator values and other values; ours has all eleven in one event."""
    their, our = both
    assert their.sizes[:2] == [4, 7]
    assert our.sizes[0] == 11
    assert len(our.sizes) == 1 + STEPS // COLLECT_FREQ


def test_scalars_are_equal(both: tuple[Run, Run]) -> None:
    """The loss and the operator's scalar are the same float32 numbers."""
    their, our = both
    for tag in ("loss/auto", "operator/mean"):
        expected = first_of_each_step(their.points["scalar_value", tag])
        values = first_of_each_step(our.points["scalar_value", tag])
        assert {step: value.scalar_value for step, value in values.items()} == {
            step: pytest.approx(value.scalar_value, rel=1e-6) for step, value in expected.items()
        }


def test_histograms_are_equal(both: tuple[Run, Run]) -> None:
    """The counts are equal, except for numbers at an edge, which MindSpore stores in float32."""
    their, our = both
    tags = [tag for kind, tag in our.points if kind == "histogram"]
    assert len(tags) == 6
    for tag in tags:
        expected = first_of_each_step(their.points["histogram", tag])
        for step, value in our.points["histogram", tag]:
            assert_same_histogram(value.histogram, expected[step].histogram)


def test_images_are_equal(both: tuple[Run, Run]) -> None:
    """The pixels are equal except for rounding, where MindSpore truncates; it stores grey images as RGB."""
    their, our = both
    for tag in ("input_data/auto", "operator/image"):
        expected = first_of_each_step(their.points["image", tag])
        for step, value in our.points["image", tag]:
            pixels, their_pixels = pixels_of(value), pixels_of(expected[step])
            assert their_pixels.shape == (*pixels.shape, 3)
            for channel in range(3):
                assert set(np.unique(pixels.astype(int) - their_pixels[:, :, channel])) == {0, 1}


def pixels_of(value: Summary.Value) -> Any:
    """Return the pixels of an image."""
    return np.asarray(Image.open(io.BytesIO(value.image.encoded_image)))


def test_tensors_are_equal(both: tuple[Run, Run]) -> None:
    """The operator's tensors have the same elements."""
    their, our = both
    expected = first_of_each_step(their.points["tensor", "operator/scores"])
    for step, value in our.points["tensor", "operator/scores"]:
        np.testing.assert_allclose(
            tensor_array(value.tensor), tensor_array(expected[step].tensor), rtol=1e-5, atol=1e-6
        )


def test_duplicates_of_mindspore_contain_values_of_the_evaluation(both: tuple[Run, Run]) -> None:
    """At the end of an epoch of fit, MindSpore records operator values of the evaluation at the training step."""
    their, our = both
    points = [value.scalar_value for step, value in their.points["scalar_value", "operator/mean"] if step == BATCHES]
    trained, evaluated = points
    assert trained != evaluated
    values = first_of_each_step(our.points["scalar_value", "operator/mean"])
    assert values[BATCHES].scalar_value == pytest.approx(trained, rel=1e-6)


def test_graphs_are_equal(both: tuple[Run, Run], mode: int) -> None:
    """Both record the graph of the training network once; there is none in PyNative mode."""
    kinds = [[Counter(node.op_type for node in graph.node) for graph in run.graphs] for run in both]
    assert kinds[0] == kinds[1]
    assert len(kinds[0]) == (1 if mode == ms.GRAPH_MODE else 0)


def test_the_lineage_of_the_training_is_equal_except_for_its_size(both: tuple[Run, Run]) -> None:
    """MindSpore counts the last batch as full, and has an entry for a checkpoint that does not exist."""
    (their,), (our,) = (run.lineage_of("train_lineage") for run in both)
    assert (their.train_dataset.train_dataset_size, our.train_dataset.train_dataset_size) == (BATCHES * BATCH, SAMPLES)
    assert (their.model.path, our.model.path) == ('{"ckpt": null}', "")
    assert our.algorithm.loss == pytest.approx(their.algorithm.loss, rel=1e-6)
    for lineage in (their, our):
        for field in ("model.path", "train_dataset.train_dataset_size", "algorithm.loss"):
            message, name = field.split(".")
            getattr(lineage, message).ClearField(name)
    assert without_doubles(our) == without_doubles(their)


def without_doubles(lineage: Message) -> dict[str, Any]:
    """Return MindSpore's fields, without our additional fields for numbers that float32 cannot represent."""
    return {
        f"{part.name}.{field.name}": value
        for part, message in lineage.ListFields()
        for field, value in message.ListFields()
        if not field.name.endswith("_double")
    }


def test_the_lineage_of_an_evaluation_is_equal_except_for_its_size(both: tuple[Run, Run]) -> None:
    """Only our collector records the three evaluations inside fit, with their losses."""
    (their,), (*inside, our) = (run.lineage_of("evaluation_lineage") for run in both)
    assert our.metric == their.metric
    assert (their.valid_dataset.valid_dataset_size, our.valid_dataset.valid_dataset_size) == (BATCHES * BATCH, SAMPLES)
    assert len(inside) == EPOCHS
    assert all('"acc"' in lineage.metric and '"loss"' in lineage.metric for lineage in inside)


def test_lineage_of_the_user_and_of_the_dataset_are_equal(both: tuple[Run, Run]) -> None:
    """Custom lineage and the pipeline are the same messages."""
    for field in ("user_defined_info", "dataset_graph"):
        (their,), (our,) = (run.lineage_of(field) for run in both)
        assert our == their


def test_at_defaults_each_loss_is_recorded(
    both: tuple[Run, Run], mode: int, tmp_path: Path, read_events: ReadEvents
) -> None:
    """What MindSpore records is a part of it, with equal values; all else follows the frequency."""
    settings = {"custom_lineage_data": CUSTOM, "collect_tensor_freq": COLLECT_TENSOR_FREQ, "metric_freq": 1}
    model().fit(EPOCHS, dataset(), dataset(), callbacks=[ours(tmp_path, **settings)])
    their, our = both[0], read(tmp_path, read_events)
    assert our.steps("loss/auto") == list(range(1, STEPS + 1))
    losses = dict(our.points["scalar_value", "loss/auto"])
    for step, value in their.points["scalar_value", "loss/auto"]:
        assert losses[step].scalar_value == pytest.approx(value.scalar_value, rel=1e-6)
    for (kind, tag), points in their.points.items():
        if tag != "loss/auto":
            assert our.steps(tag) == list(dict.fromkeys(step for step, _ in points)), (kind, tag)


def test_additional_tags_of_our_collector(tmp_path: Path, read_events: ReadEvents) -> None:
    """With default settings our collector has exactly these additional tags and entries."""
    model().fit(1, dataset(), dataset(), callbacks=ours(tmp_path, collect_specified_data=None))
    run = read(tmp_path, read_events)
    tags = {tag for _, tag in run.points if not tag.startswith(("machine/", "operator/")) and not tag.endswith("/auto")}
    assert tags == set.union(*EXTRAS.values())
    entries = [entry for info in run.lineage_of("user_defined_info") for entry in info.user_info]
    names = {name for entry in entries for _, values in entry.ListFields() for name in values}
    assert {name.split("/")[0] for name in names} == {"environment", "optimizer"}


def test_tensors_are_collected_until_the_end_of_the_training(tmp_path: Path, read_events: ReadEvents) -> None:
    """Without collect_tensor_freq both collect twenty steps; MindSpore the first ones, ours evenly spread ones."""
    for name, collector_of in (("theirs", theirs), ("ours", ours)):
        model().train(EPOCHS, dataset(), callbacks=[collector_of(tmp_path / name)])
    their, our = (set(read(tmp_path / name, read_events).steps("operator/scores")) for name in ("theirs", "ours"))
    assert their == {1, *range(2, 39, 2)}
    assert len(our) == len(their) == 20
    assert (min(our), max(our)) == (1, STEPS)


def test_lineage_is_correct_for_schedules_stops_and_late_checkpoints(tmp_path: Path, read_events: ReadEvents) -> None:
    """The checkpoint is saved after the collector's last hook."""

    class StopInSecondEpoch(ms.train.Callback):
        def on_train_step_end(self, run_context: Any) -> None:
            if run_context.original_args().cur_step_num == BATCHES + 4:
                run_context.request_stop()

    for name, collector_of in (("theirs", theirs), ("ours", ours)):
        config = ms.train.CheckpointConfig(save_checkpoint_steps=1000)
        saving = ms.train.ModelCheckpoint(directory=str(tmp_path / f"{name}_saved"), config=config)
        rates = nn.ExponentialDecayLR(0.05, 0.5, 16)
        model(rates).train(EPOCHS, dataset(), callbacks=[collector_of(tmp_path / name), saving, StopInSecondEpoch()])
    (their,), (our,) = (read(tmp_path / name, read_events).lineage_of("train_lineage") for name in ("theirs", "ours"))
    assert (their.hyper_parameters.epoch, our.hyper_parameters.epoch) == (EPOCHS, 2)
    assert not their.hyper_parameters.HasField("learning_rate")
    assert our.hyper_parameters.learning_rate == pytest.approx(0.05)
    (saved,) = (tmp_path / "ours_saved").glob("*.ckpt")
    assert (their.model.path, their.model.size) == ('{"ckpt": ""}', 0)
    assert str(saved) in our.model.path
    assert our.model.size == saved.stat().st_size


def test_landscape_checkpoints_are_not_saved_by_default(tmp_path: Path) -> None:
    """With default settings MindSpore saves those of the first 19 steps."""
    for name, collector_of in (("theirs", theirs), ("ours", ours)):
        specified = {"collect_input_data": True}
        model().train(2, dataset(), callbacks=[collector_of(tmp_path / name, collect_specified_data=specified)])
    assert len(list((tmp_path / "theirs/ckpt_dir").glob("*.ckpt"))) == 19
    assert not (tmp_path / "ours/ckpt_dir").exists()


@pytest.mark.parametrize("collectors", [2, 3])
def test_several_collectors_are_an_error(tmp_path: Path, collectors: int) -> None:
    """Also if they are in different bridges."""
    callbacks = [ours(tmp_path / str(number)) for number in range(collectors)]
    with pytest.raises(ValueError, match="SummaryCollector"):
        model().train(1, dataset(), callbacks=callbacks)


def test_a_training_that_raises_is_recorded_to_its_end(tmp_path: Path, read_events: ReadEvents) -> None:
    """The loss of the last step and the lineage are recorded; MindSpore's collector records neither."""

    class Raise(ms.train.Callback):
        def on_train_step_end(self, run_context: Any) -> None:
            if run_context.original_args().cur_step_num == 5:
                raise ArithmeticError("no more")

    for name, collector_of in (("theirs", theirs), ("ours", ours)):
        with pytest.raises(ArithmeticError):
            model().train(EPOCHS, dataset(), callbacks=[collector_of(tmp_path / name), Raise()])
    their, our = (read(tmp_path / name, read_events) for name in ("theirs", "ours"))
    assert (len(their.lineage_of("train_lineage")), len(our.lineage_of("train_lineage"))) == (0, 1)
    assert our.steps("loss/auto") == [1, 2, 4, 5]


def test_operator_values_of_an_evaluation_are_not_recorded(tmp_path: Path, read_events: ReadEvents, mode: int) -> None:
    """Values that operators receive only in the evaluations of fit are not recorded at a training step."""

    class Evaluating(Net):
        def construct(self, images: Tensor) -> Tensor:
            if not self.training:
                self.scalar("evaluation only", images.mean())
            return super().construct(images)

    network = Evaluating()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    trained = Model(network, loss, nn.Momentum(network.trainable_params(), 0.05, 0.9), metrics={"acc"})
    trained.fit(EPOCHS, dataset(), dataset(), callbacks=ours(tmp_path))
    assert "evaluation only" not in {tag for _, tag in read(tmp_path, read_events).points}
